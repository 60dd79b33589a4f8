import type { TestCounts, TrialRecord } from '../../contract';
import { errorSignature, errorSignatures } from '../error-signature';

/** One run of the command that had failed. */
export interface Failing {
  readonly exitCode: number | null;
  readonly output: string;
  /** What its test run counted, where it was one. */
  readonly counts: TestCounts | null;
}

export interface Attribution {
  readonly outcome: TrialRecord['outcome'];
  /** Decisive lines. */
  readonly before: string;
  readonly after: string;
}

/**
 * Whether a trial helped, by evidence: the command that had failed is run again. Its error gone and nothing in its place is
 * success; the same error, fewer tests passing, or a command that does not get so far any more is failure; another error in
 * its place cannot be told from progress (a ladder of errors looks like that) unless the tests say so. Exit codes of the
 * trial itself say nothing.
 */
export function attribute(before: Failing, after: Failing): Attribution {
  const [was, is] = [errorSignature(before.output), after.exitCode === 0 ? '' : errorSignature(after.output)];
  return { outcome: outcomeOf(before, after, was, is), before: was, after: is };
}

function outcomeOf(before: Failing, after: Failing, was: string, is: string): TrialRecord['outcome'] {
  if (after.exitCode === 0) return 'success';
  if (before.counts && after.counts) {
    const gained = after.counts.passed - before.counts.passed;
    const broken = wrong(after.counts) - wrong(before.counts);
    if (gained > 0 && broken <= 0) return 'success';
    if (gained < 0) return 'failure';
  }
  if (fellBack(before, after)) return 'failure';
  if (is === was || errorSignatures(after.output).includes(was)) return 'failure';
  // From an error before the tests to tests that run: whatever they say now, that error is gone.
  if (!before.counts && after.counts && after.counts.passed > 0) return 'success';
  return 'neutral';
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
