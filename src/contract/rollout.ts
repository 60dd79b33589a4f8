import { z } from 'zod';
import { Endpoint } from './endpoint';
import { GradeResult } from './grading';
import { HandOverPolicy, HandOverReason, SwitchDraw } from './hand-over';
import { ExitStatus, Limits, Spent } from './limits';
import { ProblemSource } from './problem';
import { ProfileName } from './profile';
import { Compensation, Frame, Lease, SandboxProfile } from './sandbox';
import { Author, Lenience, Ref } from './step';

export const Fork = z.strictObject({
  /** Workflow id of the rollout whose prefix is kept. */
  run: z.string().min(1),
  /** Steps that are kept, counted from 1; 0 keeps none. */
  step: z.int().min(0),
});
export type Fork = z.infer<typeof Fork>;

export const SharedBudget = z.strictObject({ name: z.string().min(1), capUsd: z.number().positive() });
export type SharedBudget = z.infer<typeof SharedBudget>;

/** What a continued run takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const RolloutCarry = z.strictObject({
  head: z.string(),
  draw: SwitchDraw,
  spent: Spent,
  lease: Lease.nullable(),
  frames: z.array(Frame),
  /** What the run has made and must remove. */
  undo: z.array(Compensation),
  startedAt: z.number(),
  /** Milliseconds paused or parked. */
  idleMs: z.number(),
  paused: z.boolean(),
  authorTurns: z.strictObject({ student: z.int(), expert: z.int() }),
  lastAuthor: Author.nullable(),
  expertFrom: z.int().nullable(),
  limits: Limits,
  redone: z.int(),
  formatRetries: z.int(),
  /** Turns that were read although they were not as the format has it, by what was wrong. */
  lenient: z.partialRecord(Lenience, z.int()).default({}),
  recoveries: z.int(),
  /** Verdicts on the parts of a problem that are done, of those that have several. */
  parts: z.array(GradeResult).optional(),
});
export type RolloutCarry = z.infer<typeof RolloutCarry>;

/** One turn as another system recorded it. */
export const ImportedTurn = z.strictObject({
  thought: z.string(),
  reasoning: z.string().optional(),
  tool: z.string().min(1),
  args: z.record(z.string(), z.unknown()),
  observation: z.string(),
  /** As the system names it. */
  model: z.string(),
  promptTokens: z.int().min(0).default(0),
  completionTokens: z.int().min(0).default(0),
});
export type ImportedTurn = z.infer<typeof ImportedTurn>;

/** The part of a trajectory that an agent elsewhere made, to be judged as the expert's. */
export const ImportedWork = z.strictObject({
  /** A blob: `ImportedTurn`s as a JSON array. */
  turns: Ref,
  /** All that changed in the work directory, the kept steps' part included. */
  patch: Ref,
  /** Name and version: `claude-code 2.0.1`. */
  agent: z.string().min(1).max(200),
});
export type ImportedWork = z.infer<typeof ImportedWork>;

/** Algorithm 1 of the OEC paper as data: one trajectory of one problem. */
export const RolloutInput = z.strictObject({
  problem: ProblemSource,
  /** Names of model profiles. Pure behavioural cloning needs only an expert, pure on-policy only a student. */
  student: ProfileName.optional(),
  expert: ProfileName.optional(),
  /** Where this rollout asks their models, instead of where the profiles say: a trainer's own gateway. */
  endpoints: z.strictObject({ student: Endpoint.optional(), expert: Endpoint.optional() }).optional(),
  handOver: HandOverPolicy.default({ uniform: [0, 30] }),
  limits: Limits.prefault({}),
  /** Seeds the draw of the switch index together with the instance and the attempt. */
  seed: z.int().default(0),
  /** The k-th pass over this instance, from 0. */
  attempt: z.int().min(0).default(0),
  sandbox: SandboxProfile.prefault({}),
  /** Whether the final patch is graded. */
  grade: z.boolean().default(true),
  /** One cap that many rollouts share; a call is reserved in it before it is made. */
  budget: SharedBudget.optional(),
  fork: Fork.optional(),
  /** Instead of running anything: what an agent of another system did behind the steps of `fork`. */
  imported: ImportedWork.optional(),
  carry: RolloutCarry.optional(),
});
export type RolloutInput = z.infer<typeof RolloutInput>;

export const HandOverRecord = z.strictObject({
  /** Student turns that were drawn (k), null where the policy has no single switch. */
  sampled: z.int().nullable(),
  /** First turn that the expert made, null when it never did. */
  expertFrom: z.int().nullable(),
  /** Why it took over then; a switch for another reason than the policy's is not random. */
  reason: HandOverReason.optional(),
});
export type HandOverRecord = z.infer<typeof HandOverRecord>;

export const RolloutResult = z.strictObject({
  id: z.string(),
  status: ExitStatus,
  resolved: z.boolean().nullable(),
  handOver: HandOverRecord,
  turns: z.strictObject({ total: z.int(), student: z.int(), expert: z.int(), formatRetries: z.int() }),
  /** Turns that were read although they were not as the format has it, by what was wrong. */
  lenient: z.partialRecord(Lenience, z.int()).optional(),
  /** Blobs of the replies to a turn that was never made, since none could be read; those to other turns are in the chain. */
  refused: z.array(z.string()).optional(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  /** Hash of the last step: names the whole trajectory. */
  head: z.string(),
  patch: Ref.nullable(),
  /** Tree id of the work directory at the end. */
  workspace: z.string().nullable(),
  grade: GradeResult.nullable(),
  /** Sandboxes that were lost and rebuilt, and steps that were applied again for it. */
  recovered: z.strictObject({ sandboxes: z.int(), redoneSteps: z.int() }),
  /** What went wrong when the status is not the model's own doing, or why there is no grade. */
  detail: z.string().optional(),
});
export type RolloutResult = z.infer<typeof RolloutResult>;

/** Asks for the sandbox of a rollout as it was after a step. */
export const WorkspaceImageInput = z.strictObject({
  problem: ProblemSource,
  fork: Fork,
  sandbox: SandboxProfile.prefault({}),
});
export type WorkspaceImageInput = z.infer<typeof WorkspaceImageInput>;

export const WorkspaceImage = z.strictObject({
  /** Kept on the host until somebody removes it. */
  image: z.string(),
  /** Git tree id of the work directory before the first step: what patches are made against. */
  base: z.string().nullable(),
  /** Hash of the last step that is in it. */
  head: z.string(),
});
export type WorkspaceImage = z.infer<typeof WorkspaceImage>;

/** Answer of the `progress` query. */
export interface RolloutProgress {
  readonly phase: string;
  readonly turn: number;
  readonly author: Author | null;
  readonly head: string | null;
  readonly spent: Spent;
  readonly limits: Limits;
  readonly handOver: HandOverRecord;
  readonly paused: boolean;
  readonly container: string | null;
  /** The turn that a person has to make; absent while nobody is waited for. */
  readonly awaiting?: AwaitedPerson;
}

/** A turn that waits for a person. */
export interface AwaitedPerson {
  readonly turn: number;
  readonly author: Author;
  readonly profile: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Argument of the update `act`: what a person does in a model's place. */
export const PersonAct = z.strictObject({
  /** The turn that it was meant for: what comes late, or twice, is refused. */
  turn: z.int().min(1),
  /** Who it is, as the chain of steps will name him. */
  by: z.string().trim().min(1).max(100),
  thought: z.string().max(100_000).default(''),
  tool: z.string().min(1).max(100),
  args: z.record(z.string(), z.unknown()).default({}),
});
export type PersonAct = z.infer<typeof PersonAct>;

/** What came of it: answer of the update `act`, once the sandbox has answered. */
export interface PersonActed {
  readonly turn: number;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly submitted: boolean;
  /** Hash of the step, which has what came back in full. */
  readonly head: string;
  /** Beginning and end of what came back. */
  readonly preview: string;
}

export const SetBudget = z.strictObject({
  costUsd: z.number().positive().optional(),
  steps: z.int().min(1).optional(),
});
export type SetBudget = z.infer<typeof SetBudget>;
