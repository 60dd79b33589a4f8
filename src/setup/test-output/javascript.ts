import { type Lines, matches, names, summed, type TestReader, tallyOf } from './reading';

/** Zero tests, which is something else than a framework that was not recognised. */
function noneFound(lines: Lines, said: RegExp) {
  return lines.some((line) => said.test(line)) ? { counts: summed([{}])!, failures: [] } : null;
}

const skippedOf = (tally: Record<string, number>) => (tally.skipped ?? 0) + (tally.todo ?? 0) + (tally.pending ?? 0);

/** A suite that does not load runs no test: it is an error of its own. */
export const jestTests: TestReader = {
  framework: 'jest',
  command: /\bjest\b/,
  read(lines) {
    const counts = summed(
      matches(lines, /^Tests:\s+(\d.*, )?\d+ total$/).map(([, text = '']) => {
        const tally = tallyOf(text);
        return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: skippedOf(tally) };
      }),
    );
    const unloaded = lines.filter((line) => /^\s+● Test suite failed to run$/.test(line)).length;
    if (!counts) return noneFound(lines, /^No tests found, exiting with code \d/);
    return {
      counts: summed([counts, { errors: unloaded }])!,
      failures: names(lines, /^\s+● (.+ › .+|Test suite failed to run)$/),
    };
  },
};

export const vitest: TestReader = {
  framework: 'vitest',
  command: /\bvitest\b/,
  read(lines) {
    const counts = summed(
      matches(lines, /^\s+Tests\s+(\d.*|no tests)$/).map(([, text]) => {
        const tally = tallyOf(text!, / \| /);
        return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: skippedOf(tally) };
      }),
    );
    const suites = matches(lines, /Failed Suites (\d+)/).map(([, failed]) => ({ errors: Number(failed) }));
    if (!counts) return noneFound(lines, /^No test files found, exiting with code \d/);
    return { counts: summed([counts, ...suites])!, failures: names(lines, /^\s*FAIL\s+(.+?)(?: \[ .* \])?$/) };
  },
};

export const mocha: TestReader = {
  framework: 'mocha',
  command: /\bmocha\b/,
  read(lines) {
    const runs = matches(lines, /^\s+(\d+) (passing|failing|pending)\b/).map(([, count, word]) => {
      const key = word === 'passing' ? 'passed' : word === 'failing' ? 'failed' : 'skipped';
      return { [key]: Number(count) };
    });
    const counts = summed(runs);
    const failures = lines.flatMap((line, at) => {
      if (!/^ {2}\d+\) \S/.test(line)) return [];
      // The path of suites goes on until the line that ends with a colon.
      const rest = lines.slice(at, at + 8);
      const end = rest.findIndex((part) => /:$/.test(part));
      const path = rest.slice(0, end + 1).map((part) => part.trim().replace(/^\d+\) /, ''));
      return end < 0 ? [] : [path.join(' ').replace(/:$/, '')];
    });
    if (!counts) return noneFound(lines, /^Error: No test files found\b/);
    return { counts, failures: [...new Set(failures)] };
  },
};

export const ava: TestReader = {
  framework: 'ava',
  command: /\bava\b/,
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
    return { counts: summed([{ passed }, ...told])!, failures: names(lines, /^\s+✘ \[fail\]: (.+?)(?: .*)?$/) };
  },
};

export const jasmine: TestReader = {
  framework: 'jasmine',
  command: /\bjasmine\b/,
  read(lines) {
    const runs = matches(lines, /^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$/);
    const counts = summed(
      runs.map(([, all, failed, pending = '0']) => ({
        passed: Number(all) - Number(failed) - Number(pending),
        failed: Number(failed),
        skipped: Number(pending),
      })),
    );
    return counts && { counts, failures: names(lines, /^\d+\) (.+)$/) };
  },
};

/** How a runner says in TAP that it was given no file: a failure of its own, and no test of anybody's. */
const TAP_NONE = /^not ok 1 -? ?no tests? (?:specified|found)\b/i;
/** Closing comments of tape, node's own runner and others, in TAP (`# pass 3`) or in prose (`ℹ pass 3`). */
const TAP_END = /^(?:#|ℹ) (tests|pass|fail|skip(?:ped)?|todo|cancelled|ok)\s+(\d+)$/;

/** Test Anything Protocol. With closing comments those count; else the lines of the outermost level. */
export const tap: TestReader = {
  framework: 'tap',
  command: /\b(?:tape?|node\b.* --test|qunit|faucet)\b/,
  read(output) {
    const lines = output.filter((line) => !TAP_NONE.test(line));
    const ends = matches(lines, TAP_END);
    const failures = names(lines, /^\s*(?:not ok \d+ -? ?|✖ )(?!.*# (?:TODO|SKIP))(.+?)(?: # time.*| \([\d.]+ms\))?$/i);
    if (ends.some(([, word]) => word === 'pass')) {
      const sum = (...words: string[]) =>
        ends.filter(([, word]) => words.includes(word!)).reduce((total, [, , count]) => total + Number(count), 0);
      const counts = summed([
        { passed: sum('pass'), failed: sum('fail'), skipped: sum('skip', 'skipped', 'todo'), errors: sum('cancelled') },
      ]);
      return { counts: counts!, failures };
    }
    const asserts = matches(lines, /^Asserts:\s+(.+), of \d+$/).map(([, text]) => {
      const tally = tallyOf(text!);
      return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: (tally.skip ?? 0) + (tally.todo ?? 0) };
    });
    if (asserts.length > 0) return { counts: summed(asserts)!, failures };
    const plan = lines.some((line) => /^1\.\.\d+/.test(line));
    if (!plan) return null;
    const points = matches(lines, /^(not )?ok\b(?: \d+)?(.*)$/).map(([, not, rest = '']) => {
      if (/# (?:skip|todo)/i.test(rest)) return { skipped: 1 };
      return not ? { failed: 1 } : { passed: 1 };
    });
    return { counts: summed(points.length > 0 ? points : [{}])!, failures };
  },
};
