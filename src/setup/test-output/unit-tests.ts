import { type Lines, matches, named, summed, type TestReader, tallyOf } from './reading';

/** Frameworks that are linked into a test program of C or C++, which prints this itself. None tells its reports apart. */

export const googletest: TestReader = {
  framework: 'googletest',
  command: /\bgtest\b/,
  reports: null,
  read(lines) {
    const runs = matches(lines, /^\[={10}\] (\d+) tests? from \d+ test (?:suites?|cases?) ran\b/);
    if (runs.length === 0) return null;
    const sum = (pattern: RegExp) => matches(lines, pattern).reduce((total, [, count]) => total + Number(count), 0);
    const passed = sum(/^\[ {2}PASSED {2}\] (\d+) tests?\.$/);
    const skipped = sum(/^\[ {2}SKIPPED \] (\d+) tests?\b/);
    const total = runs.reduce((all, [, count]) => all + Number(count), 0);
    const failed = total - passed - skipped;
    return {
      counts: summed([{ passed, failed, skipped }])!,
      ...named(lines, /^\[ {2}FAILED {2}\] ([\w/]+\.[\w/]+)/),
    };
  },
};

/** `cmocka`, which borrowed GoogleTest's looks. */
export const cmocka: TestReader = {
  framework: 'cmocka',
  command: /\bcmocka\b/,
  reports: null,
  read(lines) {
    const sum = (word: string) =>
      matches(lines, new RegExp(`^\\[\\s+${word}\\s+\\] (?:[^:]+: )?(\\d+) test\\(s\\)`)).map(([, count]) =>
        Number(count),
      );
    if (!lines.some((line) => /^\[={10}\] (?:[^:]+: )?\d+ test\(s\) run\.$/.test(line))) return null;
    const runs = [
      ...sum('PASSED').map((passed) => ({ passed })),
      ...sum('FAILED').map((failed) => ({ failed })),
      ...sum('SKIPPED').map((skipped) => ({ skipped })),
      ...matches(lines, /^\s*(\d+) FAILED SETUP\b/).map(([, errors]) => ({ errors: Number(errors) })),
    ];
    return { counts: summed([...runs, {}])!, ...named(lines, /^\[ {2}FAILED {2}\] ([A-Za-z_]\w*)$/) };
  },
};

/** Catch2 heads what went wrong in a test case with its name between two bars; sections stand below it with an indent. */
function betweenBars(lines: Lines): { failures: string[]; named: number } {
  const isBar = (line: string | undefined) => /^-{60,}$/.test(line ?? '');
  const names = lines.filter((line, at) => {
    if (!/^\S/.test(line) || isBar(line) || !isBar(lines[at - 1])) return false;
    return isBar(lines.slice(at + 1).find((next) => /^\S/.test(next)));
  });
  return { failures: [...new Set(names)], named: names.length };
}

/** Catch2, and doctest for C++, which prints nearly the same. */
export const catch2: TestReader = {
  framework: 'catch2',
  command: /\bcatch2?\b/,
  reports: null,
  read(lines) {
    const some = matches(lines, /^(?:\[doctest\] )?test cases:\s+(\d+) \|(.*)$/).map(([, , text]) => {
      const tally = tallyOf(text!, /\|/);
      const skipped = (tally.skipped ?? 0) + (tally['failed as'] ?? 0);
      return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped };
    });
    const all = matches(lines, /^All tests passed \(.*\bin (\d+) test cases?\)$/).map(([, passed]) => ({
      passed: Number(passed),
    }));
    const none = matches(lines, /^No tests ran$/).map(() => ({}));
    const counts = summed([...some, ...all, ...none]);
    if (!counts) return null;
    const doctest = named(lines, /^TEST CASE:\s+(.+)$/);
    return { counts, ...(doctest.named > 0 ? doctest : betweenBars(lines)) };
  },
};

export const boost: TestReader = {
  framework: 'boost',
  command: /\bboost\b/,
  reports: null,
  read(lines) {
    const running = matches(lines, /^Running (\d+) test cases?\.\.\.$/).reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
    const ends = matches(lines, /^\*\*\* (?:No errors|(\d+) failures? (?:is|are)) detected\b/);
    if (ends.length === 0) return null;
    // It counts assertions that failed, and a test case may have several.
    const failed = Math.min(
      running,
      ends.reduce((total, [, count = '0']) => total + Number(count), 0),
    );
    const { failures } = named(lines, /error: in "([^"]+)"/);
    return {
      counts: summed([{ passed: running - failed, failed }])!,
      failures,
      named: failures.length > 0 ? failed : 0,
    };
  },
};

export const libcheck: TestReader = {
  framework: 'check',
  command: /\blibcheck\b/,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /^\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)$/).map(([, all, failed, errors]) => ({
        passed: Number(all) - Number(failed) - Number(errors),
        failed: Number(failed),
        errors: Number(errors),
      })),
    );
    return counts && { counts, ...named(lines, /^\S+:\d+:[FE]:[^:]*:([^:]+):/) };
  },
};

/** Unity, ThrowTheSwitch's. */
export const unity: TestReader = {
  framework: 'unity',
  command: /\bunity\b/,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /^(\d+) Tests (\d+) Failures (\d+) Ignored\s*$/).map(([, all, failed, ignored]) => ({
        passed: Number(all) - Number(failed) - Number(ignored),
        failed: Number(failed),
        skipped: Number(ignored),
      })),
    );
    return counts && { counts, ...named(lines, /^\S+:\d+:(\w+):FAIL\b/) };
  },
};

export const cunit: TestReader = {
  framework: 'cunit',
  command: /\bcunit\b/i,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /^\s*tests\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$/).map(
        ([, , , passed, failed, inactive]) => ({
          passed: Number(passed),
          failed: Number(failed),
          skipped: Number(inactive),
        }),
      ),
    );
    return counts && { counts, ...named(lines, /^\s*Test: (.+?) ?\.\.\. ?FAILED\b/) };
  },
};

export const qtTest: TestReader = {
  framework: 'qttest',
  command: /\bqttest\b/i,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /^Totals: (\d+) passed, (\d+) failed(?:, (\d+) skipped)?(?:, (\d+) blacklisted)?/).map(
        ([, passed, failed, skipped = '0', blacklisted = '0']) => ({
          passed: Number(passed),
          failed: Number(failed),
          skipped: Number(skipped) + Number(blacklisted),
        }),
      ),
    );
    return counts && { counts, ...named(lines, /^(?:FAIL!|XPASS)\s*: ([^\s(]+\(.*?\))/) };
  },
};

export const criterion: TestReader = {
  framework: 'criterion',
  command: /\bcriterion\b/,
  reports: null,
  read(lines) {
    const counts = summed(
      matches(lines, /Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)/).map(
        ([, , passed, failed, crashed]) => ({
          passed: Number(passed),
          failed: Number(failed) + Number(crashed),
        }),
      ),
    );
    return counts && { counts, ...named(lines, /^\[(?:FAIL|----)\] ([\w:]+::\w+)(?:: |$)/) };
  },
};

/** How programs without a framework sum up, as the last that they say: the groups by name. */
const SUMMARIES: readonly RegExp[] = [
  /^(?<total>\d+) tests?[;,:] (?<passed>\d+) (?:passed|succeeded|ok)[;,] (?<failed>\d+) (?:failed|failures?)\.?$/i,
  /^(?<passed>\d+)\/(?<total>\d+) tests? (?:successful|succeeded|passed|ok)\.?$/i,
  /^(?<passed>\d+) tests? (?:passed|succeeded)[;,] (?:and )?(?<failed>\d+) (?:tests? )?failed\.?$/i,
  /^all (?<passed>\d+) tests? (?:passed|succeeded|successful)[.!]?$/i,
];

/** A test program that counts for itself. */
export const ownProgram: TestReader = {
  framework: 'program',
  // No command names it.
  command: /(?!)/,
  reports: null,
  read(lines) {
    const sums = SUMMARIES.flatMap((summary) => matches(lines, summary).map(({ groups = {} }) => groups));
    const counts = summed(
      sums.map(({ passed, failed, total }) => ({
        passed: Number(passed),
        failed: failed === undefined ? Number(total ?? passed) - Number(passed) : Number(failed),
      })),
    );
    return counts && { counts, ...named(lines, /^\[ ?FAIL(?:ED)? ?\] (\S.*)$/) };
  },
};
