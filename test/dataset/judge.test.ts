import fc from 'fast-check';
import { DatasetFilters, LossReason } from '../../src/contract';
import { extraRow } from '../../src/dataset/extra-row';
import type { Candidate, Lost } from '../../src/dataset/judge';
import { judge, trainedContent } from '../../src/dataset/judge';
import { HUMAN } from '../../src/dataset/row';
import { anyRow, runOf } from './any-row';

const filters = DatasetFilters.parse({});
const options = { filters, maxTokens: 32_768 };
const reasonOf = (answer: Candidate | Lost) => ('reason' in answer ? answer.reason : undefined);

test('a row is lost for the first reason that applies, or it is a candidate with a trained turn', () => {
  fc.assert(
    fc.property(anyRow(), fc.constantFrom(256, 2_000, 32_768), (row, maxTokens) => {
      const answer = judge(row, { ...options, maxTokens });
      const trained = row.conversation.turns.filter((turn) => turn.trained);
      if ('reason' in answer) {
        expect(LossReason.options).toContain(answer.reason);
        expect(answer.detail).not.toBe('');
        if (answer.reason === 'nothing_trained') expect(trained).toEqual([]);
        if (answer.reason === 'unfaithful') expect(trained.some(({ faithful }) => !faithful)).toBe(true);
      } else {
        expect(answer.trained).toEqual(trained.map(({ turn }) => turn));
        expect(answer.trained.length).toBeGreaterThan(0);
        expect(trained.every(({ faithful }) => faithful)).toBe(true);
        expect(answer.tokens).toBeLessThanOrEqual(maxTokens);
      }
    }),
    { numRuns: 200 },
  );
});

test('a student alone teaches nothing, unless its turns are trained', () => {
  expect(reasonOf(judge(runOf(['student', 'student']), options))).toBe('nothing_trained');
  expect(judge(runOf(['student', 'student'], { train: ['student'] }), options)).toMatchObject({ trained: [1, 2] });
  expect(judge(runOf(['student', 'expert', 'expert']), options)).toMatchObject({ turns: 3, trained: [2, 3] });
});

test.each([
  [undefined, undefined, undefined],
  ['none', 'human', undefined],
  ['only', undefined, 'not_human'],
] as const)('with human: %s, rows of people are %s and others %s', (human, people, others) => {
  const row = runOf(['student', 'expert']);
  const marked = { ...row, metadata: { ...row.metadata, flags: [HUMAN] } };
  const chosen = { ...options, filters: { ...filters, human } };
  expect(reasonOf(judge(marked, chosen))).toBe(people);
  expect(reasonOf(judge(row, chosen))).toBe(others);
  // Rows from elsewhere are taken as they are.
  expect(reasonOf(judge({ ...row, trajectory: null }, chosen))).toBeUndefined();
});

test('a row that is too long is left out whole, and says how long it is', () => {
  expect(judge(runOf(['student', 'expert']), { ...options, maxTokens: 256 })).toMatchObject({
    reason: 'too_long',
    detail: expect.stringMatching(/^\d+ tokens \(estimated\), at most 256$/),
  });
});

test('rows teach the same when the prompt, the turns and the mask are the same, whatever commands printed', () => {
  const row = runOf(['student', 'expert', 'expert']);
  const { messages } = row.conversation;
  const content = trainedContent(row.conversation);
  const changed = (role: string, at: number) =>
    messages.map((message, i) => (message.role === role && i === at ? { ...message, content: 'another' } : message));
  const first = row.conversation.turns[0]!.message;
  expect(trainedContent({ ...row.conversation, messages: changed('user', first + 1) as never })).toBe(content);
  expect(trainedContent({ ...row.conversation, messages: changed('user', first - 1) as never })).not.toBe(content);
  expect(trainedContent({ ...row.conversation, messages: changed('assistant', first) as never })).not.toBe(content);
  const turns = row.conversation.turns.map((turn) => ({ ...turn, trained: true }));
  expect(trainedContent({ ...row.conversation, turns })).not.toBe(content);
});

describe('rows from elsewhere', () => {
  const source = { id: 'web/3', method: 'web', licence: 'CC0-1.0', where: 'extra.web: rows.jsonl:3' };
  const read = (record: unknown) => extraRow(record, source);
  const say = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more });
  const ask = { role: 'user', content: 'Why?' };

  test('what they do not say is that assistants are trained', () => {
    const row = read({
      messages: [
        ask,
        say('a'),
        ask,
        say('b', { train: false }),
        ask,
        say('c', { weight: 0 }),
        ask,
        say('d', { train: true }),
      ],
    });
    expect(row.conversation.turns.map(({ turn, trained }) => [turn, trained])).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, true],
    ]);
    expect(row.metadata).toMatchObject({
      method: 'web',
      licence: 'CC0-1.0',
      rollout_id: 'web/3',
      instance_id: '',
      train: ['expert'],
    });
    expect(judge(row, options)).toMatchObject({ id: 'web/3', extra: true, trained: [1, 4] });
  });

  test('tools and calls are read as lists or as text', () => {
    const tools = [{ type: 'function', function: { name: 'look', description: '', parameters: {} } }];
    const call = (args: unknown) =>
      say('', { tool_calls: [{ id: '1', type: 'function', function: { name: 'look', arguments: args } }] });
    const answer = { role: 'tool', tool_call_id: '1', content: 'a wall' };
    const whole = read({ messages: [ask, call({ at: 1 }), answer, say('A wall.')], tools });
    const text = read({ messages: [ask, call('{"at":1}'), answer, say('A wall.')], tools: JSON.stringify(tools) });
    expect(whole.conversation).toEqual(text.conversation);
    expect(whole.conversation.tools).toEqual(tools);
    const [, called, answered] = whole.conversation.messages;
    const id = called?.role === 'assistant' ? called.tool_calls?.[0]?.id : undefined;
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(answered).toMatchObject({ tool_call_id: id });
  });

  test.each([
    [{}, /expected a list "messages"/],
    [{ messages: [] }, /expected messages, found none/],
    [{ messages: [{ role: 'bot', content: '' }] }, /message 0 of system, user, assistant or tool, found "bot"/],
    [{ messages: [{ role: 'user', content: 3 }] }, /content of message 0 to be text/],
    [{ messages: [{ role: 'tool', content: '' }] }, /tool_call_id in message 0/],
    [
      { messages: [say('', { tool_calls: [{ id: '1', function: { name: 'x', arguments: '{' } }] })] },
      /arguments of message 0 to be JSON/,
    ],
    [{ messages: [ask], tools: '{' }, /"tools"/],
    [null, /expected an object/],
  ])('%j is refused by line and field', (record, message) => {
    expect(() => read(record)).toThrow(message);
    expect(() => read(record)).toThrow(/^extra.web: rows.jsonl:3/);
  });
});
