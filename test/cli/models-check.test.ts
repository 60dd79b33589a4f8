import { byServer, checkModel } from '../../src/cli/models/check';
import { type Checked, checkedText } from '../../src/cli/terminal/model-check';
import { ModelProfile } from '../../src/contract';
import type { Fault } from '../../src/model/rehearsal/faults';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { startRehearsal } from '../../src/model/rehearsal/server';

const bash = { tool: 'bash', args: { command: 'echo ready' } };
type Model = Partial<ScriptInput['models'][string]>;
type Given = Omit<Partial<Fault>, 'kind'> & { kind: Fault['kind'] };

/** What a check of a profile finds at a server that plays `model`. */
async function checked(
  model: Model,
  profile: Partial<Record<keyof ModelProfile, unknown>> = {},
  { overflow = false } = {},
): Promise<Checked> {
  const server = await startRehearsal({ script: { models: { m: { turns: [bash], ...model } } } });
  try {
    const full = ModelProfile.parse({ baseUrl: server.url, model: 'm', timeoutSeconds: 20, ...profile });
    return await checkModel('p', full, { env: {}, overflow });
  } finally {
    await server.close();
  }
}
const refusing = (when: Given['when'], message: string): Given => ({ kind: 'rejected', when, message });

test('a sound server needs nothing changed, in every dialect', async () => {
  for (const dialect of ['tools', 'xml', 'backticks'] as const) {
    const found = await checked({ dialect }, { view: { dialect } });
    expect(found).toMatchObject({ ok: true, action: true, toolCall: dialect === 'tools', changes: [], error: null });
    expect(found.requests.map(({ what, ok }) => [what, ok])).toEqual([
      ['first turn', true],
      ['second turn', true],
      ['long answer', true],
    ]);
  }
});

const mended: [Given, string][] = [
  [refusing('not_streamed', 'must be set to false for non-streaming calls'), 'stream: true'],
  [refusing('null_content', 'Invalid value for content: expected a string, got null.'), 'emptyContent: text'],
  [
    refusing('empty_properties', 'parameters.properties should be non-empty for OBJECT type'),
    'emptyParameters: omitted',
  ],
];
test.each(mended)('%j: what mends it is tried, and said', async (fault, setting) => {
  const found = await checked({ faults: [fault] });
  expect(found).toMatchObject({ ok: false, error: null, changes: [{ setting, needed: true }] });
  expect(found.requests.every(({ ok }) => ok)).toBe(true);
  const text = checkedText([found], 100);
  expect(text).toContain(`p: change in its profile\n  ${setting}\n`);
  expect(text).toContain(fault.message);
});

test('several things may be wrong at once', async () => {
  const faults = mended.map(([fault]) => fault);
  const { ok, changes } = await checked({ faults });
  expect(ok).toBe(false);
  expect(changes.map(({ setting }) => setting).sort()).toEqual(mended.map(([, setting]) => setting).sort());
  const profile = { stream: true, emptyContent: 'text', emptyParameters: 'omitted' };
  expect(await checked({ faults }, profile)).toMatchObject({ ok: true, changes: [] });
});

test('a server that refuses what a stream ends with is spared it', async () => {
  const found = await checked(
    { faults: [refusing('stream_options', 'unknown field stream_options')] },
    { stream: true },
  );
  expect(found.changes).toMatchObject([
    { setting: 'extraBody: { stream_options: null }', needed: true },
    { needed: false },
  ]);
});

test('a refusal that no setting mends is quoted, and nothing is guessed', async () => {
  const found = await checked({ faults: [{ kind: 'rejected', message: 'upstream said no' }] });
  expect(found).toMatchObject({ ok: false, changes: [], error: expect.stringContaining('upstream said no') });
  expect(found.hint).not.toMatch(/temperature/);
  expect(checkedText([found], 100)).toMatch(/NO[\s\S]*p: first turn: .*upstream said no/);
});

test('ids of calls are what the strictest server takes', async () => {
  const ids = refusing('other_ids', 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.');
  expect(await checked({ faults: [ids] })).toMatchObject({ ok: true, changes: [] });
});

const answer = (message: object, finish_reason = 'stop'): Given => ({
  kind: 'answer',
  body: {
    choices: [{ message: { role: 'assistant', ...message }, finish_reason }],
    usage: { prompt_tokens: 9, completion_tokens: 9 },
  },
});
const call = { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"echo ready"}' } };
const advised: [string, Given, object, RegExp][] = [
  ['a call as text', answer({ content: '<tool_call>\n{"name": "bash"}\n</tool_call>' }), {}, /parser of tool calls/],
  ['no call', answer({ content: 'Sure! I can help.' }), {}, /dialect: xml/],
  ['no action in the text', answer({ content: 'Sure!' }), { view: { dialect: 'xml' } }, /another dialect/],
  ['several calls', answer({ content: null, tool_calls: [call, call] }), {}, /parallel_tool_calls/],
  [
    'a call taken out of the text',
    answer({ content: null, tool_calls: [call] }),
    { view: { dialect: 'xml' } },
    /without its parser/,
  ],
  ['reasoning', answer({ content: null, reasoning_content: 'Hm.', tool_calls: [call] }), {}, /enable_thinking/],
  ['reasoning in the text', answer({ content: '<think>Hm.</think>', tool_calls: [call] }), {}, /enable_thinking/],
  ['a cut answer', answer({ content: 'one two' }, 'length'), { maxOutputTokens: 50 }, /maxOutputTokens: more than 50/],
  ['a stream that nobody asked for', { kind: 'unaskedStream' }, {}, /stream: true/],
];
test.each(advised)('%s is found in the answer', async (_what, fault, profile, setting) => {
  const { changes, error } = await checked({ faults: [fault] }, profile);
  expect(error).toBeNull();
  expect(changes.map((change) => change.setting).join('\n')).toMatch(setting);
});

test('a gateway that cuts a silent connection leaves one that streams', async () => {
  const found = await checked({ faults: [{ kind: 'halfBody', when: 'not_streamed', turns: [2] }] });
  expect(found).toMatchObject({ ok: false, error: null, changes: [{ setting: 'stream: true', needed: true }] });
});

test('a connection that was reset once is nothing, one that always is fails the request', async () => {
  expect(await checked({ faults: [{ kind: 'reset', turns: [2], first: 1 }] })).toMatchObject({ ok: true, changes: [] });
  const found = await checked({ faults: [{ kind: 'reset', turns: [2] }] }, { stream: true });
  expect(found).toMatchObject({ ok: false, error: expect.stringContaining('cannot reach the model') });
});

describe('the context length', () => {
  test('is read from what an overflow says', async () => {
    const fault: Given = { kind: 'contextExceeded', variant: 'vllm' };
    const found = await checked({ faults: [{ ...fault, every: 4 }] }, {}, { overflow: true });
    expect(found.requests.at(-1)).toMatchObject({ what: 'overflow', ok: true });
    expect(found).toMatchObject({ contextFound: 32768, changes: [{ setting: 'contextTokens: 32768', needed: false }] });
  });
  test('is found where a server cuts prompts and says nothing', async () => {
    const found = await checked(
      { faults: [{ ...answer({ content: null, tool_calls: [call] }), every: 4 }] },
      {},
      { overflow: true },
    );
    expect(found.changes).toMatchObject([{ setting: 'contextTokens: 9', needed: true }]);
  });
  test('a refusal that is no overflow is what went wrong', async () => {
    const found = await checked({ faults: [{ kind: 'rejected', message: 'no', every: 4 }] }, {}, { overflow: true });
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining('no') });
  });
});

test('profiles of one server are checked one after the other', () => {
  const at = (name: string, baseUrl: string) => [name, ModelProfile.parse({ baseUrl, model: name })] as const;
  const groups = byServer([
    at('a', 'http://127.0.0.1:8000/v1'),
    at('b', 'https://api.example.com/v1'),
    at('c', 'http://127.0.0.1:8000/v1'),
  ]);
  expect(groups.map((group) => group.map(([name]) => name))).toEqual([['a', 'c'], ['b']]);
});
