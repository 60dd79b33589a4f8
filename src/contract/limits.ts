import { z } from 'zod';

/** When a rollout ends although the model has not submitted. All but `steps` and the counters are off unless given. */
export const Limits = z.strictObject({
  /** Turns taken, student's and expert's together. The papers run up to 80. */
  steps: z.int().min(1).default(80),
  /** USD for model calls, format retries included. Needs a price in every profile of the run. */
  costUsd: z.number().positive().optional(),
  /** Tokens of the last call, prompt and completion: what the next prompt will at least hold. */
  contextTokens: z.int().min(1).optional(),
  /** Tokens of all calls, prompt and completion. */
  tokens: z.int().min(1).optional(),
  /** Seconds since the run began; see `modelWaitExcluded`. */
  wallClockSeconds: z.number().positive().optional(),
  /** Seconds that one command may run before its whole process tree is killed; its partial output is kept. */
  commandSeconds: z.number().positive().default(300),
  /** Malformed replies in a row that end the run; any step resets the count. */
  consecutiveFormatErrors: z.int().min(1).default(3),
  /** Timed-out commands in a row that end the run; a command that ends by itself resets the count. */
  consecutiveTimeouts: z.int().min(1).default(3),
  /** Whether waiting for a model (rate limits, outages, pauses) is left out of `wallClockSeconds`: it is not agent time. */
  modelWaitExcluded: z.boolean().default(true),
});
export type Limits = z.infer<typeof Limits>;

/** How a run ended. Every ending still extracts the patch. */
export const ExitStatus = z.enum([
  /** The model called `submit`, and no review was open. */
  'submitted',
  'limit_steps',
  'limit_cost',
  /** The context limit here, or the server saying that the prompt does not fit. */
  'limit_context',
  'limit_tokens',
  'limit_wall_clock',
  /** `consecutiveFormatErrors` malformed replies in a row. */
  'format_exhausted',
  /** `consecutiveTimeouts` timed-out commands in a row. */
  'timeouts_exhausted',
  /** The sandbox is gone and could not be rebuilt. */
  'sandbox_lost',
  /** A command put its hand to the journal of the sandbox: nothing that it says can be believed. */
  'tampered',
  /** The provider refused the request for good: key, model name, content policy. */
  'model_rejected',
  /** A budget above this run (campaign, day) has nothing left. */
  'budget_exhausted',
  'cancelled',
]);
export type ExitStatus = z.infer<typeof ExitStatus>;

/** What a run has used so far. */
export const Spent = z.strictObject({
  steps: z.int().min(0),
  costUsd: z.number().min(0),
  /** Of the last call, prompt and completion. */
  contextTokens: z.int().min(0),
  /** Of all calls, prompt and completion. */
  tokens: z.int().min(0),
  wallClockSeconds: z.number().min(0),
  /** The part of `wallClockSeconds` spent waiting for a model that could not be called. */
  modelWaitSeconds: z.number().min(0),
  consecutiveFormatErrors: z.int().min(0),
  consecutiveTimeouts: z.int().min(0),
});
export type Spent = z.infer<typeof Spent>;
