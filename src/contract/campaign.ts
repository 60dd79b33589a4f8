import { z } from 'zod';
import { GradeInput, GradeVerdict } from './grading';
import { HandOverPolicy } from './hand-over';
import { Limits } from './limits';
import { ProblemSource } from './problem';
import { ProfileName } from './profile';
import { Funnel, RolloutSource } from './rollout-row';
import { SandboxProfile } from './sandbox';
import { Ref } from './step';

/** One way of making trajectories. OEC: both and a uniform switch; BC: `{at: 0}`; on-policy: `{never: true}`. */
export const Method = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,40}$/, 'lower-case letters, digits, ".", "_" and "-"'),
  student: ProfileName.optional(),
  expert: ProfileName.optional(),
  handOver: HandOverPolicy.default({ uniform: [0, 30] }),
  /** Passes over all instances, instead of the campaign's. */
  passes: z.int().min(1).max(1000).optional(),
  /** The student goes on behind the first k steps of a trajectory that the expert of another campaign solved by itself. */
  teacherPrefix: z
    .strictObject({
      /** Workflow id of the campaign that solved them; it has ended. */
      campaign: z.string().min(1),
      /** From the last part of the trajectory alone to the whole problem, for each instance by itself. */
      levels: z.int().min(2).max(100).default(4),
      /** Graded outcomes at a level before it changes. */
      outcomes: z.int().min(1).max(100).default(2),
      /** Share of them that must have passed for k to fall; where none did it rises again. */
      advance: z.number().gt(0).max(1).default(0.5),
    })
    .optional(),
});
export type Method = z.infer<typeof Method>;

/** What a person may change while a campaign runs. */
export const CampaignBudget = z.strictObject({
  /** USD for all calls of the campaign. Needs a price in every profile. */
  totalUsd: z.number().positive().optional(),
  /** USD a day (UTC). When it is used up nothing is begun until the next day. */
  dailyUsd: z.number().positive().optional(),
});
export type CampaignBudget = z.infer<typeof CampaignBudget>;

/** Argument of the update `setBudget` of a campaign: what is named changes, null takes a cap off. */
export const SetCampaignBudget = z
  .strictObject({ totalUsd: z.number().positive().nullish(), dailyUsd: z.number().positive().nullish() })
  .refine((given) => Object.values(given).some((usd) => usd !== undefined), 'totalUsd, dailyUsd or both are needed');
export type SetCampaignBudget = z.infer<typeof SetCampaignBudget>;

/** Argument of the update `setRate`; null takes the limit off. */
export const SetRate = z.strictObject({ startsPerMinute: z.number().positive().nullable() });
export type SetRate = z.infer<typeof SetRate>;

/** One rollout of the plan, as a workflow knows it. */
export const PlannedRollout = z.strictObject({
  /** Workflow id: `campaign/method/instance/pass`. */
  id: z.string(),
  instance: z.string(),
  problem: Ref,
  licence: z.string().nullable(),
  method: z.string(),
  pass: z.int(),
  /** Digest of what it is made from, but for budgets: one of the same id that was made otherwise is not taken for it. */
  recipe: z.string(),
  /** Of a method with a teacher prefix: the run that solved it, and its steps. */
  teacher: z.strictObject({ run: z.string(), steps: z.int().min(1) }).optional(),
});
export type PlannedRollout = z.infer<typeof PlannedRollout>;

/** What a continued run takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const CampaignCarry = z.strictObject({
  set: z
    .strictObject({
      instances: Ref,
      count: z.int(),
      /** Profiles without a price: no budget can be set over them. */
      unpriced: z.array(z.string()),
    })
    .nullable(),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  /** Rollouts that were begun and are not counted yet: they outlive the run that began them. */
  inFlight: z.array(PlannedRollout.extend({ startedAt: z.number(), kept: z.int().optional() })),
  /** Blobs of `RolloutRow` lines, in the order in which they were written. A row may stand in two of them. */
  pages: z.array(Ref),
  counts: z.strictObject({
    finished: z.int(),
    resolved: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    skipped: z.int(),
  }),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  /** USD spent since midnight UTC of `day`. */
  today: z.strictObject({ day: z.string(), usd: z.number() }),
  /** Resolved rollouts by instance and method, as far as a cap needs them: a blob. */
  resolvedOf: Ref.nullable(),
  /** Where the instances of methods with a teacher prefix stand: a blob. */
  prefixes: Ref.optional(),
  startsPerMinute: z.number().nullable(),
  /** No rollout is begun before this moment, because of the rate. Milliseconds since the epoch. */
  nextStart: z.number(),
  budget: CampaignBudget,
  /** When the total was last set, and whether a rollout begun since then found nothing left in it. */
  total: z.strictObject({ setAt: z.number(), spent: z.boolean() }),
});
export type CampaignCarry = z.infer<typeof CampaignCarry>;

/** As `CampaignInput.problems`. */
const CampaignProblemsInput = z.union([z.string().min(1), Ref, z.array(ProblemSource).min(1)]);

/** Problems by what earlier rollouts came to on them. */
const PassRates = z
  .strictObject({
    sources: z.array(RolloutSource).min(1),
    /** Share of valid rollouts that resolved it. A problem without any is kept. */
    between: z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]),
    /** `rate`: the share itself lies there. `interval`: its 95 % interval reaches there, so that few rollouts exclude little. */
    by: z.enum(['rate', 'interval']).default('rate'),
  })
  .refine(({ between: [low, high] }) => low <= high, 'the first number must not be larger than the second');

export const CampaignInput = z
  .strictObject({
    /**
     * A JSONL file or a folder (its path as the worker's host finds it), a JSONL blob, or the problems. A line is a problem,
     * the path or id of one, its blob, or a row of SWE-bench, SWE-smith or R2E-Gym.
     */
    problems: CampaignProblemsInput,
    /** Ids; without them all. */
    only: z.array(z.string()).default([]),
    passRates: PassRates.optional(),
    methods: z
      .array(Method)
      .min(1)
      .refine(
        (methods) => new Set(methods.map(({ name }) => name)).size === methods.length,
        'two methods have the same name',
      ),
    passes: z.int().min(1).max(1000).default(1),
    /** `passes`: all instances once, then again, so that a campaign that is ended early says something of each. */
    order: z.enum(['passes', 'instances', 'shuffled']).default('passes'),
    /** No further pass of a method over an instance that it has resolved so often. What is in flight by then may go beyond. */
    resolvedPerInstance: z.int().min(1).optional(),
    /** Rollouts in flight at once. */
    concurrency: z.int().min(1).max(2000).default(4),
    /** Rollouts begun a minute; without it as fast as the window allows. */
    startsPerMinute: z.number().positive().optional(),
    budget: CampaignBudget.default({}),
    limits: Limits.prefault({}),
    sandbox: SandboxProfile.prefault({}),
    seed: z.int().default(0),
    /** Whose work it is: queues serve tenants in turn, by weight. */
    tenant: z.strictObject({ key: z.string().max(64), weight: z.number().min(0.001).max(1000).default(1) }).optional(),
    /** 1 is served first, 5 last. */
    priority: z.int().min(1).max(5).default(3),
    carry: CampaignCarry.optional(),
  })
  .refine(({ methods }) => methods.every(({ student, expert }) => student || expert), {
    path: ['methods'],
    message: 'each method needs a student, an expert or both',
  })
  .refine(({ methods }) => methods.every(({ teacherPrefix, student }) => !teacherPrefix || student), {
    path: ['methods'],
    message: 'a method with a teacher prefix needs a student',
  });
export type CampaignInput = z.infer<typeof CampaignInput>;

/** Judges the patches of rollouts again: with a new judge, other tests, or after an outage. No agent runs. */
export const RegradeInput = z.strictObject({
  sources: z.array(RolloutSource).min(1),
  /** Problems as of today, as a campaign is given them; without it, and of ids that are not among them, as they were then. */
  problems: CampaignProblemsInput.optional(),
  /** Rollouts that have a verdict already are judged all the same, or only those that have none. */
  only: z.enum(['all', 'ungraded']).default('all'),
  controls: GradeInput.shape.controls,
  /** Gradings at once. */
  concurrency: z.int().min(1).max(200).default(2),
  /** Written by continue-as-new. */
  carry: z.strictObject({ plan: Ref, next: z.int(), pages: z.array(Ref) }).optional(),
});
export type RegradeInput = z.infer<typeof RegradeInput>;

/** Two verdicts on one patch; null where there was none. */
export const VerdictChange = z.strictObject({
  id: z.string(),
  before: z.strictObject({ resolved: z.boolean(), verdict: GradeVerdict }).nullable(),
  after: z.strictObject({ resolved: z.boolean(), verdict: GradeVerdict }).nullable(),
  /** Why there is none now. */
  error: z.string().optional(),
});
export type VerdictChange = z.infer<typeof VerdictChange>;

export const RegradeResult = z.strictObject({
  /** Of rollouts: in the sources, judged, judged otherwise than before, and those that could not be judged. */
  counts: z.strictObject({ rows: z.int(), judged: z.int(), changed: z.int(), failed: z.int() }),
  /** The first 50; the rows have all. */
  changes: z.array(VerdictChange),
  /** `RolloutRow` lines with the new verdicts and, as `before`, the old: a source of data sets and analyses. */
  rollouts: Ref,
});
export type RegradeResult = z.infer<typeof RegradeResult>;

export const CampaignStatus = z.enum(['complete', 'budget_exhausted', 'abandoned', 'cancelled']);
export type CampaignStatus = z.infer<typeof CampaignStatus>;

export const CampaignResult = z.strictObject({
  id: z.string(),
  /** All but `complete`: rollouts were skipped, and their rows say why. */
  status: CampaignStatus,
  instances: z.int(),
  planned: z.int(),
  counts: CampaignCarry.shape.counts,
  /** As far as the rows alone say; what repeats itself is known once a data set is made. */
  funnels: z.array(z.strictObject({ method: z.string(), funnel: Funnel })),
  /** `rollouts.jsonl`: a `RolloutRow` a line, sorted by method, instance and pass. */
  rollouts: Ref,
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type CampaignResult = z.infer<typeof CampaignResult>;

/** A rollout in flight as a campaign knows it without asking it. */
export interface InFlight {
  readonly id: string;
  readonly instance: string;
  readonly method: string;
  readonly pass: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** Where a campaign is. Answer of the query `progress`. */
export interface CampaignProgress {
  readonly phase: string;
  readonly planned: number;
  readonly begun: number;
  readonly counts: CampaignResult['counts'];
  readonly inFlight: readonly InFlight[];
  readonly concurrency: number;
  readonly startsPerMinute: number | null;
  readonly budget: CampaignBudget;
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly todayUsd: number;
  readonly paused: boolean;
  /** Why nothing is begun. */
  readonly waiting?: string;
  /** Rows that are written so far, as blobs of lines. One may stand in two of them, where a run went on as a new one. */
  readonly pages: readonly Ref[];
}
