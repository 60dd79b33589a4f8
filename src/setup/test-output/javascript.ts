import {
  between,
  equal,
  type Lines,
  matches,
  named,
  noneFound,
  type Report,
  summed,
  type TestReader,
  tallyOf,
} from './reading';

const skippedOf = (tally: Record<string, number>) => (tally.skipped ?? 0) + (tally.todo ?? 0) + (tally.pending ?? 0);

interface JestReport {
  readonly test: string;
  /** The file's own name stands for a suite that does not load. */
  readonly suite: boolean;
  readonly lines: string[];
}

/** What jest says under a bullet and is no test. */
const JEST_OWN = /^(?:Console|Validation (?:Error|Warning):|Deprecation Warning:|Cannot log after tests are done\b.*)$/;

/** Its reports by file, without those that a long run repeats at its end. */
function jestReports(lines: Lines): JestReport[] {
  const reports: JestReport[] = [];
  let file = '';
  let repeated = false;
  let open: string[] | null = null;
  for (const line of lines) {
    const [, outcome, path] =
      /^(FAIL|PASS)\s+(?:\S+ )??((?:\.{0,2}\/)?[^\s]+\.\w+)(?: \([\d.]+ m?s\))?$/.exec(line) ?? [];
    const bullet = /^ {2}● (\S.*)$/.exec(line)?.[1];
    if (/^Summary of all failing tests$/.test(line)) repeated = true;
    else if (/^(?:Test Suites|Tests): /.test(line)) {
      repeated = false;
      open = null;
      file = '';
    } else if (outcome !== undefined) {
      file = path!;
      open = null;
    } else if (bullet !== undefined && !repeated && file !== '' && !JEST_OWN.test(bullet)) {
      const suite = /^Test suite failed to run$/.test(bullet);
      open = [line];
      reports.push({ test: suite ? file : bullet, suite, lines: open });
    } else open?.push(line);
  }
  return reports;
}

/** A suite that does not load runs no test: it is an error of its own. */
export const jestTests: TestReader = {
  framework: 'jest',
  command: /\bjest\b/,
  reports: { of: jestReports, same: equal },
  read(lines) {
    const counts = summed(
      matches(lines, /^Tests:\s+(\d.*, )?\d+ total$/).map(([, text = '']) => {
        const tally = tallyOf(text);
        return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: skippedOf(tally) };
      }),
    );
    if (!counts) return noneFound(lines, /^No tests found, exiting with code \d/);
    const reports = jestReports(lines);
    const unloaded = [...new Set(reports.filter(({ suite }) => suite).map(({ test }) => test))];
    const tests = reports.filter(({ suite }) => !suite);
    return {
      counts: summed([counts, { errors: unloaded.length }])!,
      failures: [...new Set(reports.map(({ test }) => test))],
      named: tests.length + unloaded.length,
      unloaded,
    };
  },
};

const VITEST_FAILED = /^\s*FAIL\s+(.+?)(?: \[ [^[\]]* \])?$/;

export const vitest: TestReader = {
  framework: 'vitest',
  command: /\bvitest\b/,
  reports: between(VITEST_FAILED, /^\s+Test Files\s/),
  read(lines) {
    const counts = summed(
      matches(lines, /^\s+Tests\s+(\d.*|no tests)$/).map(([, text]) => {
        const tally = tallyOf(text!, / \| /);
        const expected = tally['expected fail'] ?? 0;
        return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: skippedOf(tally) + expected };
      }),
    );
    if (!counts) return noneFound(lines, /^No test files found, exiting with code \d/);
    const suites = matches(lines, /Failed Suites (\d+)/).map(([, failed]) => ({ errors: Number(failed) }));
    // Errors outside of any test: they have no name.
    const others = matches(lines, /^\s+Errors\s+(\d+) errors?$/).map(([, some]) => ({ errors: Number(some) }));
    return { counts: summed([counts, ...suites, ...others])!, ...named(lines, VITEST_FAILED) };
  },
};

/** The numbered reports at the end, each with the path of suites that leads to the test. */
function mochaReports(lines: Lines): Report[] {
  const reports: { test: string; lines: string[] }[] = [];
  let open: string[] | null = null;
  for (const [at, line] of lines.entries()) {
    const test = /^ {2}\d+\) \S/.test(line) ? mochaPath(lines.slice(at, at + 8)) : null;
    if (test !== null) {
      open = [];
      reports.push({ test, lines: open });
    } else if (/^\S/.test(line)) open = null;
    open?.push(line);
  }
  return reports;
}

/** It goes on until the line that ends with a colon; null where none does. */
function mochaPath(lines: Lines): string | null {
  const end = lines.findIndex((part) => part.trim() === '' || /:$/.test(part));
  if (end >= 0 && lines[end]!.trim() === '') return null;
  const path = lines.slice(0, end + 1).map((part) => part.trim().replace(/^\d+\) /, ''));
  return end < 0 ? null : path.join(' ').replace(/:$/, '');
}

export const mocha: TestReader = {
  framework: 'mocha',
  command: /\bmocha\b/,
  reports: { of: mochaReports, same: equal },
  read(lines) {
    const runs = matches(lines, /^\s+(\d+) (passing|failing|pending)\b/).map(([, count, word]) => {
      const key = word === 'passing' ? 'passed' : word === 'failing' ? 'failed' : 'skipped';
      return { [key]: Number(count) };
    });
    const counts = summed(runs);
    if (!counts) return noneFound(lines, /^Error: No test files found\b/);
    const reports = mochaReports(lines);
    return { counts, failures: [...new Set(reports.map(({ test }) => test))], named: reports.length };
  },
};

export const ava: TestReader = {
  framework: 'ava',
  command: /\bava\b/,
  reports: null,
  read(lines) {
    const said = matches(
      lines,
      /^\s+(\d+) (?:tests? )?(passed|failed|skipped|todo|known failures?|uncaught exceptions?|unhandled rejections?)$/,
    );
    // How many passed is only said where none failed.
    const passed = lines.filter((line) => /^\s+✔ (?!\[)/.test(line)).length;
    const told = said.map(([, count, word]) => {
      if (word === 'passed') return { passed: Number(count) - passed };
      if (word === 'failed') return { failed: Number(count) };
      return { [/uncaught|unhandled/.test(word!) ? 'errors' : 'skipped']: Number(count) };
    });
    if (told.length === 0) return noneFound(lines, /^\s+✘ Couldn.t find any files to test/);
    return { counts: summed([{ passed }, ...told])!, ...named(lines, /^\s+(?:✘ \[fail\]:|✖) (.+?)(?: .*)?$/s) };
  },
};

export const jasmine: TestReader = {
  framework: 'jasmine',
  command: /\bjasmine\b/,
  reports: between(/^\d+\) (.+)$/, /^\d+ specs?, /),
  read(lines) {
    const runs = matches(lines, /^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$/);
    const counts = summed(
      runs.map(([, all, failed, pending = '0']) => ({
        passed: Number(all) - Number(failed) - Number(pending),
        failed: Number(failed),
        skipped: Number(pending),
      })),
    );
    return counts && { counts, ...named(lines, /^\d+\) (.+)$/) };
  },
};
