import { z } from 'zod';
import { GradeVerdict, Review } from './grading';
import { HandOverPolicy, HandOverReason } from './hand-over';
import { RolloutResult } from './rollout';
import { Ref } from './step';

/** Why a rollout that was planned never ran. */
export const SkipReason = z.enum(['instance_cap', 'budget_exhausted', 'abandoned', 'cancelled']);
export type SkipReason = z.infer<typeof SkipReason>;

/**
 * One planned rollout of a campaign and what came of it: a line of `rollouts.jsonl`. Everything that filters, funnels and
 * lists need without reading the chain; `result.head` names the chain.
 */
export const RolloutRow = z.strictObject({
  /** Workflow id of the rollout: the trajectory's name in every file that is made of it. */
  id: z.string().min(1),
  instance: z.string(),
  /** The problem as it was when the campaign began: a blob. Null for a rollout that no campaign started. */
  problem: Ref.nullable(),
  /** Name of the method, as the campaign gave it: `oec`, `bc`, `on-policy`, ... */
  method: z.string(),
  handOver: HandOverPolicy,
  /** The k-th pass over this instance by this method, from 0. */
  pass: z.int().min(0),
  student: z.string().nullable(),
  expert: z.string().nullable(),
  /** `failed`: the workflow failed, which a rollout does only for bad input. `skipped`: it never ran. */
  outcome: z.enum(['finished', 'failed', 'cancelled', 'skipped']),
  skipped: SkipReason.optional(),
  /** Why it failed. */
  error: z.string().optional(),
  /** Null unless `outcome` is `finished`; of a cancelled one as far as it came. */
  result: RolloutResult.nullable(),
  /** Steps that a fork took over from another run: they are that run's. Absent where there are none. */
  copiedSteps: z.int().min(1).optional(),
  /** Its `patch` has no change in it. */
  emptyPatch: z.boolean().optional(),
  /** Seconds from start to end by the server's clock, waiting included; null when it never ran. */
  seconds: z.number().nullable(),
  licence: z.string().nullable().default(null),
  /** The verdict that stood before it was judged again. */
  before: z.strictObject({ resolved: z.boolean(), verdict: GradeVerdict }).nullable().optional(),
  /** What a person, or a model as reviewer, said of a doubtful verdict. */
  review: Review.optional(),
});
export type RolloutRow = z.infer<typeof RolloutRow>;

/** Where trajectories come from. */
export const RolloutSource = z.union([
  /** Rollouts of a campaign that has ended, by its workflow id. */
  z.strictObject({ campaign: z.string().min(1) }),
  /** A file of `RolloutRow` lines: its path as the worker's host finds it, or its blob. */
  z.strictObject({ rollouts: z.union([z.string().min(1), Ref]) }),
  /** Single rollouts by workflow id; `method` names them together. */
  z.strictObject({ runs: z.array(z.string().min(1)).min(1), method: z.string().default('rollout') }),
]);
export type RolloutSource = z.infer<typeof RolloutSource>;

/** Stages that a planned rollout passes on its way into a training set, in this order. */
export const FunnelStage = z.enum([
  'planned',
  'started',
  /** The expert made at least one turn; a method without a hand-over passes it by. */
  'handed_over',
  'submitted',
  'passed',
  /** Nothing about its verdict is in doubt. */
  'not_doubtful',
  'not_repetitive',
  'kept',
]);
export type FunnelStage = z.infer<typeof FunnelStage>;

/** Why a rollout got no further than the stage before. The first that applies, in the order of the stages. */
export const LossReason = z.enum([
  // not started
  'instance_cap',
  'budget_exhausted',
  'abandoned',
  'cancelled_before_start',
  // not handed over
  'failed',
  'cancelled',
  'submitted_before_switch',
  'ended_before_switch',
  'other_hand_over',
  // not submitted
  'limit_steps',
  'limit_cost',
  'limit_context',
  'limit_tokens',
  'limit_wall_clock',
  'format_exhausted',
  'timeouts_exhausted',
  'sandbox_lost',
  'tampered',
  'model_rejected',
  'run_budget_exhausted',
  // not passed
  'empty_patch',
  'patch_failed',
  'no_tests',
  'tests_timed_out',
  'bribed',
  'tests_failed',
  'reward_too_low',
  'not_graded',
  // doubtful
  'suspicious',
  'refused_in_review',
  'controls_incomplete',
  // repetitive
  'identical_actions',
  'endless_file_reading',
  // not kept
  'nothing_trained',
  'human',
  'not_human',
  'unfaithful',
  'too_long',
  'duplicate',
  'kept_enough_of_instance',
  'mixture',
  'chain_missing',
]);
export type LossReason = z.infer<typeof LossReason>;

/** Counts that sum: of each stage, what reached it; what did not is in `losses`, each rollout once. */
export const Funnel = z.strictObject({
  stages: z.array(z.strictObject({ stage: FunnelStage, count: z.int().min(0) })),
  losses: z.array(z.strictObject({ stage: FunnelStage, reason: LossReason, count: z.int().min(1) })),
  /** Of all that were planned, those in which an expert took over from a student, by why. */
  handOvers: z.partialRecord(HandOverReason, z.int()).optional(),
});
export type Funnel = z.infer<typeof Funnel>;

/** What became of rollouts by the switch index that was drawn: survivorship is uneven, and must be seen. */
export const SwitchSurvival = z.strictObject({
  /** k, student turns that were drawn. */
  k: z.int().min(0),
  drawn: z.int(),
  submittedBeforeSwitch: z.int(),
  /** Handed over before the drawn turn: by a person, or since the student ended so (`handOver.on`). Not in what follows. */
  handedOverEarly: z.int().default(0),
  handedOver: z.int(),
  resolved: z.int(),
});
export type SwitchSurvival = z.infer<typeof SwitchSurvival>;
