import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import type { ChatMessage } from '../../src/contract';
import { MalformedKind } from '../../src/model/rehearsal/malformed';
import { Policy } from '../../src/model/rehearsal/policy';
import { loadScript, parseScript, type ScriptInput } from '../../src/model/rehearsal/script';
import { type Rehearsal, startRehearsal } from '../../src/model/rehearsal/server';
import { ask, modelAt, TWO_TURNS } from './fixtures';

const USER: ChatMessage = { role: 'user', content: 'CONV-ID: case/7 fix it' };
const script = (model: ScriptInput['models'][string]): ScriptInput => ({ models: { student: model } });
const bash = (command: string, thought = '') => ({ thought, tool: 'bash', args: { command } });

function policyOf(model: ScriptInput['models'][string]): Policy {
  return new Policy(parseScript(script(model)).models.student!);
}

/** As the harness writes an accepted turn back into the history. */
function accepted(policy: Policy, history: ChatMessage[]): ChatMessage[] {
  const { content, toolCalls } = policy.reply(policy.next(history), 'call_x');
  const calls = toolCalls.map((call) => ({
    id: 'call_9',
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  const said: ChatMessage = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return [...history, said, { role: 'user', content: 'OBSERVATION:\nok' }];
}

/** As the harness shows a refused one: its words, or a remark, and the error. */
function refused(policy: Policy, history: ChatMessage[]): ChatMessage[] {
  const { content, toolCalls } = policy.reply(policy.next(history), 'call_x');
  const said = content?.trim() ? content.slice(0, 10_000) : toolCalls.length > 0 ? '(called bash)' : '(empty reply)';
  return [...history, { role: 'assistant', content: said }, { role: 'user', content: 'Your reply is malformed' }];
}

describe('position: turn', () => {
  test('the same request gets the same turn, and after the last one submit for ever', () => {
    const policy = policyOf({ turns: [bash('a'), bash('b')] });
    let history: ChatMessage[] = [USER];
    const seen: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      expect(policy.next(history)).toEqual(policy.next(history));
      seen.push(policy.next(history).turn);
      history = accepted(policy, history);
    }
    expect(seen).toEqual([
      bash('a'),
      bash('b'),
      { thought: '', tool: 'submit', args: {} },
      { thought: '', tool: 'submit', args: {} },
    ]);
  });

  const trouble = MalformedKind.options.map((kind) => ({ malformed: kind }));
  test.each(['tools', 'xml', 'backticks'] as const)(
    'slips in %s are shown once and mended, kept in the history or not',
    (dialect) => {
      for (const slip of trouble) {
        const policy = policyOf({
          dialect,
          turns: [slip, bash('a', 'One.'), slip, bash('b', 'Two.'), bash('c', 'Three.')],
        });
        for (const keeps of [false, true]) {
          let history: ChatMessage[] = [USER];
          const played: unknown[] = [];
          for (let i = 0; i < 3; i++) {
            let shown = history;
            if (i < 2) {
              expect(policy.next(shown).turn).toEqual(slip);
              shown = refused(policy, shown);
            }
            played.push(policy.next(shown).turn);
            history = [...(keeps ? shown : history), ...accepted(policy, shown).slice(-2)];
          }
          expect(played).toEqual([bash('a', 'One.'), bash('b', 'Two.'), bash('c', 'Three.')]);
        }
      }
    },
  );

  test('several slips in a row, of which only the last is shown', () => {
    const slips = [
      { malformed: 'cut' },
      { malformed: 'prose' },
      { malformed: 'empty' },
      { malformed: 'not_json' },
    ] as const;
    const policy = policyOf({ turns: [bash('a'), ...slips, bash('b')] });
    const base = accepted(policy, [USER]);
    let shown = base;
    for (const slip of slips) {
      expect(policy.next(shown).turn).toEqual(slip);
      shown = [...base, ...refused(policy, shown).slice(-2)];
    }
    expect(policy.next(shown).turn).toEqual(bash('b'));
  });

  test('scenes, raw text, ends and generated turns', () => {
    const policy = policyOf({
      turns: [{ raw: 'plain' }],
      end: 'repeat',
      scenes: [{ when: 'case/7', generate: { steps: 2, command: 'run {k}', observationKiB: 1 }, end: { raw: 'bye' } }],
    });
    expect(policy.reply(policy.next([{ role: 'user', content: 'other' }]), 'c')).toEqual({
      content: 'plain',
      toolCalls: [],
    });
    const first = policy.next([USER]).turn;
    expect(first).toMatchObject({ tool: 'bash', args: { command: expect.stringMatching(/^run 1 && head -c 1016 /) } });
    const end = accepted(policy, accepted(policy, [USER]));
    expect(policy.next(end).turn).toEqual({ raw: 'bye', slip: false });
  });
});

describe('position: match', () => {
  test.each(['tools', 'xml', 'backticks'] as const)(
    'in %s: starts at its own first turn after a student, survives repeats',
    (dialect) => {
      const student = policyOf({ dialect, turns: [bash('ls', 'hm'), bash('cat a', 'hm'), bash('ls', 'hm')] });
      let history: ChatMessage[] = [USER];
      for (let i = 0; i < 3; i++) history = accepted(student, history);
      const edit = {
        thought: 'Fix.',
        tool: 'str_replace_editor',
        args: { command: 'str_replace', path: '/a.py', new_str: "it's\nnew", old_str: 'x' },
      };
      const expert = policyOf({
        dialect,
        position: 'match',
        turns: [bash('ls', 'Mine.'), edit, bash('pytest', 'Check.')],
      });
      expect(expert.next(history).position).toBe(0);
      history = accepted(expert, history);
      expect(expert.next(history).position).toBe(1);
      const twice = [...history, ...history.slice(-2)];
      expect(expert.next(twice).position).toBe(1);
      history = accepted(expert, twice);
      expect(expert.next(history).turn).toEqual(bash('pytest', 'Check.'));
      history = accepted(expert, history);
      expect(expert.next(history).turn).toMatchObject({ tool: 'submit' });
    },
  );

  test('white space, key order and lost words of a re-rendered history do not matter', () => {
    const turn = {
      thought: 'Fix.',
      tool: 'str_replace_editor',
      args: { command: 'view', path: '/a', view_range: [1, 5] },
    };
    const expert = policyOf({ position: 'match', turns: [turn, bash('x')] });
    const call = { name: 'str_replace_editor', arguments: '{"path": "/a", "view_range": [1,5], "command": "view"}' };
    for (const content of ['Fix. \n', null]) {
      const said: ChatMessage = {
        role: 'assistant',
        content,
        tool_calls: [{ id: 'i', type: 'function', function: call }],
      };
      expect(expert.next([USER, said]).position).toBe(1);
    }
  });

  test('slips', () => {
    const expert = policyOf({
      position: 'match',
      turns: [bash('a', 'A'), { malformed: 'cut' }, { malformed: 'empty' }, bash('b', 'B')],
    });
    const base = accepted(expert, [USER]);
    expect(expert.next(base).turn).toEqual({ malformed: 'cut' });
    const once = refused(expert, base);
    expect(expert.next(once).turn).toEqual({ malformed: 'empty' });
    const again = [...base, ...refused(expert, once).slice(-2)];
    expect(expert.next(again).turn).toEqual(bash('b', 'B'));
    const mended = [...base, ...accepted(expert, again).slice(-2)];
    expect(expert.next(mended).position).toBe(4);
  });
});

describe('script files', () => {
  const file = (text: string) => {
    const at = path.join(mkdtempSync(path.join(tmpdir(), 'script-')), 'script.yaml');
    writeFileSync(at, text);
    return at;
  };
  test.each([
    ['models: {s: {turnz: []}}', /models\.s\.turnz: unknown field, did you mean "turns"\?/],
    ['models: {s: {dialect: yaml}}', /models\.s\.dialect.*found "yaml"/],
    ['models: {s: {turns: [{thougt: x, tool: bash}]}}', /did you mean "thought"\?/],
    ['models: {s: {turns: [{malformed: broken}]}}', /models\.s\.turns\.0\.malformed/],
    ['models: {s: {faults: [{kind: hang, evry: 2}]}}', /did you mean "every"\?/],
    ['models: [', /not YAML/],
    ['', /models|expected object/i],
  ])('%s', (text, message) => {
    const act = () => loadScript(file(text));
    expect(act).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
    expect(act).toThrow(message);
  });
  test('a missing file, and a sound one', async () => {
    expect(() => loadScript('/nowhere/x.yaml')).toThrow(/cannot be read \(ENOENT\)/);
    const at = file(
      'models:\n  student:\n    turns:\n      - thought: Hi.\n        tool: bash\n        args: {command: ls}\n',
    );
    const server = await startRehearsal({ script: at });
    expect((await modelAt(server.url).complete(ask(), { requestId: 'r' })).reply.toolCalls[0]?.arguments).toBe(
      '{"command":"ls"}',
    );
    await server.close();
  });
});

describe('the server', () => {
  let server: Rehearsal;
  let log: string;
  beforeEach(async () => {
    log = path.join(mkdtempSync(path.join(tmpdir(), 'rehearsal-')), 'log.jsonl');
    server = await startRehearsal({
      script: { models: { student: { ...TWO_TURNS.models.student!, contextTokens: 1000 } } },
      log,
    });
  });
  afterEach(() => server.close());
  const control = (body: unknown) =>
    fetch(server.url.replace('/v1', '/control'), { method: 'POST', body: JSON.stringify(body) });

  test('says what it is, lists its models, refuses what it has not', async () => {
    const body = JSON.stringify({ model: 'student', messages: [USER] });
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body });
    expect(response.headers.get('x-pointsman-rehearsal')).toBe('1');
    expect(await response.json()).toMatchObject({
      system_fingerprint: 'pointsman-rehearsal',
      model: 'rehearsal/student',
    });
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({ data: [{ id: 'student' }] });
    const other = modelAt(server.url, { model: 'studnet' });
    await expect(other.complete(ask(), { requestId: 'r' })).rejects.toMatchObject({
      code: 'ModelRejected',
      message: expect.stringContaining('script has: student'),
    });
    const long = modelAt(server.url).complete(ask('x'.repeat(10_000)), { requestId: 'r' });
    await expect(long).rejects.toMatchObject({ code: 'ContextWindowExceeded' });
    for (const bad of ['{', '[]', '{"model":"student"}', '{"model":"student","messages":[null]}']) {
      const status = (await fetch(`${server.url}/chat/completions`, { method: 'POST', body: bad })).status;
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  test('faults are set while it runs, for every n-th, first n, each turn once', async () => {
    const model = modelAt(server.url);
    const outcomes = async (n: number) => {
      const all: string[] = [];
      for (let i = 0; i < n; i++) {
        all.push(
          await model.complete(ask(), { requestId: `r${i}` }).then(
            () => 'ok',
            (error: { code: string }) => error.code,
          ),
        );
      }
      return all;
    };
    await control({ faults: [{ kind: 'serverError', every: 2 }] });
    expect(await outcomes(4)).toEqual(['ok', 'ModelServerError', 'ok', 'ModelServerError']);
    await control({
      model: 'student',
      faults: [
        { kind: 'reset', first: 1 },
        { kind: 'rateLimit', perTurn: 2 },
      ],
    });
    expect(await outcomes(4)).toEqual(['ModelUnreachable', 'RateLimited', 'RateLimited', 'ok']);
    await control({ faults: [{ kind: 'serverError', probability: 0.5, seed: 7 }] });
    const drawn = await outcomes(20);
    await control({ faults: [{ kind: 'serverError', probability: 0.5, seed: 7 }] });
    expect(await outcomes(20)).toEqual(drawn);
    expect(new Set(drawn).size).toBe(2);
    await control({ faults: [{ kind: 'serverError', forMs: 1 }] });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await outcomes(1)).toEqual(['ok']);
    const bad = await control({ faults: [{ kind: 'serverErorr' }] });
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining('faults.0.kind')]);
  });

  test('logs and counts by conversation and turn', async () => {
    const model = modelAt(server.url);
    const first = await model.complete({ messages: [USER] }, { requestId: 'r' });
    await control({ faults: [{ kind: 'serverError', first: 1 }] });
    const said: ChatMessage = { role: 'assistant', content: first.reply.content };
    for (let i = 0; i < 2; i++)
      await model.complete({ messages: [USER, said] }, { requestId: 'r' }).catch(() => undefined);
    expect(server.stats()).toMatchObject({
      requests: 3,
      answered: 2,
      faults: { serverError: 1 },
      conversations: { 'case/7': { requests: 3, answers: { 1: 1, 2: 1 } } },
    });
    await server.close();
    const lines = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ k, fault }) => [k, fault])).toEqual([
      [1, null],
      [2, 'serverError'],
      [2, null],
    ]);
    expect(lines[0]).toMatchObject({
      conversation: 'case/7',
      bytes: expect.any(Number),
      tIn: first.usage.promptTokens,
      tOut: first.usage.completionTokens,
    });
  });

  test('embeddings through the client: unit length, close for shared words, the same every time', async () => {
    const client = new OpenAI({ apiKey: 'x', baseURL: server.url });
    const { data } = await client.embeddings.create({
      model: 'e',
      input: ['fix the parser bug', 'parser bug fix', 'bake a cake', ''],
      dimensions: 512,
    });
    const [a, b, c, d] = data.map((row) => row.embedding) as [number[], number[], number[], number[]];
    const dot = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
    for (const vector of [a, b, c, d]) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(a).toHaveLength(512);
    expect(dot(a, b)).toBeGreaterThan(0.7);
    expect(dot(a, c)).toBeLessThan(0.4);
  });

  test('a thousand requests at once share a few connections', async () => {
    const model = modelAt(server.url);
    await Promise.all(
      Array.from({ length: 1000 }, (_, n) => model.complete(ask(`CONV-ID: c${n}`), { requestId: `r${n}` })),
    );
    expect(server.stats().requests).toBe(1000);
    expect(server.stats().connections).toBeLessThanOrEqual(32);
  });
});
