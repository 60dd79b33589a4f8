import { type Config, profileNamed } from '../../config';
import { embedTexts, lineFor, vectorsOf } from '../../model';
import { embedNgrams, NGRAM_EMBEDDING } from '../../setup/experience';
import { embeddingRequest } from '../ledger';

/** Turns texts into vectors of length 1. Vectors of different names are never compared. */
export interface Embedder {
  readonly name: string;
  embed(texts: readonly string[]): Promise<number[][]>;
}

export const BUILTIN_EMBEDDER: Embedder = { name: NGRAM_EMBEDDING, embed: async (texts) => texts.map(embedNgrams) };

const AT_ONCE = 64;

/**
 * The `/embeddings` of a model profile. Throws `InvalidInput` where its key or address is missing, and what `classify` makes
 * of a failed call: nothing is retried here.
 */
export function profileEmbedder(
  config: Config,
  profileName: string,
  env: Readonly<Record<string, string | undefined>>,
): Embedder {
  const profile = profileNamed(config, profileName);
  const owner = { name: profileName, env };
  // What is missing is said at once, and not with the first text.
  lineFor(profile, owner);
  return {
    name: `profile:${profileName}/${profile.model}`,
    async embed(texts) {
      const vectors: number[][] = [];
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        const batch = texts.slice(from, from + AT_ONCE);
        const embedded = await embedTexts(profile, owner, batch, { requestId: embeddingRequest(profile, batch) });
        vectors.push(...vectorsOf(embedded).map((vector) => [...vector]));
      }
      return vectors;
    },
  };
}
