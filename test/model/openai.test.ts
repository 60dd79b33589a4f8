import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { bodyOf, createChatModel, type ModelError, requestHash } from '../../src/model';
import { BrokenMessage, type Fault } from '../../src/model/rehearsal/faults';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { ask, CANARY, faulty, modelAt, profileFor, rejection, TWO_TURNS } from './fixtures';

async function under(fault: Partial<Fault> & { kind: Fault['kind'] }, more = {}) {
  const server = await faulty(fault);
  try {
    return (await rejection(modelAt(server.url, more).complete(ask(), { requestId: 'r1' }))) as ModelError;
  } finally {
    await server.close();
  }
}

test('an answer carries reply, usage, cost, ids and latency', async () => {
  const server = await startRehearsal({ script: TWO_TURNS });
  const model = modelAt(server.url, { price: { input: 1, cachedInput: 0.1, output: 10 } });
  const answer = await model.complete(ask(), { requestId: 'r1' });
  expect(answer.reply.content).toBe('Look.');
  expect(answer.reply.toolCalls).toEqual([
    { id: expect.stringMatching(/^call_/), name: 'bash', arguments: '{"command":"ls"}' },
  ]);
  expect(answer.reply.finishReason).toBe('tool_calls');
  expect(answer.usage.costUsd).toBeCloseTo((answer.usage.promptTokens + 10 * answer.usage.completionTokens) / 1e6, 12);
  expect(answer).toMatchObject({
    priced: true,
    model: 'rehearsal/student',
    responseId: expect.stringMatching(/^rehearsal-/),
  });
  await server.close();
});

test('connections are reused between calls and profiles of one process', async () => {
  const server = await startRehearsal({ script: TWO_TURNS });
  for (let i = 0; i < 20; i++) await modelAt(server.url).complete(ask(), { requestId: `r${i}` });
  expect(server.stats()).toMatchObject({ requests: 20, connections: 1 });
  await server.close();
});

describe('every fault becomes a typed error', () => {
  const cases: [Partial<Fault> & { kind: Fault['kind'] }, string, boolean][] = [
    [{ kind: 'rateLimit' }, 'RateLimited', true],
    [{ kind: 'serverError' }, 'ModelServerError', true],
    [{ kind: 'serverError', status: 529 }, 'ModelServerError', true],
    [{ kind: 'rejected', status: 408 }, 'ModelServerError', true],
    [{ kind: 'rejected', status: 409 }, 'ModelServerError', true],
    ...[400, 401, 402, 403, 404, 413, 422].map((status): [{ kind: 'rejected'; status: number }, string, boolean] => [
      { kind: 'rejected', status },
      'ModelRejected',
      false,
    ]),
    [{ kind: 'contextExceeded' }, 'ContextWindowExceeded', false],
    [{ kind: 'contextExceeded', variant: 'vllm' }, 'ContextWindowExceeded', false],
    [{ kind: 'contextExceeded', variant: 'anthropic' }, 'ContextWindowExceeded', false],
    [{ kind: 'reset' }, 'ModelUnreachable', true],
    [{ kind: 'halfBody' }, 'ModelMalformed', true],
    [{ kind: 'malformedJson' }, 'ModelMalformed', true],
    [{ kind: 'htmlPage' }, 'ModelMalformed', true],
    [{ kind: 'htmlPage', status: 502 }, 'ModelServerError', true],
  ];
  test.each(cases)('%j', async (fault, code, retryable) => {
    const error = await under(fault);
    expect(error).toMatchObject({ name: 'PointsmanError', code, retryable });
    expect(error.message).toContain('profile "student"');
    expect(error.message).not.toMatch(/<html|<body/);
  });

  test.each(['hang', 'stall'] as const)('%s ends as ModelTimeout, body included', async (kind) => {
    const error = await under({ kind }, { timeoutSeconds: 0.3 });
    expect(error).toMatchObject({ code: 'ModelTimeout', retryable: true });
  });

  test('nobody listens', async () => {
    const error = await rejection(modelAt('http://127.0.0.1:1/v1').complete(ask(), { requestId: 'r' }));
    expect(error).toMatchObject({ code: 'ModelUnreachable', hint: expect.stringContaining('baseUrl') });
  });

  test('something that does not speak HTTP answers', async () => {
    const server = net.createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    const error = await rejection(modelAt(`http://127.0.0.1:${port}/v1`).complete(ask(), { requestId: 'r' }));
    expect(error).toMatchObject({ code: 'ModelMalformed', retryable: true });
    server.close();
  });
});

describe('a wait that the server asks for', () => {
  const inTenSeconds: [Fault['retryAfter'], number, number][] = [
    [{ seconds: 7 }, 7000, 7000],
    [{ seconds: 0.5 }, 500, 500],
    [{ ms: 1234 }, 1234, 1234],
    [{ dateInSeconds: 10 }, 8000, 10_000],
    [{ seconds: 86_400 }, 900_000, 900_000],
  ];
  test.each(inTenSeconds)('%j', async (retryAfter, least, most) => {
    const error = await under({ kind: 'rateLimit', retryAfter });
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterMs).toBeLessThanOrEqual(most);
  });
  test.each([undefined, { seconds: 0 }, { dateInSeconds: -60 }])('%j is no wait', async (retryAfter) => {
    expect((await under({ kind: 'rateLimit', ...(retryAfter ? { retryAfter } : {}) })).retryAfterMs).toBeUndefined();
  });
  test('an account without credit waits minutes', async () => {
    expect((await under({ kind: 'rateLimit', code: 'insufficient_quota' })).retryAfterMs).toBe(300_000);
  });
});

describe('answers that break the protocol', () => {
  const unusable: BrokenMessage[] = ['null_message', 'no_choices', 'string_choice'];
  test.each(BrokenMessage.options)('%s', async (variant) => {
    const server = await faulty({ kind: 'malformedToolCalls', variant });
    const outcome = await modelAt(server.url)
      .complete(ask(), { requestId: 'r1' })
      .catch((error: Error) => error);
    await server.close();
    if (unusable.includes(variant)) expect(outcome).toMatchObject({ code: 'ModelMalformed', retryable: true });
    else expect(outcome).not.toBeInstanceOf(Error);
    if (variant === 'object_arguments')
      expect(outcome).toMatchObject({ reply: { toolCalls: [{ arguments: '{"command":"ls"}' }] } });
    if (variant === 'missing_function')
      expect(outcome).toMatchObject({
        reply: { toolCalls: [{ id: expect.stringMatching(/^[a-z0-9]{9}$/), name: '' }] },
      });
    if (variant === 'content_parts') expect(outcome).toMatchObject({ reply: { content: 'in parts' } });
    if (variant === 'lone_surrogate') expect(outcome).toMatchObject({ reply: { content: 'half a pair: \uFFFD!' } });
    if (variant === 'missing_usage')
      expect(outcome).toMatchObject({ estimated: true, usage: { completionTokens: expect.any(Number) } });
  });
  test('an empty reply is a reply: the dialect says what is wrong with it', async () => {
    const server = await faulty({ kind: 'emptyReply' });
    const answer = await modelAt(server.url).complete(ask(), { requestId: 'r1' });
    expect(answer.reply).toEqual({ content: '', toolCalls: [], finishReason: 'stop' });
    await server.close();
  });
});

describe('aborting', () => {
  test('closes the socket and rejects with the reason of the signal', async () => {
    const server = await faulty({ kind: 'hang' });
    const abort = new AbortController();
    const reason = new Error('cancelled by Temporal');
    const call = rejection(modelAt(server.url).complete(ask(), { requestId: 'r1', signal: abort.signal }));
    while (server.stats().inFlight === 0) await delay(5);
    abort.abort(reason);
    expect(await call).toBe(reason);
    await delay(50);
    expect(server.stats()).toMatchObject({ inFlight: 0, abandoned: 1, requests: 1 });
    await server.close();
  });
  test('in the queue of a full profile leaves the queue', async () => {
    const server = await faulty({ kind: 'slow', latencyMs: 200 });
    const model = modelAt(server.url, { concurrency: 2 });
    const abort = new AbortController();
    const calls = [1, 2, 3, 4].map((n) => model.complete(ask(), { requestId: `r${n}` }));
    const queued = rejection(model.complete(ask(), { requestId: 'r5', signal: abort.signal }));
    abort.abort();
    expect((await queued).name).toBe('AbortError');
    await Promise.all(calls);
    expect(server.stats()).toMatchObject({ requests: 4, maxInFlight: 2 });
    await server.close();
  });
});

describe('secrets', () => {
  test('an echoed key is in no error', async () => {
    const messages = [
      'Incorrect API key provided: {authorization}',
      `key ${'x'.repeat(2030)}{authorization}`,
      'sk-proj-abcdefgh12345678',
    ];
    for (const message of messages) {
      for (const status of [401, 429, 500]) {
        const error = await under({ kind: 'rejected', status, message });
        const everything = `${error.message} ${error.hint} ${error.stack} ${JSON.stringify(error)}`;
        expect(everything).not.toContain(CANARY);
        expect(everything).not.toContain('sk-proj-abc');
        expect(everything).not.toContain(CANARY.slice(0, 8));
        expect(Buffer.byteLength(error.message)).toBeLessThan(2200);
      }
    }
  });
  test('a missing variable is named', () => {
    expect(() => createChatModel(profileFor('http://x/v1'), { name: 'student', env: {} })).toThrow(
      /CANARY_KEY is not set/,
    );
  });
  test('a local server needs no key, a rehearsal needs an address', async () => {
    const server = await startRehearsal({ script: TWO_TURNS });
    const local = modelAt(server.url, { apiKeyEnv: undefined });
    expect((await local.complete(ask(), { requestId: 'r' })).reply.content).toBe('Look.');
    const profile = profileFor('http://x/v1', { provider: 'rehearsal', apiKeyEnv: undefined, baseUrl: undefined });
    expect(() => createChatModel(profile, { name: 's', env: {} })).toThrow(/POINTSMAN_REHEARSAL_URL/);
    const found = createChatModel(profile, { name: 's', env: { POINTSMAN_REHEARSAL_URL: server.url } });
    expect((await found.complete(ask(), { requestId: 'r' })).model).toBe('rehearsal/student');
    await server.close();
  });
});

describe('the request body', () => {
  test('names the output limit as the server knows it, and extraBody wins', () => {
    expect(bodyOf(profileFor('http://localhost/v1'), ask())).toMatchObject({ max_tokens: 8192 });
    expect(bodyOf(profileFor('https://api.openai.com/v1'), ask())).toMatchObject({ max_completion_tokens: 8192 });
    const own = bodyOf(profileFor('http://localhost/v1', { extraBody: { max_completion_tokens: 5, top_k: 1 } }), ask());
    expect(own).toEqual({ model: 'student', messages: ask().messages, max_completion_tokens: 5, top_k: 1 });
    const none = bodyOf(
      profileFor('http://localhost/v1', { temperature: 1, extraBody: { max_tokens: null, temperature: null } }),
      ask(),
    );
    expect(none).toEqual({ model: 'student', messages: ask().messages });
    expect(() => bodyOf(profileFor('http://localhost/v1', { extraBody: { stream: true } }), ask())).toThrow(
      /extraBody.stream/,
    );
  });
  test('its hash sees every word and no key order', () => {
    const profile = profileFor('http://localhost/v1', { extraBody: { a: { b: 1, c: 2 } } });
    const same = profileFor('https://api.openai.com/v1', { extraBody: { a: { c: 2, b: 1 } } });
    expect(requestHash(profile, ask())).toBe(requestHash(same, ask()));
    expect(requestHash(profile, ask())).not.toBe(requestHash(profile, ask('other')));
    expect(requestHash(profile, ask())).not.toBe(requestHash({ ...profile, temperature: 0.5 }, ask()));
  });
});
