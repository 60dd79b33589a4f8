import { z } from 'zod';
import { CaseOutcome, ObservedCall, Subject } from '../../contract';

/**
 * What we and the Python in `guest/` say to each other. Each script is started as `PYTHON guest/run.py REQUEST OUTPUT`: a file with
 * one JSON request, and a file (appended to) or the number of an inherited descriptor for JSON lines. PYTHONHASHSEED is the
 * caller's. The guest knows nothing of references and candidates: it runs cases on whatever stands in the work directory.
 */

/** `guest/run.py`: runs the cases of a harness on the subject, each in a process of its own. */
export const RunRequest = z.strictObject({
  subject: Subject,
  /** Source of the harness. */
  harness: z.string(),
  /** Case functions in the order in which they are run. */
  cases: z.array(z.string()),
  seed: z.int(),
  secondsPerCase: z.number().positive(),
  /** Elements, characters or bytes of one value that are kept. */
  keep: z.int().min(16).default(10_000),
  /** Calls of the subject that are reported with types and examples; 0 reports none. */
  observeCalls: z.int().min(0).default(0),
  /** Reports lines and branches of the subject's own lines, by coverage.py, which must be importable from `tools`. */
  coverage: z.boolean().default(false),
  /** Directory with coverage.py (and, for `GenerateRequest`, hypothesis): searched after all that the environment has. */
  tools: z.string().optional(),
  /** Busy processes beside the run, to shake out what depends on timing. */
  load: z.int().min(0).default(0),
});
export type RunRequest = z.infer<typeof RunRequest>;

const CoverageReport = z.strictObject({
  lines: z.strictObject({ total: z.int(), covered: z.int(), missed: z.array(z.int()) }),
  branches: z.strictObject({
    total: z.int(),
    covered: z.int(),
    /** `[from line, to line]`; a negative line is the way out of the function. */
    missed: z.array(z.tuple([z.int(), z.int()])),
  }),
});

/** Lines that `run.py` answers with, in this order; `end` is missing where it was cut off. */
export const RunLine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('began'),
    python: z.string(),
    /** File that the subject's module was really imported from. */
    file: z.string(),
  }),
  /** The harness or the subject cannot be imported: no case was run. `type` is empty where the process ended or hung. */
  z.strictObject({
    kind: z.literal('unusable'),
    stage: z.enum(['subject', 'harness']),
    type: z.string(),
    message: z.string(),
    trace: z.string(),
  }),
  z.strictObject({ kind: z.literal('case'), outcome: CaseOutcome }),
  z.strictObject({ kind: z.literal('calls'), calls: z.array(ObservedCall) }),
  z.strictObject({ kind: z.literal('coverage'), coverage: CoverageReport }),
  z.strictObject({ kind: z.literal('end') }),
]);
export type RunLine = z.infer<typeof RunLine>;

/**
 * A call that was seen while the repository's own tests ran, as Python source that makes it again. `setup` are statements
 * (imports, helpers), `subject(...)` stands for the call: `return call(subject, [1, 2], key=None)`.
 */
export const RecordedCall = z.strictObject({
  setup: z.array(z.string()),
  body: z.array(z.string()),
  /** Equal for calls that differ in nothing that can be seen. */
  digest: z.string(),
  /** Types of the arguments, so that a choice can be varied. */
  shape: z.string(),
  /** Test that made it. */
  test: z.string(),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

/** `guest/record.py`: runs the repository's tests under a tracer and gives back calls that can be made again. */
export const RecordRequest = z.strictObject({
  workdir: z.string(),
  importRoots: z.array(z.string()),
  subjects: z.array(Subject),
  /** Shell command that runs the tests; the tracer is loaded into every Python that it starts. */
  testCommand: z.string(),
  /** Calls kept of one function, chosen so that their shapes differ. */
  callsPerFunction: z.int().min(1),
  seconds: z.number().positive(),
});
export type RecordRequest = z.infer<typeof RecordRequest>;

export const RecordLine = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('function'),
    module: z.string(),
    name: z.string(),
    /** All calls seen, those that could not be made again, and why. */
    seen: z.int(),
    dropped: z.record(z.string(), z.int()),
    calls: z.array(RecordedCall),
  }),
  z.strictObject({ kind: z.literal('end'), exitCode: z.int().nullable(), output: z.string() }),
]);
export type RecordLine = z.infer<typeof RecordLine>;

/** `guest/generate.py`: inputs by hypothesis, from annotations, defaults, docstring and seen types. */
export const GenerateRequest = z.strictObject({
  subject: Subject,
  /** Types that arguments were seen to have, by name, as `ObservedCall` writes them. */
  seen: z.record(z.string(), z.array(z.string())).optional(),
  /** Directory with hypothesis. */
  tools: z.string().optional(),
  seed: z.int(),
  /** Calls that are wanted. */
  examples: z.int().min(1),
  seconds: z.number().positive(),
});
export type GenerateRequest = z.infer<typeof GenerateRequest>;

export const GenerateLine = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('calls'), calls: z.array(RecordedCall) }),
  /** No calls: no strategy for this argument, or `*` where it is not for one argument; and why. */
  z.strictObject({ kind: z.literal('refused'), argument: z.string(), why: z.string() }),
  z.strictObject({ kind: z.literal('end') }),
]);
export type GenerateLine = z.infer<typeof GenerateLine>;
