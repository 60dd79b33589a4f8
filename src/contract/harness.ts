import { z } from 'zod';
import { FunctionTarget } from './function';

/**
 * An equivalence harness: Python source with one `def case_…(subject)` for each case, that builds inputs, uses the subject and
 * returns what there is to compare. The subject is the function, or the class of a method. The same cases run on the
 * reference and on a candidate, in containers of their own, and what they returned is compared as data: see `CaseOutcome`.
 */

/** A model profile's name, or one of the authors that need no model. */
export const HarnessAuthor = z
  .string()
  .regex(
    /^(builtin:recorded-calls|builtin:hypothesis|[a-z0-9][a-z0-9._-]{0,62})$/,
    'a model profile, builtin:recorded-calls or builtin:hypothesis',
  );
export type HarnessAuthor = z.infer<typeof HarnessAuthor>;

/** How much of the repository an author or a solver is shown. */
export const ContextKind = z.enum(['naive', 'full', 'sliced']);
export type ContextKind = z.infer<typeof ContextKind>;

/** `equivalence`: the reference says what is right. `prediction`: the author did, with assertions in the cases. */
export const HarnessMode = z.enum(['equivalence', 'prediction']);
export type HarnessMode = z.infer<typeof HarnessMode>;

export const Harness = z.strictObject({
  author: HarnessAuthor,
  context: ContextKind,
  mode: HarnessMode,
  source: z.string(),
  /** Names of the case functions, in order. */
  cases: z.array(z.string().regex(/^case_[A-Za-z0-9_]+$/)),
});
export type Harness = z.infer<typeof Harness>;

/**
 * A Python value as data. `t` names its type; containers hold their elements, objects their state by attribute. A value met
 * again is `ref` to the tree with that `id`, so that cycles end and aliases are seen. What is too large is cut and counted, and
 * hashed so that a difference still shows; the hash is empty for an iterator that was not run to its end.
 */
export type ValueTree = { id?: number } & (
  | { t: 'none' }
  | { t: 'bool'; v: boolean }
  | { t: 'int'; v: string }
  /** As `float.hex` writes it, or `nan`, `inf`, `-inf`. */
  | { t: 'float'; v: string }
  | { t: 'complex'; re: string; im: string }
  | { t: 'str'; v: string; cut?: Cut }
  | { t: 'bytes'; v: string; cut?: Cut }
  | { t: 'list' | 'tuple' | 'set' | 'frozenset' | 'deque'; type?: string; v: ValueTree[]; cut?: Cut }
  /** Consumed up to a bound: what it gave. */
  | { t: 'iterator'; v: ValueTree[]; cut?: Cut; raised?: ValueTree }
  | { t: 'dict'; type?: string; ordered?: true; v: [ValueTree, ValueTree][]; cut?: Cut }
  /** A value that has one spelling: dates, decimals, paths, enum members, patterns, ranges, slices. */
  | { t: 'scalar'; type: string; v: string }
  | { t: 'array'; type: string; dtype: string; shape: number[]; v: ValueTree[]; cut?: Cut }
  | { t: 'frame'; type: string; columns: ValueTree[]; index: ValueTree; v: ValueTree[]; cut?: Cut }
  | { t: 'exception'; type: string; v: ValueTree[] }
  /** A function, class or module by its name: nothing of it is compared but that. */
  | { t: 'name'; kind: 'function' | 'class' | 'module' | 'builtin'; v: string }
  | { t: 'object'; type: string; state: [string, ValueTree][] }
  | { t: 'ref'; v: number }
  | { t: 'opaque'; type: string; why: string }
);

export interface Cut {
  /** Elements, characters or bytes of the whole. */
  readonly of: number;
  readonly sha256: string;
}

/** What one case came to. */
export const CaseOutcome = z.strictObject({
  case: z.string(),
  /** `crashed`: its process ended without an answer. `missing`: it was never run. */
  status: z.enum(['returned', 'raised', 'timeout', 'crashed', 'missing']),
  /** What the case returned. */
  value: z.custom<ValueTree>().optional(),
  /** What came out of it as an exception; the message and trace are for people and are not compared. */
  raised: z.strictObject({ type: z.string(), message: z.string(), trace: z.string() }).optional(),
  /** Files that it left in the temporary directory it ran in, by path: their text, or base64 where it is none, or size and hash. */
  files: z
    .record(
      z.string(),
      z.union([
        z.string(),
        z.strictObject({ base64: z.string() }),
        z.strictObject({ bytes: z.int(), sha256: z.string() }),
      ]),
    )
    .default({}),
  /** Calls that reached the subject while the case ran. */
  calls: z.int().min(0).optional(),
  seconds: z.number().min(0),
});
export type CaseOutcome = z.infer<typeof CaseOutcome>;

/** One call of the subject as it was seen: for the docstring, and for cases made of real calls. */
export const ObservedCall = z.strictObject({
  arguments: z.array(z.strictObject({ name: z.string(), type: z.string(), repr: z.string() })),
  returned: z.strictObject({ type: z.string(), repr: z.string() }).nullable(),
  raised: z.string().nullable(),
});
export type ObservedCall = z.infer<typeof ObservedCall>;

/** Why a harness is of no use, as R2E classifies it; the last three are ours. */
export const HarnessFailure = z.enum([
  'value_or_type',
  'data_format',
  'assertion',
  'environment',
  /** Not the same in every run. */
  'flaky',
  /** No case that ever reached the subject. */
  'no_cases',
  /** The author gave nothing that could be read. */
  'malformed',
]);
export type HarnessFailure = z.infer<typeof HarnessFailure>;

export const HarnessTrouble = z.strictObject({
  failure: HarnessFailure,
  case: z.string().nullable(),
  message: z.string(),
  trace: z.string(),
});
export type HarnessTrouble = z.infer<typeof HarnessTrouble>;

export const MutantFate = z.strictObject({
  id: z.string(),
  operator: z.string(),
  line: z.int().min(1),
  before: z.string(),
  after: z.string(),
  /** Case that told it from the reference; null where it lived. */
  killedBy: z.string().nullable(),
});
export type MutantFate = z.infer<typeof MutantFate>;

/** What is known of a harness that passed on the reference itself, five times alike. */
export const HarnessQuality = z.strictObject({
  cases: z.int().min(0),
  /** Runs that were compared with the first; shuffled, with other hash seeds, and under load. */
  repeats: z.int().min(0),
  /** Cases that were taken out because they were not the same each time. */
  flaky: z.array(z.string()),
  /** Of the function's own lines, 0 to 1; 1 for a function without branches of which a line ran. */
  branchCoverage: z.number().min(0).max(1),
  lineCoverage: z.number().min(0).max(1),
  /** Lines of the function that no case reached. */
  missedLines: z.array(z.int()),
  mutants: z.array(MutantFate),
  /** Killed by all; null where the function has nothing to mutate. */
  mutationScore: z.number().min(0).max(1).nullable(),
  /** Share of cases that the function itself passes as a candidate: must be 1. */
  oracle: z.number(),
  /** Share of cases that a function which only raises passes: must be under 1, and no case of it may decide. */
  stub: z.number(),
});
export type HarnessQuality = z.infer<typeof HarnessQuality>;

/** Thresholds that admit a harness. */
export const HarnessGates = z.strictObject({
  branchCoverage: z.number().min(0).max(1).default(0.8),
  mutationScore: z.number().min(0).max(1).default(0.6),
  repeats: z.int().min(2).max(20).default(5),
  minCases: z.int().min(1).default(1),
});
export type HarnessGates = z.infer<typeof HarnessGates>;

/** Where a function lives in a container, and what has to be there for it to be imported. */
export const Subject = z.strictObject({
  target: FunctionTarget,
  /** Directory of the repository in the image. */
  workdir: z.string().startsWith('/'),
  /** Directories that Python finds the repository's packages in, relative to `workdir`; `.` is `workdir` itself. */
  importRoots: z.array(z.string()),
  /** Interpreter of the environment, as a command. */
  python: z.string(),
});
export type Subject = z.infer<typeof Subject>;
