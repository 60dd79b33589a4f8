import { between, type Lines, matches, named, noneFound, summed, type TestReader } from './reading';

export const ctest: TestReader = {
  framework: 'ctest',
  command: /\bctest\b|\b(?:make|ninja|cmake)\b.{0,400}\btest\b/,
  runsOthers: true,
  reports: between(/^\s*\d+\/\d+ Test\s+#\d+: (\S+) /, /^\s*Start \d+: |^\d+% tests passed/),
  read(lines) {
    const ends = matches(lines, /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/);
    if (ends.length === 0) return noneFound(lines, /^No tests were found!!!|^No test configuration file found!$/);
    // What was skipped is among those that passed; what is disabled is not even in the total.
    const skipped = lines.filter((line) => /^\s*\d+ - .+ \(Skipped\)/.test(line)).length;
    const disabled = lines.filter((line) => /^\s*\d+ - .+ \(Disabled\)/.test(line)).length;
    const all = ends.map(([, failed, total]) => ({ passed: Number(total) - Number(failed), failed: Number(failed) }));
    // A test whose program was never built speaks of the build, not of the code.
    const unbuilt = lines.filter((line) => /^\s*\d+ - .+ \(Not Run\)/.test(line)).length;
    const others = { skipped: skipped + disabled, passed: -skipped, errors: unbuilt, failed: -unbuilt };
    const counts = summed([...all, others])!;
    // Behind the reason stand the labels of the test.
    return { counts, ...named(lines, /^\s*\d+ - (.+) \((?!Skipped|Disabled)[^()]+\)?(?:\s+\S.*)?$/) };
  },
};

/** Automake's harness: a summary by word, or in the older one a sentence between two bars. */
export const automake: TestReader = {
  framework: 'automake',
  command: /\bmake\b.{0,300}\bcheck\b/,
  runsOthers: true,
  // The older one prints what a test said before its name, the newer one after it.
  reports: null,
  read(lines) {
    const runs = blocks(lines, /^# (TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR):\s+(\d+)$/, 'TOTAL').map((count) => ({
      passed: count('PASS'),
      failed: count('FAIL') + count('XPASS'),
      skipped: count('SKIP') + count('XFAIL'),
      errors: count('ERROR'),
    }));
    const counts = summed(runs.length > 0 ? runs : serial(lines));
    return counts && { counts, ...named(lines, /^(?:FAIL|ERROR|XPASS): (\S.*)$/) };
  },
};

/** `All 2 tests passed`, `1 of 2 tests failed`, each with what was expected or not run behind it. */
function serial(lines: Lines) {
  const passed = matches(
    lines,
    /^(?:All (?=\d)|(?=1 test ))(\d+) tests? (?:passed|behaved as expected)(?: \((\d+) expected failures?\))?\.?$/,
  ).map(([, all, expected = '0']) => ({ passed: Number(all) - Number(expected), skipped: Number(expected) }));
  const failed = matches(lines, /^(\d+) of (\d+) tests? (?:failed|did not behave as expected)\b/).map(
    ([, some, all]) => ({ failed: Number(some), passed: Number(all) - Number(some) }),
  );
  const skipped = matches(lines, /^\((\d+) tests? (?:was|were) not run\)$/).map(([, some]) => ({
    skipped: Number(some),
  }));
  const ends = [...passed, ...failed];
  if (ends.length > 0) return [...ends, ...skipped];
  // Without an end: make stopped it. A test that passed tells these lines from other people's.
  const each = matches(lines, /^(PASS|FAIL|XFAIL|XPASS|SKIP|ERROR): \S/).map(([, word]) => {
    if (word === 'PASS') return { passed: 1 };
    return word === 'SKIP' || word === 'XFAIL' ? { skipped: 1 } : word === 'ERROR' ? { errors: 1 } : { failed: 1 };
  });
  return each.some((one) => 'passed' in one) ? each : [];
}

/** Autoconf's own suites of shell scripts. */
export const autotest: TestReader = {
  framework: 'autotest',
  command: /\btestsuite\b/,
  runsOthers: true,
  reports: null,
  read(lines) {
    const fine = matches(
      lines,
      /^(?:All )?(\d+) tests? (?:was|were) successful\.$|^(\d+) tests? behaved as expected\.$/,
    );
    const ran = matches(lines, /^(?:ERROR: )?(?:All )?(\d+) tests? (?:was|were) run,$/);
    if (fine.length + ran.length === 0) return null;
    const sum = (pattern: RegExp) => matches(lines, pattern).reduce((all, [, count]) => all + Number(count), 0);
    const bad = sum(/^(\d+) (?:failed unexpectedly|passed unexpectedly|failed(?: \(\d+ expected failures?\))?)\b/);
    const expected = sum(/^\d+ failed \((\d+) expected failures?\)/);
    const all = [...fine, ...ran].reduce((total, [, one, other]) => total + Number(one ?? other), 0);
    const skipped = sum(/^(\d+) tests? (?:was|were) skipped\.$/);
    const counts = summed([{ passed: all - bad, failed: bad - expected, skipped: skipped + expected }])!;
    return { counts, ...named(lines, /^\s{0,100}\d+: (\S(?:.{0,400}\S)?)\s{1,100}FAILED(?: \(.{0,400}\))?$/) };
  },
};

/** `runtest`, in the words of the toolchains' suites. */
export const dejagnu: TestReader = {
  framework: 'dejagnu',
  command: /\bruntest\b/,
  runsOthers: true,
  reports: null,
  read(lines) {
    const ends = matches(lines, /^# of ([a-z]+(?: [a-z]+)*)\s+(\d+)$/);
    const OUTCOMES: Readonly<Record<string, 'passed' | 'failed' | 'skipped' | 'errors'>> = {
      'expected passes': 'passed',
      'unexpected failures': 'failed',
      'unexpected successes': 'failed',
      'expected failures': 'skipped',
      'known failures': 'skipped',
      'unsupported tests': 'skipped',
      'untested testcases': 'skipped',
      'unresolved testcases': 'errors',
    };
    const counts = summed(
      ends.flatMap(([, words, count]) => {
        const outcome = OUTCOMES[words!];
        return outcome ? [{ [outcome]: Number(count) }] : [];
      }),
    );
    return counts && { counts, ...named(lines, /^(?:FAIL|XPASS|UNRESOLVED): (\S.*)$/) };
  },
};

export const meson: TestReader = {
  framework: 'meson',
  command: /\b(?:meson|ninja)\b.{0,300}\btest\b/,
  runsOthers: true,
  reports: null,
  read(lines) {
    const pattern = /^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):\s+(\d+)\s*$/;
    // Newer ones leave out what is zero, the first line too.
    const first = matches(lines, pattern).some(([, word]) => word === 'Ok') ? 'Ok' : 'Fail';
    const runs = blocks(lines, pattern, first).map((count) => ({
      passed: count('Ok'),
      failed: count('Fail') + count('Unexpected Pass') + count('Timeout'),
      skipped: count('Skipped') + count('Expected Fail'),
    }));
    const counts = summed(runs);
    if (!counts) return noneFound(lines, /^No tests defined\.$/);
    return {
      counts,
      ...named(lines, /^\s*\d+\/\d+ (?:.{0,200}? [:/] )?(\S.{0,300}?)\s+(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS)\s/),
    };
  },
};

/** Blocks of `WORD: 3` lines, each begun by `first`. */
function blocks(lines: Lines, pattern: RegExp, first: string): ((word: string) => number)[] {
  const found: Map<string, number>[] = [];
  for (const [, word, count] of matches(lines, pattern)) {
    if (word === first) found.push(new Map());
    found.at(-1)?.set(word!, Number(count));
  }
  return found.map((block) => (word: string) => block.get(word) ?? 0);
}
