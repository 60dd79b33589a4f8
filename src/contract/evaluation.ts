import { z } from 'zod';
import { ContextKind } from './harness';
import { SharedBudget } from './rollout';
import { SandboxProfile } from './sandbox';
import { Ref } from './step';

/**
 * Who solves: a model profile, or a built-in that proves the machinery. `oracle` answers with the reference, `stub` with a body
 * that raises, `mutant` with the reference changed in one place, so that a right harness fails it.
 */
export const Solver = z
  .string()
  .regex(
    /^(builtin:(oracle|stub|mutant)|[a-z0-9][a-z0-9._-]{0,62})$/,
    'a model profile, builtin:oracle, builtin:stub or builtin:mutant',
  );

export const EvaluationInput = z.strictObject({
  /** `problems.jsonl` of a build: its path as the worker's host finds it, or its blob. */
  problems: z.union([z.string().min(1), Ref]),
  solver: Solver,
  /** Ids; without them all of the file. */
  only: z.array(z.string()).default([]),
  /** Samples of each problem (n). */
  samples: z.int().min(1).max(200).default(5),
  temperature: z.number().min(0).max(2).default(0.2),
  topP: z.number().min(0).max(1).default(0.95),
  /** k of each PASS@k, none above `samples`. */
  k: z.array(z.int().min(1)).default([1]),
  context: ContextKind.default('sliced'),
  /** Asks for a plan before the code, as one prompt. */
  planFirst: z.boolean().default(false),
  /** Repair of problems that no sample solved; 0 leaves it out. */
  repairs: z.int().min(0).max(20).default(0),
  /** Candidates in flight at once. */
  concurrency: z.int().min(1).max(256).default(4),
  /** Seconds that one case may take. */
  secondsPerCase: z.number().positive().default(10),
  sandbox: SandboxProfile.prefault({ memoryMiB: 2048, pids: 256 }),
  seed: z.int().default(0),
  /** USD for all calls. Needs a price in the profile. */
  costUsd: z.number().positive().optional(),
  budget: SharedBudget.optional(),
});
export type EvaluationInput = z.infer<typeof EvaluationInput>;

/** What came of one candidate. */
export const CandidateOutcome = z.strictObject({
  problem: z.string(),
  /** From 0; a repair's number follows the sample's it began from. */
  sample: z.int().min(0),
  /** 0 for a first answer. */
  repair: z.int().min(0),
  passed: z.boolean(),
  /** `unreadable`: no function could be read out of the reply. `misplaced`: it does not fit where the function was. */
  verdict: z.enum(['passed', 'different', 'raised', 'timeout', 'crashed', 'unreadable', 'misplaced']),
  cases: z.strictObject({ passed: z.int(), total: z.int() }),
  /** First case that told it from the reference: inputs, expected, what came instead, trace. */
  detail: z.string(),
  /** The candidate's source as a blob; null when unreadable. */
  code: Ref.nullable(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type CandidateOutcome = z.infer<typeof CandidateOutcome>;

export const Estimate = z.strictObject({
  value: z.number(),
  /** 95 %, by bootstrap over problems. */
  low: z.number(),
  high: z.number(),
  n: z.int(),
});
export type Estimate = z.infer<typeof Estimate>;

export const EvaluationResult = z.strictObject({
  id: z.string(),
  solver: z.string(),
  context: ContextKind,
  problems: z.int(),
  samples: z.int(),
  /** PASS@k, unbiased: 1 − C(n−c, k) / C(n, k), averaged over problems. */
  passAtK: z.array(z.strictObject({ k: z.int(), estimate: Estimate })),
  /** PASS@1 by number of dependencies, tokens of the reference, and in-file or out-file. */
  breakdown: z.array(z.strictObject({ by: z.string(), bucket: z.string(), estimate: Estimate })),
  verdicts: z.record(z.string(), z.int()),
  /** Share of the unsolved problems that were solved after each iteration, from 0. Null without self-repair. */
  repair: z.strictObject({ tried: z.int(), solvedAfter: z.array(z.int()), rates: z.array(Estimate) }).nullable(),
  /** `candidates.jsonl`: a `CandidateOutcome` a line, sorted. */
  candidates: Ref,
  /** Markdown with tables and the plots as text. */
  report: Ref,
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;

export interface EvaluationProgress {
  readonly phase: string;
  readonly candidates: number;
  readonly done: number;
  readonly passed: number;
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}
