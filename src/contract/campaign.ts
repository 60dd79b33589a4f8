import { z } from 'zod';
import { HandOverPolicy } from './hand-over';
import { Limits } from './limits';
import { ProblemSource } from './problem';
import { ProfileName } from './profile';
import { Funnel } from './rollout-row';
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

/** A row as the workflow counts it, kept while the window is open. */
export const CampaignCarry = z.strictObject({
  set: z.strictObject({ instances: Ref, count: z.int() }).nullable(),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  /** Blobs of `RolloutRow` lines, in the order in which they were written. */
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
  startsPerMinute: z.number().nullable(),
  budget: CampaignBudget,
});
export type CampaignCarry = z.infer<typeof CampaignCarry>;

export const CampaignInput = z
  .strictObject({
    /** A JSONL file of problems or of problem folders (path as the worker's host finds it, or its blob), or the problems. */
    problems: z.union([z.string().min(1), Ref, z.array(ProblemSource).min(1)]),
    /** Ids; without them all. */
    only: z.array(z.string()).default([]),
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
    /** No further pass of a method over an instance that it has resolved so often. */
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
  });
export type CampaignInput = z.infer<typeof CampaignInput>;

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

/** Argument of the update `setRate`; null takes the limit off. */
export const SetRate = z.strictObject({ startsPerMinute: z.number().positive().nullable() });
export type SetRate = z.infer<typeof SetRate>;

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
  /** Rows that are written so far, as blobs of lines. */
  readonly pages: readonly Ref[];
}
