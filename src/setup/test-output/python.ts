import { type Lines, matches, names, summed, type TestReader, tallyOf } from './reading';

/** `=== 1 failed, 2 passed in 0.3s ===`, with `-q` without the bars; `no tests ran in 0.01s`. */
const PYTEST_END = /^(?:=+ )?((?:\d+ [a-z]|no tests ran).*?) in [\d.]+ ?s(?:econds)?(?: \([\d:, a-z]+\))?(?: =+)?$/;
const PYTEST_WORDS =
  /^(?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun|subtests|tests)|no tests ran)/;

/**
 * An expected failure is no failure, and a test that passes against its mark is no pass: both count as skipped, unless the
 * project made the latter strict, which pytest itself reports as failed.
 */
export const pytest: TestReader = {
  framework: 'pytest',
  command: /\bpy\.?test\b/,
  read(lines) {
    const ends = pytestEnds(lines);
    const counts = summed(
      ends.map((end) => {
        const tally = tallyOf(end);
        return {
          passed: tally.passed ?? 0,
          failed: tally.failed ?? 0,
          skipped: (tally.skipped ?? 0) + (tally.xfailed ?? 0) + (tally.xpassed ?? 0),
          errors: (tally.error ?? 0) + (tally.errors ?? 0),
        };
      }),
    );
    const failures = names(lines, /^(?:FAILED|ERROR|SUBFAILED\(.*?\)) ((?:[^\s[]|\[.*?\])+)(?: - .*)?$/);
    if (counts) return { counts, failures };
    // It ended before there was a session: a broken conftest, or options that no plugin knows.
    const stopped = lines.some((line) =>
      /^(?:ImportError while loading conftest|\S*pytest(?:\.py)?: error: |INTERNALERROR> )/.test(line),
    );
    return stopped ? { counts: summed([{ errors: 1 }])!, failures: [] } : null;
  },
};

/** Tests of pytest plugins print whole sessions of their own, which stand in the report of a failed test: they do not count. */
function pytestEnds(lines: Lines): string[] {
  const ends: string[] = [];
  let reporting = false;
  let inner = 0;
  for (const line of lines) {
    if (/^=+ (?:FAILURES|ERRORS|PASSES|XPASSES) =+$/.test(line)) reporting = true;
    else if (/^=+ test session starts =+$/.test(line)) inner = reporting ? inner + 1 : 0;
    const end = PYTEST_END.exec(line)?.[1];
    if (end === undefined || !PYTEST_WORDS.test(end) || /\bcollected\b/.test(end)) continue;
    if (inner > 0) inner -= 1;
    else {
      ends.push(end);
      reporting = false;
    }
  }
  return ends;
}

/** unittest, and what prints like it: nose, nose2, Django's runner, trial. */
export const unittest: TestReader = {
  framework: 'unittest',
  command: /\b(?:unittest|nose2?|nosetests|trial|manage\.py test|setup\.py test|runtests)\b/,
  read(lines) {
    const runs = lines.flatMap((line, at) => {
      const ran = /^Ran (\d+) tests? in /.exec(line);
      if (!ran) return [];
      const end = lines.slice(at + 1, at + 6).find((next) => /^(?:OK|FAILED|PASSED|NO TESTS RAN)\b/.test(next)) ?? '';
      const count = (word: string) => Number(new RegExp(`\\b${word}=(\\d+)`).exec(end)?.[1] ?? 0);
      const unexpected = count('unexpected successes');
      const expected = /expected failures=(\d+)/.exec(end.replace(/unexpected successes=\d+/, ''));
      const failed = Number(/(?<!expected )\bfailures=(\d+)/.exec(end)?.[1] ?? 0) + unexpected;
      const skipped = count('skipped') + count('skips') + Number(expected?.[1] ?? 0);
      const errors = count('errors');
      return [{ passed: Math.max(0, Number(ran[1]) - failed - skipped - errors), failed, skipped, errors }];
    });
    const counts = summed(runs);
    return counts && { counts, failures: names(lines, /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+(?: \([^)]+\))?)/) };
  },
};

export const doctest: TestReader = {
  framework: 'doctest',
  command: /\bdoctest\b/,
  read(lines) {
    const both = matches(lines, /^(\d+) passed(?: and (\d+) failed)?\.$/).map(([, passed, failed]) => ({
      passed: Number(passed),
      failed: Number(failed ?? 0),
    }));
    const results = matches(lines, /^TestResults\(failed=(\d+), attempted=(\d+)/).map(([, failed, all]) => ({
      passed: Number(all) - Number(failed),
      failed: Number(failed),
    }));
    const silent = matches(lines, /^\*\*\*Test Failed\*\*\* (\d+) failures?\.$/).map(([, failed]) => ({
      failed: Number(failed),
    }));
    const counts = summed(results.length > 0 ? results : both.length > 0 ? both : silent);
    return counts && { counts, failures: names(lines, /^File "[^"]*", line \d+, in (\S+)$/) };
  },
};
