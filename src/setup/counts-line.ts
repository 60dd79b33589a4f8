import type { TestCounts } from '../contract';

/** The numbers of a test run in a line. */
export function countsLine({ passed, failed, errors, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${errors} errors, ${skipped} skipped`;
}
