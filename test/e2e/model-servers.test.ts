import type { RolloutResult } from '../../src/contract';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string, thought = '') => ({ thought, tool: 'bash', args: { command } });
const answer = (body: unknown, more: object = {}) => ({ kind: 'answer', body, ...more });
const halfCall = { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"rm -rf build"}' } };
const half = {
  choices: [
    {
      error: { code: 502, message: 'upstream' },
      finish_reason: 'error',
      message: { role: 'assistant', content: 'I will', tool_calls: [halfCall] },
    },
  ],
};
const refusing = (when: string, message: string) => ({ kind: 'rejected', when, message });
/** As picky as servers are, all at once. */
const PICKY = [
  refusing('bare_tools', "Invalid schema for function 'submit': object schema missing properties."),
  refusing('other_ids', 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.'),
  refusing('null_content', 'Invalid value for content: expected a string, got null.'),
  refusing('not_streamed', 'parameter.enable_thinking must be set to false for non-streaming calls'),
];

/** A server a model: what it does, and how a rollout on it ends. */
const SERVERS: Record<string, { faults: object[]; profile?: object; status: string; detail?: RegExp }> = {
  'wrapped-overflow': {
    faults: [answer({ error: { message: "This endpoint's maximum context length is 131072 tokens.", code: 400 } })],
    status: 'limit_context',
  },
  'unknown-overflow': {
    faults: [answer({ error: { message: 'We have no room for so many tokens' } }, { status: 400 })],
    profile: { contextTokens: 700 },
    status: 'limit_context',
    detail: /a guess/,
  },
  'wrapped-401': {
    faults: [answer({ error: { code: 401, message: 'No auth credentials found' } })],
    status: 'model_rejected',
    detail: /No auth credentials/,
  },
  'content-filter': {
    faults: [answer({ choices: [{ finish_reason: 'content_filter', message: { role: 'assistant', content: '' } }] })],
    status: 'model_rejected',
    detail: /content_filter/,
  },
  template: {
    faults: [{ kind: 'serverError', message: 'Conversation roles must alternate user/assistant/user/assistant/...' }],
    status: 'model_rejected',
    detail: /must alternate/,
  },
  'only-streams': { faults: [PICKY[3]!], status: 'model_rejected', detail: /set stream: true/ },
  'broken-off': { faults: [answer(half, { perTurn: 1 })], status: 'submitted' },
  'broken-stream': {
    faults: [{ kind: 'streamError', perTurn: 1, body: { error: { code: 502, message: 'upstream' } } }],
    profile: { stream: true },
    status: 'submitted',
  },
  'streams-unasked': { faults: [{ kind: 'unaskedStream' }], status: 'submitted' },
  picky: { faults: PICKY, profile: { stream: true, emptyContent: 'text' }, status: 'submitted' },
};
const turns = [bash('echo one >> kept'), bash('echo two >> kept')];
const models = Object.fromEntries(Object.entries(SERVERS).map(([name, { faults }]) => [name, { turns, faults }]));
const student = { dialect: 'xml', turns: [bash('ls', 'Look.')], end: 'repeat' };
const expert = { position: 'match', turns, faults: PICKY };

let world: World;
beforeAll(async () => {
  const profiles = Object.fromEntries(Object.entries(SERVERS).map(([name, { profile }]) => [name, profile ?? {}]));
  world = await World.start({
    script: { models: { ...models, student, expert } },
    profiles: {
      ...profiles,
      student: { view: { dialect: 'xml' } },
      expert: { stream: true, emptyContent: 'text' },
    },
  });
});
afterAll(async () => {
  await world?.close();
});

test.each(Object.entries(SERVERS))('%s', async (name, { status, detail }) => {
  const input = { problem: await tinyProblem(), student: name, handOver: { never: true }, grade: false };
  const handle = await world.begin('rollout', input, name);
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({ status, turns: { formatRetries: 0 } });
  if (detail) expect(result.detail).toMatch(detail);
  if (status !== 'submitted') return;
  expect((await world.blobs.get(result.patch!.sha256)).toString()).toContain('+one\n+two\n');
  const { steps } = await world.transcripts.chain(result.head);
  expect(JSON.stringify(steps)).not.toContain('rm -rf');
});

test('the history that an expert takes over is sent as its server wants it', async () => {
  const input = {
    problem: await tinyProblem(),
    student: 'student',
    expert: 'expert',
    handOver: { at: 2 },
    grade: false,
  };
  const handle = await world.begin('rollout', input, 'taken-over');
  expect((await handle.result()) as RolloutResult).toMatchObject({
    status: 'submitted',
    turns: { student: 2, expert: 3, formatRetries: 0 },
  });
});
