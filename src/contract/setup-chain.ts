import { z } from 'zod';
import { Observation, RawReply, Ref, Rejected, Usage } from './step';

/**
 * The chain of one role's moves in a set-up: an opening, then steps, each a content-addressed blob that names its parent.
 * Set-up agent, verifier, prosecutor and judge each write a chain of their own.
 */

export const SetupRole = z.enum(['agent', 'verifier', 'prosecutor', 'judge']);
export type SetupRole = z.infer<typeof SetupRole>;

export const SetupOpening = z.strictObject({
  kind: z.literal('setup-opening'),
  role: SetupRole,
  source: z.string(),
  /** Blob of what the role was given. */
  given: Ref,
});
export type SetupOpening = z.infer<typeof SetupOpening>;

/** The decision, written before anything runs. */
export const SetupTurn = z.strictObject({
  kind: z.literal('setup-turn'),
  turn: z.int().min(1),
  role: SetupRole,
  /** Profile, or the policy of ours that decided. */
  policy: z.string(),
  /** What the server calls itself; null for a policy of ours. */
  model: z.string().nullable(),
  /** A `SetupAction`, `VerifierMove`, `ProsecutorMove` or `JudgeMove`, by the role. */
  move: z.record(z.string(), z.unknown()),
  reply: RawReply.nullable(),
  rejected: z.array(Rejected),
  usage: Usage,
});
export type SetupTurn = z.infer<typeof SetupTurn>;

export const SetupStep = z.strictObject({
  kind: z.literal('setup-step'),
  parent: z.string(),
  turn: SetupTurn,
  observation: Observation,
  /** What the loop did around it: frames and the rules that asked for them, services started again, what was lost. */
  notes: z.array(z.string()),
  /** Turns that this step took back. */
  undoes: z.array(z.int()),
});
export type SetupStep = z.infer<typeof SetupStep>;
