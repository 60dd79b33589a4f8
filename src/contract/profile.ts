import { z } from 'zod';
import { DialectName } from './names';

const HistoryProcessor = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('full') }),
  z.strictObject({ kind: z.literal('last_n_observations'), n: z.int().min(1) }),
]);

/** How a model sees a transcript. Part of the profile because the format is what the model was trained on. */
export const View = z.strictObject({
  dialect: DialectName.default('tools'),
  history: HistoryProcessor.default({ kind: 'full' }),
  /** Characters of one observation that the model is shown; the middle is cut. */
  observationChars: z.int().min(200).default(100_000),
  /**
   * What becomes of a reply with several actions: it is refused, or the first is taken and the rest left out. Models that
   * were trained on several write the observations in between themselves.
   */
  actions: z.enum(['one', 'first']).default('one'),
  /** Whether `submit` first asks for one review of the diff. */
  reviewOnSubmit: z.boolean().default(false),
  /** Folder of prompt files that replaces ours (`system.md`, `instance.md`, ...); missing files fall back. */
  prompts: z.string().optional(),
});
export type View = z.infer<typeof View>;

/**
 * Characters of an observation for a window of so many tokens: a quarter of it at three characters a token, and no more than
 * the largest that agents are trained with.
 */
function observationCharsFor(contextTokens: number): number {
  return Math.min(100_000, Math.max(200, Math.floor(contextTokens * 0.8)));
}

/** USD per million tokens. */
export const Price = z.strictObject({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});
export type Price = z.infer<typeof Price>;

export const ProfileName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, 'a profile name is lower-case letters, digits, ".", "_" and "-"');

/** `provider` of profiles whose turns people make, and what stands as the model of such turns. */
export const PERSON = 'person';

/** Fields of a profile that say where a model is, what it costs and how often it is asked. */
const OF_SERVERS = ['baseUrl', 'model', 'apiKeyEnv', 'price', 'requestsPerSecond'] as const;

/** One model behind an OpenAI-compatible endpoint, or a person in a model's place. Payloads only ever carry its name. */
export const ModelProfile = z
  .strictObject({
    /** `person`: the turns are made by people, with `pointsman rollout attach`; nothing is asked of a server. */
    provider: z.enum(['openai', 'rehearsal', 'person']).default('openai'),
    /** Empty for the provider's default; `rehearsal` fills in the address of the local rehearsal server. */
    baseUrl: z.url().optional(),
    /** Every provider needs one but `person`. */
    model: z.string().min(1).optional(),
    /** Name of the environment variable that holds the key. The key itself is never configured. */
    apiKeyEnv: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/)
      .optional(),
    /** `observationChars` follows `contextTokens` where it is not given. */
    view: View.extend({ observationChars: z.int().min(200).optional() }).prefault({}),
    price: Price.optional(),
    temperature: z.number().min(0).max(2).optional(),
    topP: z.number().min(0).max(1).optional(),
    maxOutputTokens: z.int().min(1).default(8192),
    contextTokens: z.int().min(256).default(131_072),
    /** Asks for the answer as a stream, for servers that answer only so and for gateways that cut a silent connection. */
    stream: z.boolean().default(false),
    /**
     * Asks for the ids and log-probabilities that each answer was sampled with, and keeps them. Where a server streams them in
     * part or not at all it is asked without a stream, and where it refuses to give them the answer is taken as it is.
     */
    keepTokens: z.boolean().default(false),
    /** What stands as `content` of a message that is only a tool call: `null`, the empty text, or no such field. */
    emptyContent: z.enum(['null', 'text', 'omitted']).default('null'),
    /** How a tool without arguments is described: with `properties: {}`, or without `parameters`. */
    emptyParameters: z.enum(['properties', 'omitted']).default('properties'),
    /** Seconds after which one request is given up and retried; waiting for a place (`concurrency`) is not part of them. */
    timeoutSeconds: z.number().positive().default(600),
    /** Requests in flight at once, per worker process. */
    concurrency: z.int().min(1).default(32),
    /** Requests started a second, over all workers. Gives the profile a task queue of its own, whose rate the server keeps. */
    requestsPerSecond: z.number().positive().optional(),
    /** Extra fields of the request body, passed through as they are. */
    extraBody: z.record(z.string(), z.unknown()).default({}),
  })
  .superRefine((profile, context) => {
    if (profile.provider !== 'person') {
      if (profile.model === undefined)
        context.addIssue({ code: 'custom', path: ['model'], message: 'the model to ask for is needed' });
      return;
    }
    for (const field of OF_SERVERS) {
      if (profile[field] !== undefined)
        context.addIssue({ code: 'custom', path: [field], message: 'a person has none: it is a field of models' });
    }
  })
  .transform(({ view, ...profile }) => ({
    ...profile,
    model: profile.model ?? PERSON,
    // What a person is paid is nothing that is counted here.
    price: profile.provider === 'person' ? { input: 0, output: 0 } : profile.price,
    view: { ...view, observationChars: view.observationChars ?? observationCharsFor(profile.contextTokens) },
  }));
export type ModelProfile = z.infer<typeof ModelProfile>;

/** A rate that all workers share needs a queue of its own; a call without one is quicker where the workflow runs. */
export function hasOwnQueue(profile: ModelProfile): boolean {
  return profile.requestsPerSecond !== undefined;
}
