import { matches, summed, type TestReader } from './reading';

/** Lua's busted: `2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds`. */
export const busted: TestReader = {
  framework: 'busted',
  command: /\bbusted\b/,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /^(\d+) success(?:es)? \/ (\d+) failures? \/ (\d+) errors? \/ (\d+) pending/).map(
        ([, passed, failed, errors, skipped]) => ({
          passed: Number(passed),
          failed: Number(failed),
          errors: Number(errors),
          skipped: Number(skipped),
        }),
      ),
    );
    if (!counts) return null;
    const failures = matches(lines, /^Failure → (\S+ @ \d+)$/).map(([, name]) => name ?? '');
    return { counts, failures };
  },
};
