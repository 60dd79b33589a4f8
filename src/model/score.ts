import { APIError } from 'openai';
import { isPointsmanError, type ModelProfile, PointsmanError } from '../contract';
import { classify, malformed } from './errors';
import { type CallOptions, type LineOwner, lineFor } from './openai';
import { costOf } from './price';

/** A sequence of ids, of which those from `from` on are scored; at least one stands before them. */
export interface GivenIds {
  readonly ids: readonly number[];
  readonly from: number;
}

/** What a model says of ids that it is given, from `from` on. */
export interface Scored {
  /** How likely each was behind all before it. */
  readonly logprobs: readonly number[];
  /** What each is in the server's vocabulary. */
  readonly texts: readonly string[];
  /** The model that the server says it ran. */
  readonly model: string;
  readonly tokens: number;
  readonly costUsd: number;
}

type Json = Readonly<Record<string, unknown>>;

/** One id as a server reports it. */
interface Entry {
  readonly id: number;
  readonly logprob: unknown;
  readonly text: unknown;
}

/** How servers score what they are given: their address, what is sent there, and where the answer stands. */
interface Way {
  readonly url: (baseUrl: string) => string;
  readonly body: (profile: ModelProfile, given: GivenIds) => Json;
  /** Undefined where the answer has no scores: this server scores in another way, or not at all. */
  readonly read: (answer: Json, given: GivenIds) => readonly Entry[] | undefined;
}

/** vLLM: `prompt_logprobs` of a completion, by id; 0 asks for the ids that stand there and no others. One token must be made. */
const COMPLETIONS: Way = {
  url: (baseUrl) => `${baseUrl}/completions`,
  body: ({ model, extraBody }, { ids }) => ({ ...extraBody, model, prompt: ids, max_tokens: 1, prompt_logprobs: 0 }),
  read: (answer, { ids, from }) => {
    const given = objectOf(listOf(answer.choices)[0]).prompt_logprobs ?? answer.prompt_logprobs;
    if (!Array.isArray(given)) return undefined;
    return given.slice(from).map((position, i) => {
      const id = ids[from + i]!;
      const { logprob, decoded_token: text } = objectOf(objectOf(position)[String(id)]);
      return { id, logprob, text };
    });
  },
};

/** SGLang: [log-probability, id, text] for each id from `logprob_start_len` on, the first of which has none. */
const GENERATE: Way = {
  url: (baseUrl) => `${baseUrl.replace(/\/v1$/, '')}/generate`,
  body: (_, { ids, from }) => ({
    input_ids: ids,
    sampling_params: { max_new_tokens: 0, temperature: 0 },
    return_logprob: true,
    logprob_start_len: from - 1,
    return_text_in_logprobs: true,
  }),
  read: (answer, { from, ids }) => {
    const given = objectOf(answer.meta_info).input_token_logprobs;
    if (!Array.isArray(given)) return undefined;
    return given.slice(-(ids.length - from)).map((entry) => {
      const [logprob, id, text] = listOf(entry);
      return { id: Number(id), logprob, text };
    });
  },
};

/** By server and model, which way it answered. */
const known = new Map<string, Way>();

/** Tokens that a sequence is counted as: itself, and the one that vLLM makes. */
export function estimateScore({ ids }: GivenIds, { price }: ModelProfile): { costUsd: number } {
  return costOf({ promptTokens: ids.length, cachedTokens: 0, completionTokens: 1 }, price);
}

/**
 * How likely a profile's model takes given ids to be. Rejects with a `ModelError` (see `classify`), with the signal's own reason
 * when that aborts, and with `InvalidInput` where the server has no way to score what it is given. Nothing is retried here.
 */
export async function scoreIds(
  profile: ModelProfile,
  at: LineOwner,
  given: GivenIds,
  { signal, requestId }: CallOptions,
): Promise<Scored> {
  const { client, enter, context } = lineFor(profile, at);
  const server = JSON.stringify([client.baseURL, profile.model]);
  const way = known.get(server);
  let refusal: Error | undefined;
  const leave = await enter(signal);
  try {
    for (const each of way ? [way] : [COMPLETIONS, GENERATE]) {
      const answer = await client
        .post<Json>(each.url(client.baseURL.replace(/(?<!\/)\/+$/, '')), {
          body: each.body(profile, given),
          headers: { 'X-Client-Request-Id': requestId, 'Idempotency-Key': requestId },
          signal,
        })
        .catch((error: unknown) => {
          const failure = classify(error, context);
          if (way || !isPointsmanError(failure) || failure.code !== 'ModelRejected') throw error;
          if (each === COMPLETIONS && !isNoSuchPath(error)) refusal = failure;
          return undefined;
        });
      const entries = answer && each.read(objectOf(answer), given);
      if (!entries) continue;
      const { ids, from } = given;
      const whole = entries.length === ids.length - from;
      if (!whole || !entries.every(({ id, logprob }, i) => id === ids[from + i] && Number.isFinite(logprob)))
        throw malformed(context, `scores of ${entries.length} ids that are not the ${ids.length - from} given`);
      known.set(server, each);
      const { model } = objectOf(answer);
      return {
        logprobs: entries.map(({ logprob }) => Number(logprob)),
        texts: entries.map(({ text }) => (typeof text === 'string' ? text : '')),
        model: typeof model === 'string' ? model : profile.model,
        tokens: ids.length,
        costUsd: estimateScore(given, profile).costUsd,
      };
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw classify(error, context);
  } finally {
    leave();
  }
  if (refusal) throw refusal;
  throw new PointsmanError(
    'InvalidInput',
    `profile "${at.name}": its server does not say how likely given tokens are`,
    'Name one behind vLLM (`prompt_logprobs` of /v1/completions) or SGLang (/generate); llama.cpp and most others score only what they sample.',
  );
}

/** An address that the server does not have; of a model that it does not have the message tells. */
function isNoSuchPath(error: unknown): boolean {
  return error instanceof APIError && (error.status === 404 || error.status === 405) && !/model/i.test(error.message);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
