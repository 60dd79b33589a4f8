import { type AddressInfo, createServer } from 'node:net';
import { ModelProfile } from '../../src/contract';
import { scoreIds } from '../../src/model';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { toyScores } from '../../src/model/rehearsal/toy-tokens';

const given = { ids: [11, 1_000_007, 1_000_008, 1, 12], from: 2 };
let names = 0;

async function scored(model: Partial<ScriptInput['models'][string]>, more: Record<string, unknown> = {}) {
  const server = await startRehearsal({ script: { models: { m: { turns: [], ...model } } } });
  try {
    const profile = ModelProfile.parse({ baseUrl: server.url, model: 'm', ...more });
    return await scoreIds(profile, { name: `p${names++}`, env: {} }, given, { requestId: 'r' });
  } finally {
    await server.close();
  }
}

test.each(['vllm', 'sglang', 'sglang-meta'] as const)(
  '%s says how likely given ids are, from where it is asked',
  async (like) => {
    const said = toyScores('m', given.ids, given.from);
    const price = { input: 1_000_000, output: 1_000_000 };
    expect(await scored({ tokens: { like } }, { price, extraBody: { max_tokens: 77, top_k: 3 } })).toEqual({
      logprobs: said.map(({ logprob }) => logprob),
      texts: said.map(({ text }) => text),
      model: like === 'vllm' ? 'rehearsal/m' : 'm',
      tokens: 5,
      costUsd: 6,
    });
  },
);

test.each(['llama-cpp', 'strict'] as const)('%s does not, which is said', async (like) => {
  await expect(scored({ tokens: { like } })).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('does not say how likely given tokens are'),
  });
});

const body = (position: unknown) => ({ choices: [{ prompt_logprobs: [null, null, position, position, position] }] });
test.each([
  ['ids that were not given', body({ '999': { logprob: -1 } }), 'ModelMalformed'],
  ['no number', body({ '1000008': { logprob: null } }), 'ModelMalformed'],
  ['one place too few', { choices: [{ prompt_logprobs: [null, null] }] }, 'ModelMalformed'],
])('scores of %s are no scores', async (_, answer, code) => {
  const faults = [{ kind: 'answer' as const, body: answer }];
  await expect(scored({ tokens: { like: 'vllm' }, faults })).rejects.toMatchObject({ code });
});

test.each([
  [{ kind: 'rejected', message: 'Token id 1000007 is out of vocabulary' }, 'ModelRejected', 'out of vocabulary'],
  [{ kind: 'contextExceeded', variant: 'vllm' }, 'ContextWindowExceeded', ''],
  [{ kind: 'serverError' }, 'ModelServerError', ''],
  [{ kind: 'rateLimit', retryAfter: { seconds: 3 } }, 'RateLimited', ''],
] as const)('a failure is told as it is: %o', async (fault, code, message) => {
  await expect(scored({ tokens: { like: 'vllm' }, faults: [fault] })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test('a server that is away is no server that does not score', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => holder.once('listening', listening));
  const { port } = holder.address() as AddressInfo;
  await new Promise((closed) => holder.close(closed));
  const profile = ModelProfile.parse({ baseUrl: `http://127.0.0.1:${port}/v1`, model: 'm' });
  const asked = scoreIds(profile, { name: 'gone', env: {} }, given, { requestId: 'r' });
  await expect(asked).rejects.toMatchObject({ code: 'ModelUnreachable' });
});
