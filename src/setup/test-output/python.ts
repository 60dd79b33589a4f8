import { pytestReports } from './pytest-reports';
import { between, type Lines, matches, named, type Outcomes, summed, type TestReader, tallyOf } from './reading';

/** `=== 1 failed, 2 passed in 0.3s ===`, with `-q` without the bars; `no tests ran in 0.01s`. */
const PYTEST_END = /^(?:=+ )?((?:\d+ [a-z]|no tests ran).*?) in [\d.]+ ?s(?:econds)?(?: \([\d:, a-z]+\))?(?: =+)?$/;
const PYTEST_WORDS =
  /^(?:\d+ (?:passed|failed|skipped|errors?|xfailed|xpassed|deselected|warnings?|rerun|subtests|tests)|no tests ran)/;

/**
 * A folder may have a blank in its name; a line of a log that begins like this has no test's name in it. What a part of a
 * test is called stands beside the word, in brackets that may be in its own text too, so that nothing like them follows.
 */
const PYTEST_FAILED =
  /^(?:FAILED|ERROR|(?:SUBFAILED(?:[[(].*?[\])])?|(?:[[(].*?[\])] )?SUBFAIL)(?= [^()[\]]*::)) ((?:[^\s[]|\[.*?\](?!\S*\]))+|(?! )[^[]*?\.py(?:::(?:[^\s[]|\[.*?\](?!\S*\]))+)?)(?: - .*)?$/;

/** How pytest says, just above its end, that it stopped before all tests had their turn. */
const PYTEST_CUT =
  /^!+ (?:stopping after \d+ failures|(?:xdist\.dsession\.)?Interrupted: |KeyboardInterrupt|.*\bExit: )/;

/** Before 8.4 pytest left tests of coroutines out where their plugin was missing, and only warned of it. */
const UNAWAITED = /^ {2}\S+: PytestUnhandledCoroutineWarning: async def functions are not natively supported/;

/**
 * An expected failure is no failure, and a test that passes against its mark is no pass: both count as skipped, unless the
 * project made the latter strict, which pytest itself reports as failed.
 */
export const pytest: TestReader = {
  framework: 'pytest',
  command: /\bpy\.?test\b/,
  reports: pytestReports(PYTEST_FAILED),
  read(lines) {
    const ends = pytestEnds(lines);
    const counts = summed(
      ends.map(({ text }) => {
        const tally = tallyOf(text);
        return {
          passed: tally.passed ?? 0,
          failed: tally.failed ?? 0,
          skipped: (tally.skipped ?? 0) + (tally.xfailed ?? 0) + (tally.xpassed ?? 0),
          errors: (tally.error ?? 0) + (tally.errors ?? 0),
        };
      }),
    );
    const cut = pytestCut(lines, ends);
    if (counts) return { counts, ...named(lines, PYTEST_FAILED), cut };
    // It ended before there was a session: a broken conftest, or options that no plugin knows.
    const stopped = lines.some((line) =>
      /^(?:ImportError while loading conftest|\S*pytest(?:\.py)?: error: |INTERNALERROR> )/.test(line),
    );
    return stopped ? { counts: summed([{ errors: 1 }])!, failures: [], named: 0, cut } : null;
  },
};

interface PytestEnd {
  readonly text: string;
  readonly at: number;
}

/** Not what the report of a failed test quotes of a session that the test made. */
function pytestCut(lines: Lines, ends: readonly PytestEnd[]): string {
  const stopped = ends.flatMap(({ at }) =>
    lines.slice(Math.max(0, at - 3), at).filter((line) => PYTEST_CUT.test(line)),
  );
  const reports = lines.findIndex((line) => /^=+ (?:FAILURES|ERRORS) =+$/.test(line));
  const before = reports < 0 ? lines : lines.slice(0, reports);
  return [
    ...stopped,
    ...before.filter((line) => /^INTERNALERROR> /.test(line)),
    ...lines.filter((line) => UNAWAITED.test(line)).slice(0, 1),
  ].join('\n');
}

/** Tests of pytest plugins print whole sessions of their own, which stand in the report of a failed test: they do not count. */
function pytestEnds(lines: Lines): PytestEnd[] {
  const ends: PytestEnd[] = [];
  let reporting = false;
  let inner = 0;
  for (const [at, line] of lines.entries()) {
    if (/^=+ (?:FAILURES|ERRORS|PASSES|XPASSES) =+$/.test(line)) reporting = true;
    else if (/^=+ test session starts =+$/.test(line)) inner = reporting ? inner + 1 : 0;
    const end = PYTEST_END.exec(line)?.[1];
    if (end === undefined || !PYTEST_WORDS.test(end) || /\bcollected\b/.test(end)) continue;
    if (inner > 0) inner -= 1;
    else {
      ends.push({ text: end, at });
      reporting = false;
    }
  }
  return ends;
}

const UNITTEST_FAILED = /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+(?: \([^)]+\))?)/;

/** What the words in the brackets at the end stand for; nose writes some in capitals, trial writes others as one word. */
const UNITTEST_WORDS: Readonly<Record<string, keyof Outcomes>> = {
  failures: 'failed',
  errors: 'errors',
  unexpectedsuccesses: 'failed',
  skipped: 'skipped',
  skips: 'skipped',
  skip: 'skipped',
  expectedfailures: 'skipped',
  knownfail: 'skipped',
  deprecated: 'skipped',
  todo: 'skipped',
  todos: 'skipped',
};

/** unittest, and what prints like it: nose, nose2, Django's runner, trial. */
export const unittest: TestReader = {
  framework: 'unittest',
  command: /\b(?:unittest|nose2?|nosetests|trial|manage\.py test|setup\.py test|runtests)\b/,
  reports: between(UNITTEST_FAILED, /^Ran \d+ tests? in /),
  read(lines) {
    const runs = lines.flatMap((line, at): Outcomes[] => {
      const ran = /^Ran (\d+) tests? in /.exec(line);
      if (!ran) return [];
      const end = lines.slice(at + 1, at + 6).find((next) => /^(?:OK|FAILED|PASSED|NO TESTS RAN)\b/.test(next)) ?? '';
      const told = { failed: 0, errors: 0, skipped: 0 };
      for (const [, words, count] of end.matchAll(/(?<![A-Za-z])([A-Za-z][A-Za-z ]{0,60})=(\d+)/g)) {
        const outcome = UNITTEST_WORDS[words!.toLowerCase().replace(/ /g, '')];
        if (outcome && outcome !== 'passed') told[outcome] += Number(count);
      }
      return [{ passed: Math.max(0, Number(ran[1]) - told.failed - told.skipped - told.errors), ...told }];
    });
    const counts = summed(runs);
    return counts && { counts, ...named(lines, UNITTEST_FAILED) };
  },
};

const DOCTEST_FAILED = /^File "[^"]*", line \d+, in (\S+)$/;

export const doctest: TestReader = {
  framework: 'doctest',
  command: /\bdoctest\b/,
  reports: between(DOCTEST_FAILED, /^\*{20,}$/),
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
    return counts && { counts, ...named(lines, DOCTEST_FAILED) };
  },
};

/** `stestr run`, which splits the library's own tests over processes and sums them up at the end. */
export const stestr: TestReader = {
  framework: 'stestr',
  command: /\bstestr\b/,
  reports: between(/^\{\d+\} (\S+)(?: \([^)]*\))? \[[\d.]+s\] \.\.\. FAILED$/, /^\{\d+\} |^=+$/),
  read(lines) {
    const sum = (words: RegExp) =>
      matches(lines, new RegExp(`^ - (?:${words.source}): (\\d+)$`)).reduce(
        (total, [, count]) => total + Number(count),
        0,
      );
    if (!lines.some((line) => /^Ran: \d+ tests? in /.test(line))) return null;
    const outcomes = {
      passed: sum(/Passed/),
      failed: sum(/Failed|Unexpected Success/),
      // An expected failure is neither, as elsewhere.
      skipped: sum(/Skipped|Expected Fail/),
    };
    return { counts: summed([outcomes])!, ...named(lines, /^\{\d+\} (\S+)(?: \([^)]*\))? \[[\d.]+s\] \.\.\. FAILED$/) };
  },
};
