import { z } from 'zod';
import { ConsideredFunction, FilterTable, FunctionTarget, Slice } from './function';
import {
  ContextKind,
  Harness,
  HarnessAuthor,
  HarnessFailure,
  HarnessGates,
  HarnessMode,
  HarnessQuality,
  HarnessTrouble,
  Subject,
} from './harness';
import { SharedBudget } from './rollout';
import { sandboxOf } from './sandbox';
import { SourceName } from './source';
import { Ref } from './step';

/** An image with one repository and revision installed: what `repoSetup` leaves, or any other. */
export const FunctionEnvironment = z.strictObject({
  image: z.string().min(1),
  workdir: z.string().startsWith('/').default('/repo'),
  /** For provenance, and to make the image again where its tag is unknown. */
  source: SourceName.optional(),
  sha256: z.string().optional(),
  licence: z.string().nullable().optional(),
  /** Runs the repository's own tests: what calls are recorded from. */
  testCommand: z.string().min(1).optional(),
  /** Interpreter, where it is not the one that `python3` or `python` names in the work directory. */
  python: z.string().optional(),
});
export type FunctionEnvironment = z.infer<typeof FunctionEnvironment>;

/** Who writes a harness, from what, and how. */
export const HarnessAttempt = z.strictObject({
  author: HarnessAuthor,
  context: ContextKind.default('sliced'),
  mode: HarnessMode.default('equivalence'),
  /** Times that a model may mend its harness after being told what came of it. */
  repairs: z.int().min(0).max(10).default(3),
});
export type HarnessAttempt = z.infer<typeof HarnessAttempt>;

const Shared = {
  gates: HarnessGates.prefault({}),
  /** Tried in order until one is admitted; with `all` every one is tried and the best is kept. */
  attempts: z
    .array(HarnessAttempt)
    .min(1)
    .prefault([{ author: 'builtin:recorded-calls' }, { author: 'builtin:hypothesis' }]),
  tryAll: z.boolean().default(false),
  /** Who rewrites docstrings: a model profile, or `builtin:types`, which appends types and examples. */
  refiner: z.string().default('builtin:types'),
  /** Tokens of a `full` or `sliced` context. */
  contextTokens: z.int().min(256).default(6000),
  seed: z.int().default(0),
  /** Seconds that one case may take. */
  secondsPerCase: z.number().positive().default(10),
  casesPerFunction: z.int().min(1).max(200).default(24),
  mutantsPerFunction: z.int().min(1).max(500).default(40),
  sandbox: sandboxOf({ memoryMiB: 2048, pids: 256 }),
  budget: SharedBudget.optional(),
};

/** What a continued build takes over from the run before. Written by continue-as-new; do not write it by hand. */
export const FunctionProblemsCarry = z.strictObject({
  read: z.strictObject({
    environment: FunctionEnvironment,
    /** What was read of the repository, and how many of its functions are worked on. */
    repository: Ref,
    functions: z.int(),
    /** Calls that its own tests made, by function. */
    recorded: Ref.nullable(),
  }),
  done: z.strictObject({
    /** Blobs of `FunctionProblemEnd` lists. */
    pages: z.array(Ref),
    tried: z.int(),
    admitted: z.int(),
    cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
  }),
  window: z.strictObject({ next: z.int(), concurrency: z.int(), paused: z.boolean() }),
});
export type FunctionProblemsCarry = z.infer<typeof FunctionProblemsCarry>;

export const FunctionProblemsInput = z.strictObject({
  /** The id of a finished `repoSetup`, or an environment. */
  environment: z.union([z.string().min(1), FunctionEnvironment]),
  filters: FilterTable.default({}),
  /** Dotted names (`toolz.recipes.countby`); without them all that pass the filters. */
  only: z.array(z.string()).default([]),
  /** Functions that are worked on, in the order of their names. */
  maxFunctions: z.int().min(1).default(1000),
  /** Functions worked on at once. */
  concurrency: z.int().min(1).max(64).default(2),
  ...Shared,
  carry: FunctionProblemsCarry.optional(),
});
export type FunctionProblemsInput = z.infer<typeof FunctionProblemsInput>;

export const FunctionProblemInput = z.strictObject({
  environment: FunctionEnvironment,
  /** Dotted name of the function, for people. */
  name: z.string(),
  /** What was read of the function: a blob written by `functionProblems`. */
  prepared: Ref,
  /** Calls that the repository's own tests made, by function: a blob written by `functionProblems`. */
  recorded: Ref.nullable(),
  ...Shared,
});
export type FunctionProblemInput = z.infer<typeof FunctionProblemInput>;

/** What was tried, for the table author × context. */
export const AttemptRecord = z.strictObject({
  attempt: HarnessAttempt,
  /** Self-equivalent, repeatable, with at least one case that reached the function. */
  valid: z.boolean(),
  failures: z.array(HarnessFailure),
  repairs: z.int(),
  quality: HarnessQuality.nullable(),
  troubles: z.array(HarnessTrouble),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

export const Specification = z.strictObject({
  /** The docstring as the repository has it. */
  original: z.string(),
  refined: z.string(),
  /** `model`: rewritten by one. `types`: types and examples that were seen are appended, nothing else. */
  by: z.enum(['model', 'types']),
  argumentTypes: z.record(z.string(), z.array(z.string())),
  returnTypes: z.array(z.string()),
});
export type Specification = z.infer<typeof Specification>;

/** A function problem: docstring D, the rest of the repository R, harness T. One line of `problems.jsonl`. */
export const FunctionInstance = z.strictObject({
  id: z.string(),
  environment: FunctionEnvironment,
  subject: Subject,
  slice: Slice,
  /** Items that it depends on, directly or not: |D_f|, itself left out. */
  dependencies: z.int().min(0),
  /** Whether any of them is in another file. */
  outOfFile: z.boolean(),
  specification: Specification,
  /** `def` line to the end of the docstring, as a solver is shown it. */
  signature: z.string(),
  /** The function as the repository has it. Never in a candidate's container. */
  reference: z.string(),
  /** The file that holds it, as the repository has it. */
  moduleText: z.string(),
  /** Lines of code and tokens of it, without docstring. */
  size: z.strictObject({ lines: z.int(), tokens: z.int() }),
  /** Contexts for a solver, the reference's own body taken out. */
  contexts: z.record(ContextKind, z.string()),
  harness: Harness,
  /** What random numbers of the cases were seeded with when the reference ran; 0 where it is not said. */
  seed: z.int().optional(),
  /** `CaseOutcome` of each case on the reference: what a candidate is compared with. */
  expected: z.array(z.unknown()),
  quality: HarnessQuality,
});
export type FunctionInstance = z.infer<typeof FunctionInstance>;

export const FunctionProblemResult = z.strictObject({
  id: z.string(),
  target: FunctionTarget,
  admitted: z.boolean(),
  /** Why not; empty when admitted. */
  reasons: z.array(z.string()),
  /** The instance as a blob, null when there is none worth keeping. */
  instance: Ref.nullable(),
  attempts: z.array(AttemptRecord),
  outOfFile: z.boolean(),
  dependencies: z.int(),
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type FunctionProblemResult = z.infer<typeof FunctionProblemResult>;

/** A line of `tried.jsonl`: a function that was worked on, with what every author's harness was worth. */
export const TriedFunction = FunctionProblemResult.pick({
  id: true,
  target: true,
  admitted: true,
  outOfFile: true,
  attempts: true,
});
export type TriedFunction = z.infer<typeof TriedFunction>;

/** What a run of `functionProblem` gives back. Small, because its parent may have thousands of them. */
export const FunctionProblemEnd = z.strictObject({
  name: z.string(),
  admitted: z.boolean(),
  /** Why not, in a line. */
  reason: z.string(),
  /** `FunctionProblemResult` as a blob. */
  result: Ref,
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type FunctionProblemEnd = z.infer<typeof FunctionProblemEnd>;

export const FunctionProblemsResult = z.strictObject({
  id: z.string(),
  environment: FunctionEnvironment,
  functions: z.int(),
  /** How many each rule left out, in the order of the rules; the last is what was taken. */
  funnel: z.array(z.strictObject({ rule: z.string(), left: z.int(), rejected: z.int() })),
  tried: z.int(),
  admitted: z.int(),
  /** `problems.jsonl`: a `FunctionInstance` a line, sorted by id. */
  instances: Ref,
  /** `rejected.jsonl`: functions with the reason why they are no problem. */
  rejected: Ref,
  /** `tried.jsonl`: a `TriedFunction` a line, sorted by id. Builds of earlier versions have none. */
  tries: Ref.optional(),
  /** Rows as SWE-bench has them. */
  rows: Ref,
  /** Tables like the paper's 1 and 3, in Markdown. */
  report: Ref,
  cost: z.strictObject({ usd: z.number(), tokens: z.int() }),
});
export type FunctionProblemsResult = z.infer<typeof FunctionProblemsResult>;

/** A line of `rejected.jsonl`. */
export const RejectedFunction = z.union([
  ConsideredFunction,
  z.strictObject({ target: FunctionTarget, reasons: z.array(z.string()), attempts: z.array(AttemptRecord) }),
]);
export type RejectedFunction = z.infer<typeof RejectedFunction>;

/** Where a build is. Answer of the query `progress`. */
export interface FunctionProblemsProgress {
  readonly phase: string;
  readonly functions: number;
  readonly tried: number;
  readonly admitted: number;
  readonly working: readonly string[];
  readonly cost: { readonly usd: number; readonly tokens: number };
  readonly paused: boolean;
}
