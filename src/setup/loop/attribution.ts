import type { TestCounts, TrialRecord } from '../../contract';
import { errorSignature, errorSignatures } from '../error-signature';
import { NO_COUNTS } from '../roles/role';

/** One run of the command that had failed. */
export interface Failing {
  readonly exitCode: number | null;
  readonly output: string;
  /** What its test run counted, where it was one. */
  readonly counts: TestCounts | null;
}

export interface Attribution {
  readonly outcome: TrialRecord['outcome'];
  /** The command came further: to another error, or to more tests. On a ladder of errors each rung looks so. */
  readonly forward: boolean;
  /** Decisive lines. */
  readonly before: string;
  readonly after: string;
}

type Outcome = TrialRecord['outcome'];

/** How pytest ends where it was told to run nothing. */
const ONLY_LISTED = /^(?:=+ )?\d+(?:\/\d+)? tests? collected\b/m;

/**
 * Whether a trial helped, by evidence: the command that had failed is run again. Its error gone and nothing in its place is
 * success; the same error, fewer tests passing, or a command that does not get so far any more is failure; another error in
 * its place, and tests that neither pass nor fail any more, cannot be told from progress. Exit codes of the trial itself say
 * nothing, and that of the command only what its tests bear out: one that runs none of them ends well.
 */
export function attribute(before: Failing, after: Failing): Attribution {
  const was = errorSignature(before.output);
  if (after.exitCode !== 0) {
    const is = errorSignature(after.output);
    const outcome = whereItFails(before, after, was, is);
    // Cut off, nobody saw how far it came.
    return { outcome, forward: outcome !== 'failure' && after.exitCode !== null, before: was, after: is };
  }
  const outcome = whereItEndsWell(before, after);
  return {
    outcome,
    forward: outcome === 'success',
    before: was,
    after: outcome === 'success' ? '' : unproved(before, after),
  };
}

function whereItEndsWell(before: Failing, after: Failing): Outcome {
  const now = testsOf(after);
  // Some runners count tests only where one fails: what is not counted may well have passed.
  if (!now) return before.counts ? 'neutral' : 'success';
  if (!before.counts) return now.passed > 0 ? 'success' : 'neutral';
  const gained = now.passed - before.counts.passed;
  if (gained < 0) return 'failure';
  const same = gained === 0 && before.exitCode === 0;
  return now.passed === 0 || same || mostlyHidden(before.counts, now) ? 'neutral' : 'success';
}

function whereItFails(before: Failing, after: Failing, was: string, is: string): Outcome {
  if (before.counts && after.counts) {
    const gained = after.counts.passed - before.counts.passed;
    const broken = wrong(after.counts) - wrong(before.counts);
    if (gained > 0 && broken <= 0 && !mostlyHidden(before.counts, after.counts)) return 'success';
    if (gained < 0) return 'failure';
    // More were collected: what is wrong among those was not seen before, whatever its words.
    if (gained > 0) return 'neutral';
  }
  if (fellBack(before, after)) return 'failure';
  if (is === was || errorSignatures(after.output).includes(was)) return 'failure';
  // From an error before the tests to tests that run: whatever they say now, that error is gone.
  if (!before.counts && after.counts && after.counts.passed > 0) return 'success';
  return 'neutral';
}

/** What ran; a list of tests is a run of none. */
function testsOf({ counts, output }: Failing): TestCounts | null {
  return counts ?? (ONLY_LISTED.test(output) ? NO_COUNTS : null);
}

/** Whether more of what was wrong is skipped or left out now than passes. */
function mostlyHidden(before: TestCounts, after: TestCounts): boolean {
  const gained = after.passed - before.passed;
  return wrong(before) - wrong(after) - gained > gained;
}

/** Stands in place of an error where a command ends with 0 and that is no success. */
function unproved(before: Failing, after: Failing): string {
  const now = testsOf(after);
  if (!now) return 'exit code 0, and its tests are not counted any more';
  const tests = now.passed === 1 ? '1 test that passes' : `${now.passed} tests that pass`;
  return `exit code 0, with ${tests}${before.counts ? ` (${before.counts.passed} before)` : ''}`;
}

/** What the command needed to get as far as before is gone: tests to run, or the program itself. One cut off may be further. */
function fellBack(before: Failing, after: Failing): boolean {
  const testless = before.counts !== null && after.counts === null && after.exitCode !== null;
  return testless || (unstarted(after) && !unstarted(before));
}

/** What a shell answers for a program that it cannot find or run. */
function unstarted({ exitCode }: Failing): boolean {
  return exitCode === 126 || exitCode === 127;
}

function wrong({ failed, errors }: TestCounts): number {
  return failed + errors;
}
