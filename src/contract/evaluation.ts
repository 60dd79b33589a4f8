import { z } from 'zod';
import { ContextKind } from './harness';
import { SharedBudget } from './rollout';
import { sandboxOf } from './sandbox';
import { Ref } from './step';

/**
 * Who solves: a model profile, or a built-in that proves the machinery. `oracle` answers with the reference, `stub` with a body
 * that raises, `mutant` with the reference changed in one place, so that a right harness fails it.
 */
const Solver = z
  .string()
  .regex(
    /^(builtin:(oracle|stub|mutant)|[a-z0-9][a-z0-9._-]{0,62})$/,
    'a model profile, builtin:oracle, builtin:stub or builtin:mutant',
  );

/** What a continued evaluation takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const EvaluationCarry = z.strictObject({
  /** The `ProblemSet`; null before it was read. */
  set: z.strictObject({ problemSet: Ref, problems: z.int() }).nullable(),
  /** Problems to repair, once the samples are through. */
  repairs: z.strictObject({ plan: Ref, problems: z.int() }).nullable(),
  /** Where the window stands among the samples, or among the repairs. */
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
  /** Blobs of `CandidateOutcome` lines, in the order in which they were written. */
  pages: z.array(Ref),
  /** Candidates that there is an outcome of. */
  done: z.int(),
  passed: z.int(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  /** The cap, where a person has changed it. */
  costUsd: z.number().optional(),
});
export type EvaluationCarry = z.infer<typeof EvaluationCarry>;

export const EvaluationInput = z
  .strictObject({
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
    k: z.array(z.int().min(1)).min(1).default([1]),
    context: ContextKind.default('sliced'),
    /** Asks for a plan before the code, as one prompt. */
    planFirst: z.boolean().default(false),
    /** Iterations of self-repair of problems that no sample solved; 0 leaves it out. */
    repairs: z.int().min(0).max(20).default(0),
    /** Candidates in flight at once. */
    concurrency: z.int().min(1).max(256).default(4),
    /** Seconds that one case may take. */
    secondsPerCase: z.number().positive().default(10),
    sandbox: sandboxOf({ memoryMiB: 2048, pids: 256 }),
    /** Seeds what models and mutants are drawn with, and the bootstrap. */
    seed: z.int().default(0),
    /** USD for all calls of this evaluation. Needs a price in the profile. */
    costUsd: z.number().positive().optional(),
    /** Instead of `costUsd`: a cap that other runs share. */
    budget: SharedBudget.optional(),
    carry: EvaluationCarry.optional(),
  })
  .refine(({ k, samples }) => k.every((each) => each <= samples), {
    path: ['k'],
    message: 'no k may be larger than the number of samples',
  })
  .refine(({ costUsd, budget }) => costUsd === undefined || budget === undefined, {
    path: ['costUsd'],
    message: 'a cap of its own and a shared budget exclude each other',
  });
export type EvaluationInput = z.infer<typeof EvaluationInput>;

/** What is known of a problem without looking into it; one entry of a `ProblemSet`. */
export const ProblemEntry = z.strictObject({
  id: z.string(),
  /** The `FunctionInstance`. */
  instance: Ref,
  /** |D_f|, and whether any of it lies in another file. */
  dependencies: z.int(),
  outOfFile: z.boolean(),
  /** Of the reference, without docstring. */
  tokens: z.int(),
  cases: z.int(),
});
export type ProblemEntry = z.infer<typeof ProblemEntry>;

/** The problems of an evaluation, sorted by id. */
export const ProblemSet = z.array(ProblemEntry);
export type ProblemSet = z.infer<typeof ProblemSet>;

export const CandidateVerdict = z.enum([
  'passed',
  'different',
  'raised',
  'timeout',
  'crashed',
  /** No function could be read out of the reply. */
  'unreadable',
  /** It does not fit where the function was. */
  'misplaced',
  /** The prompt does not fit into the model's context window. */
  'too_long',
  /** The provider refused to answer. Says nothing of the model, so it is no sample. */
  'unanswered',
  /** The candidate could not be run. Says nothing of it, so it is no sample. */
  'unjudged',
]);
export type CandidateVerdict = z.infer<typeof CandidateVerdict>;

/** Verdicts that are an outage of something else than the solver: neither a pass nor a failure. */
export const NO_SAMPLE: readonly CandidateVerdict[] = ['unanswered', 'unjudged'];

/** What came of one candidate. */
export const CandidateOutcome = z.strictObject({
  problem: z.string(),
  /** From 0; a repair carries the number of the sample that it began from. */
  sample: z.int().min(0),
  /** 0 for a first answer. */
  repair: z.int().min(0),
  passed: z.boolean(),
  verdict: CandidateVerdict,
  cases: z.strictObject({ passed: z.int(), total: z.int() }),
  /** First case that told it from the reference: inputs, expected, what came instead, trace. */
  detail: z.string(),
  /** The candidate's source as a blob; null when there is none. */
  code: Ref.nullable(),
  /** The reply that it was read from, as text; null for built-in solvers and where there was none. */
  reply: Ref.nullable(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type CandidateOutcome = z.infer<typeof CandidateOutcome>;

export const Estimate = z.strictObject({
  value: z.number(),
  /** 95 %, by bootstrap over problems. */
  low: z.number(),
  high: z.number(),
  /** Problems that it is over. */
  n: z.int(),
});
export type Estimate = z.infer<typeof Estimate>;

export const EvaluationStatus = z.enum(['complete', 'budget_exhausted', 'abandoned', 'cancelled']);
export type EvaluationStatus = z.infer<typeof EvaluationStatus>;

export const EvaluationResult = z.strictObject({
  id: z.string(),
  /** All but `complete`: candidates are missing, and figures are over those that there are. */
  status: EvaluationStatus,
  solver: z.string(),
  context: ContextKind,
  planFirst: z.boolean(),
  problems: z.int(),
  samples: z.int(),
  /** Problems that a first answer solved. */
  solved: z.int(),
  /** PASS@k, unbiased: 1 − C(n−c, k) / C(n, k), averaged over problems that have k samples. */
  passAtK: z.array(z.strictObject({ k: z.int(), estimate: Estimate })),
  /** PASS@1 by number of dependencies, tokens of the reference, and in-file or out-file. */
  breakdown: z.array(z.strictObject({ by: z.string(), bucket: z.string(), estimate: Estimate })),
  /** Of first answers. */
  verdicts: z.record(z.string(), z.int()),
  /** Share of the unsolved problems that were solved after each iteration, from 0. Null without self-repair. */
  repair: z.strictObject({ tried: z.int(), solvedAfter: z.array(z.int()), rates: z.array(Estimate) }).nullable(),
  problemSet: Ref,
  /** `candidates.jsonl`: a `CandidateOutcome` a line, sorted by problem, sample and repair. */
  candidates: Ref,
  /** Markdown with tables and the plots as text. */
  report: Ref,
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type EvaluationResult = z.infer<typeof EvaluationResult>;

/** Argument of the update `setConcurrency`. */
export const SetConcurrency = z.strictObject({ concurrency: z.int().min(1).max(256) });
export type SetConcurrency = z.infer<typeof SetConcurrency>;

/** Where an evaluation is. Answer of the query `progress`. */
export interface EvaluationProgress {
  readonly phase: string;
  /** First answers that are asked for: problems × samples. */
  readonly candidates: number;
  /** Problems that self-repair is tried on; null before that is known. */
  readonly toRepair: number | null;
  /** Candidates that there is an outcome of, repaired ones among them. */
  readonly done: number;
  readonly passed: number;
  readonly inFlight: number;
  readonly concurrency: number;
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}
