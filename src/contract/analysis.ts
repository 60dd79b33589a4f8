import { z } from 'zod';
import { HandOverReason } from './hand-over';
import { ProfileName, View } from './profile';
import { RolloutResult } from './rollout';
import { RolloutSource } from './rollout-row';
import { Ref } from './step';

/** Rollouts of one policy. */
export const ShiftGroup = z.strictObject({
  /** Name in plots and tables. */
  name: z.string().min(1),
  source: RolloutSource,
  /** Only rollouts of this method. */
  method: z.string().optional(),
  /** Only rollouts in which the expert took over for one of these reasons, or never: `policy` keeps random switches alone. */
  handOvers: z.array(HandOverReason).min(1).optional(),
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
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rollouts: z.int(),
      embedded: z.int(),
      /** Of `rollouts`, those in which the expert took over for another reason than the policy's: not at random. */
      otherHandOvers: z.int().optional(),
    }),
  ),
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
  /** Why the expert took over, where it was not the policy. */
  handOver: HandOverReason.optional(),
});
export type ShiftTrajectory = z.infer<typeof ShiftTrajectory>;

/** Which trajectories are compared. In a drawn order, so that those embedded so far are a fair sample at any time. */
export const ShiftPlan = z.strictObject({
  instances: z.array(z.string()),
  trajectories: z.array(ShiftTrajectory),
});
export type ShiftPlan = z.infer<typeof ShiftPlan>;

/** The paper's ten categories (OEC, appendix D). */
export const FailureCategory = z.enum([
  'identified_incorrect_file',
  'missed_edge_case',
  'misunderstood_problem_statement',
  'wrong_solution',
  'tool_error',
  'infinite_loop',
  'endless_file_reading',
  'context_overflow_from_listing',
  'syntax_error',
  'other',
]);
export type FailureCategory = z.infer<typeof FailureCategory>;

/** One of the ten, or that the judge's reply named none of them: that says nothing of the rollout. */
export const JudgedCategory = z.enum([...FailureCategory.options, 'unreadable']);
export type JudgedCategory = z.infer<typeof JudgedCategory>;

/** What a continued run takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const FailureAnalysisCarry = z.strictObject({
  plan: z.strictObject({ plan: Ref, unresolved: z.int() }).nullable(),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  pages: z.array(Ref),
  judged: z.int(),
  /** Verdicts so far, by category. */
  counts: z.partialRecord(JudgedCategory, z.int()),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  costUsd: z.number().optional(),
});
export type FailureAnalysisCarry = z.infer<typeof FailureAnalysisCarry>;

export const FailureAnalysisInput = z.strictObject({
  sources: z.array(RolloutSource).min(1),
  /** Methods; without them all. */
  methods: z.array(z.string()).default([]),
  /** Model profile, or `builtin:rules`, which decides what can be decided without one and calls the rest `other`. */
  judge: z.union([z.literal('builtin:rules'), ProfileName]).default('builtin:rules'),
  /** Turns that the judge is shown, the last ones. */
  lastTurns: z.int().min(1).max(200).default(20),
  concurrency: z.int().min(1).max(256).default(8),
  /** Cap on what judging costs; the run parks when it is reached. */
  costUsd: z.number().positive().optional(),
  /** Bounds of the switch index for the table by bucket, both included. The paper's: 0–6, 7–15, 16–30. */
  buckets: z
    .array(z.tuple([z.int().min(0), z.int().min(0)]))
    .min(1)
    .default([
      [0, 6],
      [7, 15],
      [16, 30],
    ]),
  seed: z.int().default(0),
  carry: FailureAnalysisCarry.optional(),
});
export type FailureAnalysisInput = z.infer<typeof FailureAnalysisInput>;

/** What a judge said of one unresolved rollout: a line of `failures.jsonl`. */
export const FailureVerdict = z.strictObject({
  id: z.string(),
  instance: z.string(),
  method: z.string(),
  submitted: z.boolean(),
  category: JudgedCategory,
  description: z.string(),
  reply: Ref.nullable(),
});
export type FailureVerdict = z.infer<typeof FailureVerdict>;

/** An unresolved rollout that is judged. */
export const UnresolvedRollout = z.strictObject({
  id: z.string(),
  instance: z.string(),
  method: z.string(),
  result: RolloutResult,
});
export type UnresolvedRollout = z.infer<typeof UnresolvedRollout>;

/** What came of one: a verdict, or why there is none; and what it cost. */
export const JudgedFailure = z.strictObject({
  id: z.string(),
  verdict: FailureVerdict.nullable(),
  missing: z.string().optional(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type JudgedFailure = z.infer<typeof JudgedFailure>;

/** One row of the paper's Table 3. Shares are of the unresolved, of the submitted, and of the others. */
export const FailureTableRow = z.strictObject({
  method: z.string(),
  rollouts: z.int(),
  resolved: z.int(),
  submitted: z.int(),
  notSubmitted: z.int(),
  /** By category, of the submitted. */
  whenSubmitted: z.partialRecord(JudgedCategory, z.int()),
  whenNotSubmitted: z.partialRecord(JudgedCategory, z.int()),
});
export type FailureTableRow = z.infer<typeof FailureTableRow>;

export const SwitchBucketRow = z.strictObject({
  method: z.string(),
  from: z.int(),
  to: z.int(),
  drawn: z.int(),
  /** Those in which the expert made a turn. */
  handedOver: z.int(),
  submittedBeforeSwitch: z.int(),
  resolved: z.int(),
  /** Of those handed over; 95 % by Wilson. Null when there are none. */
  resolveRate: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
});
export type SwitchBucketRow = z.infer<typeof SwitchBucketRow>;

export const FailureAnalysisResult = z.strictObject({
  id: z.string(),
  folder: z.string(),
  judge: z.string(),
  table: z.array(FailureTableRow),
  buckets: z.array(SwitchBucketRow),
  /** Rollouts left out because no test ever said whether they are resolved. */
  notGraded: z.int(),
  /** Unresolved rollouts without a verdict: their chain is gone, or the run was abandoned. */
  notJudged: z.int(),
  /** `failures.jsonl`: a `FailureVerdict` a line, sorted by id. */
  failures: Ref,
  files: z.array(z.strictObject({ path: z.string(), sha256: z.string(), bytes: z.int() })),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type FailureAnalysisResult = z.infer<typeof FailureAnalysisResult>;

export interface FailureAnalysisProgress {
  readonly phase: string;
  readonly unresolved: number;
  readonly judged: number;
  readonly inFlight: number;
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}
