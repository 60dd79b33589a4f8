import { checkModel } from '../../src/cli/models/check';
import { checkedText } from '../../src/cli/terminal/model-check';
import { type ChatRequest, ModelProfile } from '../../src/contract';
import { createChatModel, type FreshAnswer, requestHash } from '../../src/model';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { type ToyTokens, toyTokens } from '../../src/model/rehearsal/toy-tokens';
import { readTokens } from '../../src/model/sampled';

const bash = { thought: 'I look at what is there, for a start.', tool: 'bash', args: { command: 'ls -la src' } };
const tools = [{ type: 'function' as const, function: { name: 'bash', description: 'd', parameters: {} } }];
const REQUEST: ChatRequest = { messages: [{ role: 'user', content: 'Mend it, please.' }], tools };

let names = 0;

/** Answers of one server to the same request, one after the other; a server that learns nothing gives the same each time. */
async function answers(
  model: Partial<ScriptInput['models'][string]>,
  profile: Record<string, unknown> = {},
  count = 2,
): Promise<{ answers: FreshAnswer[]; requests: number }> {
  const server = await startRehearsal({ script: { models: { m: { turns: [bash], ...model } } } });
  try {
    const full = ModelProfile.parse({ baseUrl: server.url, model: 'm', keepTokens: true, ...profile });
    const asked = createChatModel(full, { name: `p${names++}`, env: {} });
    const given: FreshAnswer[] = [];
    for (let i = 0; i < count; i++) given.push(await asked.complete(REQUEST, { requestId: `${i}` }));
    return { answers: given, requests: server.stats().answered };
  } finally {
    await server.close();
  }
}

const tokensLike = (like: ToyTokens['like'], more: Partial<ToyTokens> = {}) => ({ tokens: { like, ...more } });
/** What the server sampled for the nth answer. */
function sent(nth: number) {
  const call = { id: 'x', name: 'bash', arguments: JSON.stringify(bash.args) };
  const { prompt, answer, logprobs } = toyTokens(
    REQUEST.messages,
    [{ ...tools[0], function: { ...tools[0]!.function, parameters: { type: 'object', properties: {} } } }],
    { content: bash.thought, toolCalls: [call] },
    { nth },
  );
  return { prompt, answer, logprobs };
}

test.each([
  ['vllm', false],
  ['vllm', true],
  ['sglang', false],
  ['sglang-meta', false],
] as const)('%s, streamed: %s: ids and log-probabilities are those that were sent', async (like, stream) => {
  const { answers: given } = await answers(tokensLike(like), { stream });
  expect(given.map(({ tokens }) => tokens)).toEqual([sent(0), sent(1)]);
  expect(given.map(({ sampled }) => sampled)).toEqual([{}, {}]);
  expect(given.map(({ streamed = false }) => streamed)).toEqual([stream, stream]);
  expect(given[0]).not.toHaveProperty('tokenIds');
});

test.each(['sglang', 'sglang-meta'] as const)(
  '%s refuses tokens in a stream: it is asked without one',
  async (like) => {
    const { answers: given, requests } = await answers(tokensLike(like), { stream: true });
    expect(given.map(({ tokens }) => tokens)).toEqual([sent(0), sent(1)]);
    expect(given.map(({ streamed }) => streamed)).toEqual([undefined, undefined]);
    expect(requests).toBe(2);
  },
);

test('calls that are refused side by side lose nothing to one another', async () => {
  for (const [like, more] of [
    ['sglang', {}],
    ['sglang-meta', {}],
    ['strict', {}],
  ] as const) {
    const server = await startRehearsal({
      script: { models: { m: { turns: [bash], latencyMs: 20, tokens: { like, ...more } } } },
    });
    try {
      const profile = ModelProfile.parse({ baseUrl: server.url, model: 'm', keepTokens: true, stream: true });
      const asked = createChatModel(profile, { name: `p${names++}`, env: {} });
      const given = await Promise.all(
        Array.from({ length: 12 }, (_, i) => asked.complete(REQUEST, { requestId: `${i}` })),
      );
      expect(given.filter(({ tokens }) => tokens?.logprobs).length).toBe(like === 'strict' ? 0 : 12);
      const { tokens } = await asked.complete(REQUEST, { requestId: 'later' });
      expect(tokens?.answer).toEqual(like === 'strict' ? undefined : sent(0).answer);
    } finally {
      await server.close();
    }
  }
});

test('a server that was away is asked for tokens when it is back', async () => {
  const server = await startRehearsal({ script: { models: { m: { turns: [bash], tokens: { like: 'sglang' } } } } });
  try {
    const profile = ModelProfile.parse({ baseUrl: server.url, model: 'm', keepTokens: true, stream: true });
    const asked = createChatModel(profile, { name: `p${names++}`, env: {} });
    const ask = () => asked.complete(REQUEST, { requestId: 'r' });
    const away = async (faults: object[]) => {
      await fetch(`${server.url}/control`, { method: 'POST', body: JSON.stringify({ faults }) });
    };
    expect((await ask()).tokens).toBeDefined();
    await away([{ kind: 'reset' }]);
    for (let i = 0; i < 5; i++)
      await Promise.all([1, 2, 3].map(() => expect(ask()).rejects.toMatchObject({ retryable: true })));
    await away([]);
    expect((await ask()).tokens).toBeDefined();
  } finally {
    await server.close();
  }
});

test('what cuts answers in one piece leaves a stream, and then no tokens', async () => {
  const cut = { kind: 'reset' as const, when: 'not_streamed' as const };
  const server = await startRehearsal({
    script: { models: { m: { turns: [bash], tokens: { like: 'sglang' }, faults: [cut] } } },
  });
  try {
    const profile = ModelProfile.parse({ baseUrl: server.url, model: 'm', keepTokens: true, stream: true });
    const asked = createChatModel(profile, { name: `p${names++}`, env: {} });
    let answer: FreshAnswer | undefined;
    let attempts = 0;
    // As Temporal does.
    while (!answer && attempts++ < 20) {
      answer = await asked.complete(REQUEST, { requestId: 'r' }).catch(() => undefined);
    }
    expect(answer).toMatchObject({ streamed: true, reply: { content: bash.thought } });
    expect(answer!.sampled!.dropped![0]).toMatch(/^the server refuses return_token_ids/);
  } finally {
    await server.close();
  }
});

test('a server that answers in streams alone is asked for one again, and gives what it gives', async () => {
  const when = 'not_streamed' as const;
  const only = { kind: 'rejected' as const, when, message: 'must be set to true for non-streaming calls: stream' };
  const lossy = { ...tokensLike('vllm', { loses: [1] }), faults: [only] };
  const { answers: given } = await answers(lossy, { stream: true }, 3);
  expect(given.map(({ streamed }) => streamed)).toEqual([true, true, true]);
  expect(given.map(({ tokens }) => tokens?.answer)).toEqual([sent(0), sent(1), sent(2)].map(({ answer }) => answer));
});

test('llama.cpp: ids with the log-probabilities, where alternatives are asked for, and the prompt’s by its template', async () => {
  const { answers: without } = await answers(tokensLike('llama-cpp'), {}, 1);
  expect(without[0]!.tokens).toBeUndefined();
  const { answers: given } = await answers(tokensLike('llama-cpp'), { extraBody: { top_logprobs: 1 } }, 1);
  const { prompt, answer, logprobs } = sent(0);
  expect(given[0]!.tokens).toEqual({ prompt, answer: answer.slice(0, -1), logprobs: logprobs.slice(0, -1) });
  expect(given[0]!.sampled).toEqual({});
});

test('a server that refuses the fields is asked without them, once, and the answer says so', async () => {
  const { answers: given, requests } = await answers(tokensLike('strict'), {}, 3);
  expect(given.map(({ tokens }) => tokens)).toEqual([undefined, undefined, undefined]);
  for (const { sampled } of given) {
    expect(sampled?.dropped?.[0]).toBe(
      'the server refuses return_token_ids, return_prompt_token_ids, return_meta_info',
    );
  }
  expect(requests).toBe(3);
});

test.each([
  'Extra inputs are not permitted',
  'Unknown parameter in the request',
  'You are not allowed to request logprobs from this model',
])('"%s" is a refusal of the fields alone', async (message) => {
  const fault = { kind: 'rejected' as const, status: 400, message, probability: 1, perTurn: 1 };
  const { answers: given } = await answers({ faults: [fault] }, {}, 1);
  expect(given[0]!.reply.content).toBe(bash.thought);
  expect(given[0]!.sampled?.dropped?.[0]).toMatch(/^the server refuses/);
});

test('another refusal is one', async () => {
  const fault = { kind: 'rejected' as const, message: 'the temperature must be 1' };
  await expect(answers({ faults: [fault] }, {}, 1)).rejects.toMatchObject({ code: 'ModelRejected' });
});

test('lengths that do not fit are dropped, and said', async () => {
  const { answers: given } = await answers(tokensLike('sglang-meta', { loses: [1] }), {}, 1);
  // One entry for each token but the last: ids and log-probabilities are both too few.
  const { answer } = sent(0);
  expect(given[0]!.tokens).toBeUndefined();
  expect(given[0]!.sampled).toEqual({
    dropped: [`ids of the answer: ${answer.length - 1} of ${answer.length} tokens`],
  });

  const { answers: vllm } = await answers(tokensLike('vllm', { loses: [1] }), {}, 1);
  expect(vllm[0]!.tokens).toEqual({ prompt: sent(0).prompt, answer });
  expect(vllm[0]!.sampled).toEqual({ dropped: [`log-probabilities: ${answer.length - 1} of ${answer.length}`] });
});

describe('reading', () => {
  const counted = { promptTokens: 2, completionTokens: 3, cachedTokens: 0 };
  const logprobs = { content: [{ logprob: -1 }, { logprob: -2 }, { logprob: -3 }] };

  test('a prompt that is shorter than the server counted is not kept', () => {
    const { tokens, dropped } = readTokens({ prompt_token_ids: [1] }, { token_ids: [4, 5, 6], logprobs }, counted);
    expect(tokens).toEqual({ answer: [4, 5, 6], logprobs: [-1, -2, -3] });
    expect(dropped).toEqual(['ids of the prompt: 1 of 2 tokens']);
  });

  test('ids in the place of texts, ids in the message, experts', () => {
    const named = { content: [4, 5, 6].map((id) => ({ token: `token_id:${id}`, logprob: -id })) };
    expect(readTokens({ prompt_token_ids: [1, 2] }, { logprobs: named, routed_experts: 'AAE=' }, counted)).toEqual({
      tokens: { prompt: [1, 2], answer: [4, 5, 6], logprobs: [-4, -5, -6], routedExperts: 'AAE=' },
      dropped: [],
    });
    const message = { prompt_token_ids: [1, 2], generation_token_ids: [4, 5, 6], generation_log_probs: [-1, -2, -3] };
    expect(readTokens({}, { message }, counted).tokens).toEqual({
      prompt: [1, 2],
      answer: [4, 5, 6],
      logprobs: [-1, -2, -3],
    });
  });

  test.each([[null], ['x'], [{}], [[1, null, 3]], [[1, -1, 3]], [[1.5, 2, 3]], [[]]])('%j is no list of ids', (ids) => {
    expect(readTokens({ prompt_token_ids: ids }, { token_ids: ids, logprobs }, counted).tokens).toBeUndefined();
  });
});

test('what is asked for tokens is no part of the question', () => {
  const profile = ModelProfile.parse({ model: 'm' });
  expect(requestHash({ ...profile, keepTokens: true }, REQUEST)).toBe(requestHash(profile, REQUEST));
});

describe('models check', () => {
  const check = async (like: ToyTokens['like'], more: Record<string, unknown> = {}) => {
    const server = await startRehearsal({ script: { models: { m: { turns: [bash], tokens: { like } } } } });
    try {
      const profile = ModelProfile.parse({ baseUrl: server.url, model: 'm', keepTokens: true, ...more });
      return await checkModel(`check-${names++}`, profile, { env: {}, overflow: false });
    } finally {
      await server.close();
    }
  };

  test('says that all are given, in a stream too', async () => {
    for (const [like, stream] of [
      ['vllm', true],
      ['sglang', true],
      ['sglang-meta', false],
    ] as const) {
      const found = await check(like, { stream });
      expect(found).toMatchObject({ ok: true, tokens: 'all', changes: [] });
      expect(checkedText([found], 120)).toMatch(/TOKENS[\s\S]*yes/);
    }
  });

  test('says what is missing, and what brings more', async () => {
    const found = await check('llama-cpp');
    expect(found).toMatchObject({
      ok: true,
      tokens: 'all',
      changes: [{ setting: 'extraBody: { top_logprobs: 1 }', needed: false }],
    });
    const strict = await check('strict');
    expect(strict.tokens).toMatch(/^the server refuses return_token_ids/);
    expect(checkedText([strict], 120)).toContain('keepTokens: the server refuses');
    expect((await check('vllm', { keepTokens: false })).tokens).toBeNull();
  });
});
