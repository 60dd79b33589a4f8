import { z } from 'zod';
import { KeptTokens, RawReply, type SampledTokens, Usage } from '../contract';

/** One answered call, as it is kept in the ledger and handed to the activity. */
export const ChatAnswer = z.strictObject({
  reply: RawReply,
  usage: Usage,
  /** False when the profile has no price, so that `usage.costUsd` of 0 means "unknown" and not "free". */
  priced: z.boolean(),
  /** True when the server reported no usage and the tokens were estimated from bytes. */
  estimated: z.boolean().optional(),
  /** True when the answer came as a stream of events, whether one was asked for or not. */
  streamed: z.boolean().optional(),
  responseId: z.string().nullable(),
  /** The model that the server says it ran, which may be more exact than the one asked for. */
  model: z.string(),
  /** Milliseconds from sending the request to the last byte of the answer; waiting for a free slot is not in it. */
  latencyMs: z.number(),
  /** What is kept of the tokens that it was sampled with; absent unless the profile keeps them. */
  sampled: KeptTokens.optional(),
  tokenIds: z.array(z.int()).optional(),
  logprobs: z.unknown().optional(),
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

/** Why a reply may be none that can be read, to be said behind what is wrong with it; empty where it ended by itself. */
export function whereCut({ finishReason }: RawReply): string {
  return finishReason === 'length' ? '; the output limit cut it (maxOutputTokens of the profile)' : '';
}

/** An answer as it came, with the tokens themselves. */
export interface FreshAnswer extends ChatAnswer {
  readonly tokens?: SampledTokens;
}
