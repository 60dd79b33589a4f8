import OpenAI from 'openai';
import { type Config, profileNamed } from '../config';
import { SwitchyardError } from '../contract';
import { classify } from '../model';
import { wholeBodyFetch } from '../model/http';
import { embedNgrams, NGRAM_EMBEDDING, unit } from '../setup/experience';

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
  const apiKey = profile.apiKeyEnv === undefined ? 'no-key' : env[profile.apiKeyEnv]?.trim();
  const baseURL = profile.baseUrl ?? (profile.provider === 'rehearsal' ? env.SWITCHYARD_REHEARSAL_URL : undefined);
  if (!apiKey) {
    throw new SwitchyardError(
      'InvalidInput',
      `store.embeddings: environment variable ${profile.apiKeyEnv} of profile "${profileName}" is not set`,
      `Set ${profile.apiKeyEnv}, or remove store.embeddings to use the built-in embedding.`,
    );
  }
  const client = new OpenAI({
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseURL ?? 'https://api.openai.com/v1',
    timeout: profile.timeoutSeconds * 1000,
    maxRetries: 0,
    logLevel: 'off',
    fetch: wholeBodyFetch,
  });
  const secrets = profile.apiKeyEnv === undefined ? [] : [apiKey];
  return {
    name: `profile:${profileName}/${profile.model}`,
    async embed(texts) {
      const vectors: number[][] = [];
      for (let from = 0; from < texts.length; from += AT_ONCE) {
        const input = texts.slice(from, from + AT_ONCE).map((text) => text || ' ');
        try {
          const { data } = await client.embeddings.create({ model: profile.model, input, encoding_format: 'float' });
          if (data.length !== input.length) throw new Error(`${data.length} vectors for ${input.length} texts`);
          vectors.push(...[...data].sort((a, b) => a.index - b.index).map(({ embedding }) => unit(embedding)));
        } catch (error) {
          throw classify(error, { profile: profileName, secrets });
        }
      }
      return vectors;
    },
  };
}
