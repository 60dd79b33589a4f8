import { z } from 'zod';
import { ProblemSource, TestOutcome } from './problem';
import { Ref } from './step';

export const GradeInput = z.strictObject({
  problem: ProblemSource,
  /** A git patch as text, or a blob. The empty patch is allowed and scores what the repository scores as it is. */
  patch: z.union([z.string(), Ref]),
  /**
   * How many FAIL_TO_PASS tests are changed alone among their untouched siblings, and run in a process of their own: a
   * `sample` of three, or `all`. With `none` nobody looks for a bribe.
   */
  controls: z.enum(['sample', 'all', 'none']).default('sample'),
});
export type GradeInput = z.infer<typeof GradeInput>;

/** What a wrong expectation is made of, the one that catches most first. */
export const VariantKind = z.enum(['value', 'table', 'helper', 'value-type', 'raises', 'negate', 'must-fail']);
export type VariantKind = z.infer<typeof VariantKind>;

export const Tally = z.strictObject({
  passed: z.int(),
  total: z.int(),
  /** The first that did not pass, be it that they failed, were skipped or never ran; `outcomes` has all. */
  missing: z.array(z.string()),
});
export type Tally = z.infer<typeof Tally>;

/** Which FAIL_TO_PASS tests of a problem have a control. */
export const ProblemControls = z.strictObject({
  tests: z.int(),
  of: z.int(),
  /** Those by the kind of their best control. */
  kinds: z.partialRecord(VariantKind, z.int()),
  /** Why the others have none, the most frequent reason first. */
  without: z.array(z.strictObject({ why: z.string(), tests: z.int(), first: z.string() })),
  /** All that is known of the tests, as a JSON blob. */
  kept: Ref,
});
export type ProblemControls = z.infer<typeof ProblemControls>;

export const ProblemControlsInput = z.strictObject({ problem: ProblemSource });
export type ProblemControlsInput = z.infer<typeof ProblemControlsInput>;

/** A test that ran with a wrong expectation, and what came of it. */
export const ControlCheck = z.strictObject({
  test: z.string(),
  kind: VariantKind,
  path: z.string(),
  /** From 1, in the test file. */
  line: z.int(),
  was: z.string(),
  now: z.string(),
  /** Null for one that did not run. */
  outcome: TestOutcome.nullable(),
});
export type ControlCheck = z.infer<typeof ControlCheck>;

export const ControlReport = z.strictObject({
  /** FAIL_TO_PASS tests that have a control, of all of them. */
  tests: z.int(),
  of: z.int(),
  /** Those by the kind of their best control. */
  kinds: z.partialRecord(VariantKind, z.int()),
  /** Wrong expectations that were run and gave evidence, one for each test and run. */
  run: z.int(),
  /** Those that passed, and passed again with other constants. */
  passed: z.array(ControlCheck),
  /** Tests that gave no evidence, not even alone: they did not run under a control. The first of them. */
  silent: z.array(z.string()),
  /** FAIL_TO_PASS tests that pass among others and fail in a process of their own, where the gold patch passes. */
  dependent: z.array(z.string()),
});
export type ControlReport = z.infer<typeof ControlReport>;

/** What an honest fix seldom has. Advice: it never decides. */
export const Suspicion = z.strictObject({
  kind: z.string(),
  path: z.string(),
  line: z.int().nullable(),
  detail: z.string(),
});
export type Suspicion = z.infer<typeof Suspicion>;

/** How reviews of models are signed, before the profile's name. */
export const BY_MODEL = 'model ';

/** A doubtful verdict, settled. */
export const Review = z.strictObject({
  accepted: z.boolean(),
  why: z.string().min(1),
  by: z.string().min(1),
  /** ISO 8601. */
  at: z.string(),
  /** Turns from this one on, counted from 1, leave all data sets. */
  invalidFrom: z.int().min(1).optional(),
});
export type Review = z.infer<typeof Review>;

export const RolloutReviewInput = z.strictObject({
  /** Id of a rollout that has ended. */
  rollout: z.string().min(1),
  /** Profile of the model that is asked. */
  reviewer: z.string().min(1),
});
export type RolloutReviewInput = z.infer<typeof RolloutReviewInput>;

/** A change of the patch that the problem does not leave to the candidate, and that was not judged. */
export const LeftOut = z.strictObject({
  path: z.string(),
  /** Which rule it is of, as a short stable name. */
  kind: z.string(),
  /** A sentence goes on: the path …. */
  why: z.string(),
});
export type LeftOut = z.infer<typeof LeftOut>;

/** One run of the tests in a container of its own. */
export const GradingRun = z.strictObject({
  /** What it was, in words. */
  name: z.string(),
  seconds: z.number(),
  outcomes: Ref,
  /** `ControlCheck` of each test whose expectation was wrong in this run, as a JSON blob; null for true ones. */
  checks: Ref.nullable(),
  log: Ref,
});
export type GradingRun = z.infer<typeof GradingRun>;

export const GradeVerdict = z.enum([
  /** The tests ran. */
  'graded',
  /** A wrong expectation passed: what passes says nothing. */
  'bribed',
  /** Everything passed, and of some wrong expectations it cannot be said whether they would. */
  'controls_incomplete',
  'patch_failed',
  'no_tests',
  'timed_out',
]);
export type GradeVerdict = z.infer<typeof GradeVerdict>;

export const GradeResult = z.strictObject({
  /** FAIL_TO_PASS and PASS_TO_PASS pass with the true expectations, and no test passes with a wrong one. */
  resolved: z.boolean(),
  verdict: GradeVerdict,
  /** What stands behind a verdict that is not `graded`, in a line. */
  detail: z.string().optional(),
  failToPass: Tally,
  passToPass: Tally,
  /** Null where no control was run: the real run failed, or none was asked for. */
  controls: ControlReport.nullable(),
  suspicion: z.array(Suspicion),
  leftOut: z.array(LeftOut),
  /** All outcomes of the real run by test id, as a JSON blob. */
  outcomes: Ref,
  /** What the test command printed in the real run. */
  log: Ref,
  runs: z.array(GradingRun),
  seconds: z.number(),
  /** What the tests gave beside their outcome, where they write a reward: numbers by name. */
  rewards: z.record(z.string(), z.number()).optional(),
});
export type GradeResult = z.infer<typeof GradeResult>;

export const ProblemCheckInput = z.strictObject({
  problem: ProblemSource,
  /** Runs of the tests on the gold patch; an outcome that differs between runs is flaky. */
  runs: z.int().min(2).max(20).default(2),
});
export type ProblemCheckInput = z.infer<typeof ProblemCheckInput>;

/** Tests of a problem by what its runs say of them. */
export const TestLists = z.strictObject({
  failToPass: z.array(z.string()),
  passToPass: z.array(z.string()),
  /** Those whose outcome differs between runs of the same code, and in how many of the runs they passed. */
  flaky: z.array(z.strictObject({ test: z.string(), passed: z.int(), of: z.int() })),
});
export type TestLists = z.infer<typeof TestLists>;

export const ProblemCheckResult = z.strictObject({
  id: z.string(),
  /** 1 when the gold patch resolves the problem in every run. */
  oracle: z.int(),
  /** 1 would mean that doing nothing resolves it. */
  noop: z.int(),
  flaky: z.int(),
  failToPass: z.int(),
  passToPass: z.int(),
  /** `TestLists`: which tests these are, as a JSON blob. */
  lists: Ref,
  /** Which of FAIL_TO_PASS are judged by wrong expectations too; null for a problem that is not admitted. */
  controls: ProblemControls.nullable(),
  admitted: z.boolean(),
  reasons: z.array(z.string()),
  /** Outcome by test id of the no-op and of each gold run, as a JSON blob. */
  outcomes: Ref,
});
export type ProblemCheckResult = z.infer<typeof ProblemCheckResult>;

export const ProblemInitResult = z.strictObject({
  id: z.string(),
  image: z.string(),
  /** The problem with its measured lists, as a JSON blob. */
  problem: Ref,
  check: ProblemCheckResult,
});
export type ProblemInitResult = z.infer<typeof ProblemInitResult>;
