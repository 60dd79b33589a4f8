import type { ModelProfile } from '../contract';
import { classify, errorInside, malformed } from './errors';
import { type CallOptions, type LineOwner, lineFor } from './openai';
import { costOf, estimatePromptTokens } from './price';
import { errorIn } from './reply';

/** Vectors of length 1, one after the other. */
export interface Embedded {
  readonly vectors: Float32Array;
  readonly dimensions: number;
  readonly tokens: number;
  readonly costUsd: number;
}

/** Tokens of texts from above, for what is reserved of a budget. */
export function estimateEmbedding(
  texts: readonly string[],
  { price }: ModelProfile,
): { tokens: number; costUsd: number } {
  const tokens = estimatePromptTokens({ messages: texts.map((content) => ({ role: 'user', content })) });
  return { tokens, ...costOf({ promptTokens: tokens, cachedTokens: 0, completionTokens: 0 }, price) };
}

/**
 * One request to a profile's `/embeddings`. Rejects with a `ModelError` (see `classify`), and with the signal's own reason when
 * that aborts: nothing is retried here.
 */
export async function embedTexts(
  profile: ModelProfile,
  at: LineOwner,
  texts: readonly string[],
  { signal, requestId }: CallOptions,
): Promise<Embedded> {
  const { client, enter, context } = lineFor(profile, at);
  const leave = await enter(signal);
  try {
    // Servers refuse an empty text.
    const input = texts.map((text) => text || ' ');
    const answer = await client.embeddings.create(
      { model: profile.model, input, encoding_format: 'float', ...profile.extraBody },
      {
        headers: { 'X-Client-Request-Id': requestId, 'Idempotency-Key': requestId },
        signal,
      },
    );
    const inside = errorIn({ ...answer, choices: answer.data });
    if (inside !== undefined) throw errorInside(inside, context);
    const { data = [], usage } = answer;
    const dimensions = data[0]?.embedding.length ?? 0;
    const sound = data.length === texts.length && data.every(({ embedding }) => embedding.length === dimensions);
    if (!sound || dimensions === 0) throw malformed(context, `${data.length} vectors for ${texts.length} texts`);
    const vectors = new Float32Array(texts.length * dimensions);
    for (const { index, embedding } of data) vectors.set(unit(embedding), index * dimensions);
    if (!vectors.every(Number.isFinite)) throw malformed(context, 'a vector holds what is no number');
    const tokens = usage?.prompt_tokens ?? estimateEmbedding(texts, profile).tokens;
    const { costUsd } = costOf({ promptTokens: tokens, cachedTokens: 0, completionTokens: 0 }, profile.price);
    return { vectors, dimensions, tokens, costUsd };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw classify(error, context);
  } finally {
    leave();
  }
}

/** Views of the single vectors. */
export function vectorsOf({ vectors, dimensions }: Pick<Embedded, 'vectors' | 'dimensions'>): Float32Array[] {
  return Array.from({ length: vectors.length / dimensions }, (_, at) =>
    vectors.subarray(at * dimensions, (at + 1) * dimensions),
  );
}

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  if (length > 0) return vector.map((value) => value / length);
  return vector.map((_, at) => (at === 0 ? 1 : 0));
}
