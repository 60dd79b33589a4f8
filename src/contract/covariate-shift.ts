import { z } from 'zod';
import { ProfileName, View } from './profile';
import { RolloutSource } from './rollout-row';
import { Ref } from './step';

/** Rollouts of one policy. */
export const ShiftGroup = z.strictObject({
  /** Name in plots and tables. */
  name: z.string().min(1),
  source: RolloutSource,
  /** Only rollouts of this method. */
  method: z.string().optional(),
});
export type ShiftGroup = z.infer<typeof ShiftGroup>;

/** What a continued run takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const CovariateShiftCarry = z.strictObject({
  plan: z.strictObject({ plan: Ref, trajectories: z.int() }).nullable(),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  pages: z.array(Ref),
  embedded: z.int(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  costUsd: z.number().optional(),
});
export type CovariateShiftCarry = z.infer<typeof CovariateShiftCarry>;

/** How far the histories of students drift from an expert's, turn by turn (OEC, section 5 and appendix E). */
export const CovariateShiftInput = z.strictObject({
  expert: ShiftGroup,
  students: z.array(ShiftGroup).min(1),
  /** Instances; without them all that every group has. */
  instances: z.array(z.string()).default([]),
  /** Model profile whose `/embeddings` is asked, or `builtin:hashing`, which needs no model and says so wherever it appears. */
  embedding: z.union([z.literal('builtin:hashing'), ProfileName]).default('builtin:hashing'),
  /** Format in which histories are embedded: the same for all groups, or format would look like drift. */
  view: View.refine(({ history }) => history.kind === 'full', {
    path: ['history'],
    message: 'the whole history is embedded, so `full` is the only kind',
  }).prefault({ dialect: 'xml' }),
  /**
   * Tokens of a history that are embedded, the last ones; null for all. A profile's `contextTokens` bounds them in any case.
   * Counted as words by `builtin:hashing`, and from above (a token per three bytes) for a profile.
   */
  embedTokens: z.int().min(64).nullable().default(null),
  /** Rollouts in a replicate. */
  replicateSize: z.int().min(2).max(100).default(10),
  /** Replicates drawn of each group with replacement, where a turn has too few rollouts for disjoint ones. */
  bootstrapReplicates: z.int().min(2).max(1000).default(5),
  /** `pooled`: replicates over all instances. `per_instance`: within each, then the mean. The paper does not say. */
  over: z.enum(['pooled', 'per_instance']).default('pooled'),
  /** Added to both covariances' diagonals for KL, which n < d leaves singular: ε · tr(Σ) / d is not used, ε is absolute. */
  ridge: z.number().positive().default(1e-3),
  /** Dimensions of the reduced variant. */
  pcaDimensions: z.int().min(1).max(256).default(8),
  /** Label permutations of the null; 0 leaves it out. */
  permutations: z.int().min(0).max(10_000).default(200),
  /** Turns beyond this are left out. */
  maxTurns: z.int().min(1).max(1000).default(80),
  concurrency: z.int().min(1).max(256).default(8),
  /** Cap on what embedding costs; the run parks when it is reached. */
  costUsd: z.number().positive().optional(),
  seed: z.int().default(0),
  carry: CovariateShiftCarry.optional(),
});
export type CovariateShiftInput = z.infer<typeof CovariateShiftInput>;

export const Interval = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() });
export type Interval = z.infer<typeof Interval>;

/** One turn of one student; a line of the CSV. Distances are null where a group has fewer than two rollouts. */
export const ShiftPoint = z.strictObject({
  student: z.string(),
  turn: z.int().min(1),
  /** Rollouts that still run at this turn. */
  nStudent: z.int(),
  nExpert: z.int(),
  /** Whether replicates were drawn with replacement. */
  bootstrapped: z.boolean(),
  /** Squared Fréchet distance: the FID convention. Mean and 95 % over pairs of replicates. */
  fd2: Interval.nullable(),
  /** Its root. */
  fd: Interval.nullable(),
  /** Expert against expert, disjoint halves: what n ≪ d alone makes. */
  baselineFd2: Interval.nullable(),
  /** KL(student ‖ expert) with the ridge, nats. */
  kl: Interval.nullable(),
  pcaFd2: Interval.nullable(),
  /** Share of label permutations whose distance is at least the one seen; null when left out. */
  pValue: z.number().nullable(),
});
export type ShiftPoint = z.infer<typeof ShiftPoint>;

export const CovariateShiftResult = z.strictObject({
  id: z.string(),
  folder: z.string(),
  embedding: z.string(),
  dimensions: z.int(),
  instances: z.array(z.string()),
  /** The expert first. `embedded` falls short of `rollouts` where chains are missing, or where the run was abandoned. */
  groups: z.array(z.strictObject({ name: z.string(), rollouts: z.int(), embedded: z.int() })),
  points: z.array(ShiftPoint),
  /** `points.csv`, and a plot with its CSV a figure. */
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() })),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type CovariateShiftResult = z.infer<typeof CovariateShiftResult>;

export interface CovariateShiftProgress {
  readonly phase: string;
  readonly trajectories: number;
  readonly embedded: number;
  readonly inFlight: number;
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}

/** What was embedded of one trajectory: Float32 little-endian, turns × dimensions, as a blob. */
export const EmbeddedTrajectory = z.strictObject({
  id: z.string(),
  turns: z.int(),
  dimensions: z.int(),
  /** Null where it could not be embedded, for which `missing` says why. */
  vectors: Ref.nullable(),
  missing: z.string().optional(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type EmbeddedTrajectory = z.infer<typeof EmbeddedTrajectory>;

/** A trajectory that takes part; one of several groups is embedded once. */
export const ShiftTrajectory = z.strictObject({
  id: z.string(),
  instance: z.string(),
  head: z.string(),
  turns: z.int(),
  groups: z.array(z.string()),
});
export type ShiftTrajectory = z.infer<typeof ShiftTrajectory>;

/** Which trajectories are compared. In a drawn order, so that those embedded so far are a fair sample at any time. */
export const ShiftPlan = z.strictObject({
  instances: z.array(z.string()),
  trajectories: z.array(ShiftTrajectory),
});
export type ShiftPlan = z.infer<typeof ShiftPlan>;
