import { z } from 'zod';
import { ProfileName } from './profile';
import { RolloutResult } from './rollout';
import { RolloutSource } from './rollout-row';
import { Ref } from './step';

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

/** What a continued run takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const FailureAnalysisCarry = z.strictObject({
  plan: z.strictObject({ plan: Ref, unresolved: z.int() }).nullable(),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  pages: z.array(Ref),
  judged: z.int(),
  /** Verdicts so far, by category. */
  counts: z.partialRecord(FailureCategory, z.int()),
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
  category: FailureCategory,
  description: z.string(),
  /** The judge's reply could not be read, so that the category is `other`. */
  unreadable: z.boolean(),
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
  whenSubmitted: z.partialRecord(FailureCategory, z.int()),
  whenNotSubmitted: z.partialRecord(FailureCategory, z.int()),
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
