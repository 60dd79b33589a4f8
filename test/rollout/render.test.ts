import fc from 'fast-check';
import type { SeenStep } from '../../src/contract/step';
import { observationText, renderRequest } from '../../src/rollout/render';
import { examples } from '../support/counts';
import { actionOf, anyText, DIALECT_NAMES, promptsOf, reply, stepOf, transcriptOf, turnOf, viewOf } from './sample';

const anySteps = fc
  .array(fc.tuple(anyText, actionOf(anyText), anyText, fc.constantFrom(0, 1, null), fc.constantFrom(null, 300)), {
    maxLength: 6,
  })
  .map((rows) =>
    rows.map(([thought, action, observation, exitCode, timedOutAfter], i) =>
      stepOf(turnOf(i + 1, thought, action), observation, { exitCode, timedOutAfter }),
    ),
  );
const ls = { tool: 'bash', args: { command: 'ls' } };
const fiveSteps = [1, 2, 3, 4, 5].map((n) => stepOf(turnOf(n, `t${n}`, ls), `a${n}\nb${n}\n`));

describe.each(DIALECT_NAMES)('%s', (name) => {
  const prompts = promptsOf(name);
  const view = viewOf(name);

  test('one more step only adds messages, so that prompt caches hit', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        for (let k = 0; k < steps.length; k += 1) {
          const shorter = renderRequest(transcriptOf(steps.slice(0, k)), view, prompts);
          const longer = renderRequest(transcriptOf(steps.slice(0, k + 1)), view, prompts);
          expect(longer.messages.slice(0, shorter.messages.length)).toEqual(shorter.messages);
          expect(longer.messages.length).toBe(shorter.messages.length + 2);
          expect(longer.tools).toEqual(shorter.tools);
        }
      }),
      { numRuns: examples(100, 200) },
    );
  });

  test('call ids are unique and every one has its result', () => {
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { messages } = renderRequest(transcriptOf(steps), view, prompts);
        const made = messages.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []).map((c) => c.id) : []));
        const answered = messages.flatMap((m) => (m.role === 'tool' ? [m.tool_call_id] : []));
        expect(answered).toEqual(made);
        expect(new Set(made).size).toBe(name === 'tools' ? steps.length : 0);
      }),
      { numRuns: examples(100, 200) },
    );
  });

  test('who acted and in which format leaves no trace', () => {
    const mixed = fiveSteps.map((step, i) => ({
      ...step,
      turn: {
        ...step.turn,
        author: i < 3 ? ('student' as const) : ('expert' as const),
        reply: reply(`<function=bash>\n<parameter=command>ls</parameter>\n</function>`),
        rejected: [{ reply: reply('oops'), error: { code: 'missing_action' as const, observation: 'no call' } }],
      },
    }));
    const request = renderRequest(transcriptOf(mixed), view, prompts);
    const alone = fiveSteps.map((step) => ({ ...step, turn: { ...step.turn, author: 'expert' as const } }));
    expect(request).toEqual(renderRequest(transcriptOf(alone), view, prompts));
    const text = JSON.stringify(request);
    expect(text).not.toMatch(/student|expert|hand-?over|another (model|agent)|switch|oops|no call/i);
    if (name !== 'xml') expect(text).not.toMatch(/<function=|<parameter=/);
    if (name !== 'backticks') expect(text).not.toContain('```');
    if (name !== 'tools') expect(text).not.toMatch(/tool_calls|"tools"|"role":"tool"/);
    expect('tools' in request).toBe(name === 'tools');
  });

  test('all failed replies are shown, at the end: no request is made twice', () => {
    const rejected = ['wrong-1', 'second'].map((said) => ({
      reply: reply(said, [['bash', '{']]),
      error: { code: 'invalid_arguments' as const, observation: `${said} was wrong` },
    }));
    const plain = renderRequest(transcriptOf(fiveSteps), view, prompts);
    const { messages } = renderRequest(transcriptOf(fiveSteps), view, prompts, rejected);
    expect(messages.slice(0, -4)).toEqual(plain.messages);
    expect(messages.slice(-4)).toEqual([
      { role: 'assistant', content: 'wrong-1' },
      { role: 'user', content: expect.stringContaining('wrong-1 was wrong') },
      { role: 'assistant', content: 'second' },
      { role: 'user', content: expect.stringContaining('second was wrong') },
    ]);
  });

  test('a runaway reply is cut and an empty one has words', () => {
    const error = { code: 'empty_reply' as const, observation: 'x' };
    const shown = (raw: ReturnType<typeof reply>) =>
      renderRequest(transcriptOf([]), view, prompts, [{ reply: raw, error }]).messages.at(-2)?.content;
    expect(shown(reply('y'.repeat(900_000)))?.length).toBeLessThanOrEqual(10_000);
    expect(shown(reply(null))).toBe('(empty reply)');
    expect(shown(reply('', [['bash', '{']]))).toBe('(called bash {)');
    expect(shown(reply('<think>hm</think>'))).toBe('(reasoning alone)');
    expect(shown(reply('<think>hm</think>\nls'))).toBe('ls');
  });

  test('older observations become a line, the statement stays', () => {
    const few = viewOf(name, { history: { kind: 'last_n_observations', n: 2 } });
    const { messages } = renderRequest(transcriptOf(fiveSteps), few, prompts);
    const observations = messages.filter((m, i) => i > 1 && m.role !== 'assistant').map((m) => m.content);
    expect(observations).toEqual([
      ...Array(3).fill('Old environment output: (3 lines omitted)'),
      'OBSERVATION:\na4\nb4\n',
      'OBSERVATION:\na5\nb5\n',
    ]);
    expect(messages[1]?.content).toContain('Fix {{working_dir}} please');
  });
});

describe('observations', () => {
  const prompts = promptsOf('xml');
  const view = viewOf('xml', { observationChars: 200 });
  const shown = (observation: string, more: Partial<SeenStep> = {}) =>
    observationText(stepOf(turnOf(1, '', ls), observation, more), view, prompts);

  test('silence is told apart from failure', () => {
    expect(shown('')).toBe('Your command ran successfully and did not produce any output.');
    expect(shown('\n', { exitCode: 1 })).toContain('exit code 1');
  });

  test('a cut keeps both ends and whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 150, maxLength: 400 }), (text) => {
        fc.pre(!/\p{Surrogate}/u.test(text) && text.trim() !== '');
        const result = shown(text);
        expect(result).not.toMatch(/\p{Surrogate}/u);
        if (text.length <= 200) expect(result).toBe(`OBSERVATION:\n${text}`);
        else expect(result.startsWith(`OBSERVATION:\n${text.slice(0, 99)}`)).toBe(true);
      }),
    );
    expect(shown(`${'a'.repeat(300)}END`)).toMatch(/103 characters were left out[\s\S]*END$/);
  });

  test('a timeout keeps what was printed', () => {
    const text = shown('partial', { timedOutAfter: 300, exitCode: null });
    expect(text).toContain("The command 'ls' was cancelled because it took more than 300 seconds.");
    expect(text).toContain('partial');
    expect(shown('', { timedOutAfter: 300 })).toContain('(no output)');
  });

  test('output is never read as a template, and lost bytes are told', () => {
    expect(shown('{{observation}} {{nope}} $& $1')).toBe('OBSERVATION:\n{{observation}} {{nope}} $& $1');
    expect(shown('a', { elidedBytes: 12 })).toContain('12 bytes');
  });
});
