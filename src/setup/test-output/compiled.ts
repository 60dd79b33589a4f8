import { type Lines, matches, names, summed, type TestReader, tallyOf } from './reading';

/** `go test`: with `-v` its tests, with `-json` its events, else its packages are what is counted. */
export const go: TestReader = {
  framework: 'go',
  command: /\bgo\b.*\btest\b/,
  read(lines) {
    const events = lines.some((line) => line.startsWith('{"Time":') || line.startsWith('{"Action":'))
      ? lines.flatMap(plainOfEvent)
      : lines;
    const packages = matches(events, /^(ok {2}|FAIL|\? {3})\t(\S+)(?:\s+(.*))?$/);
    if (packages.length === 0) return null;
    const tests = matches(events, /^--- (PASS|FAIL|SKIP): (\S+)/);
    const verbose =
      tests.some(([, outcome]) => outcome === 'PASS') || events.some((line) => line.startsWith('=== RUN'));
    const failures = names(events, /^\s*--- FAIL: (\S+)/);
    const broken = packages.filter(
      ([, word, , rest = '']) => word === 'FAIL' && /^\[(?:build|setup) failed\]/.test(rest),
    );
    const failed = packages.filter(
      ([, word, , rest = '']) => word === 'FAIL' && !/^\[(?:build|setup) failed\]/.test(rest),
    );
    if (failures.length === 0) failures.push(...failed.map(([, , name]) => name!));
    failures.push(...broken.map(([, , name]) => name!));
    const ran = verbose
      ? tests.map(([, outcome]) => ({ [outcome === 'PASS' ? 'passed' : outcome === 'FAIL' ? 'failed' : 'skipped']: 1 }))
      : [
          ...packages
            .filter(([, word, , rest = '']) => word === 'ok  ' && !/no tests to run/.test(rest))
            .map(() => ({ passed: 1 })),
          ...failed.map(() => ({ failed: 1 })),
        ];
    return { counts: summed([...ran, { errors: broken.length }])!, failures };
  },
};

/** The line that `go test -v` would have printed. */
function plainOfEvent(line: string): string[] {
  if (!line.startsWith('{')) return [line];
  try {
    const event = JSON.parse(line) as { Action?: string; Output?: string };
    return event.Action === 'output' && typeof event.Output === 'string' ? [event.Output.replace(/\n$/, '')] : [];
  } catch {
    return [];
  }
}

/** `cargo test` runs one binary for each target, then the examples in the documentation; nextest runs all at once. */
export const cargo: TestReader = {
  framework: 'cargo',
  command: /\bcargo\b/,
  read(lines) {
    const binaries = matches(lines, /^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored;/).map(
      ([, passed, failed, ignored]) => ({ passed: Number(passed), failed: Number(failed), skipped: Number(ignored) }),
    );
    const nextest = matches(lines, /^\s*Summary \[.*\]\s+\d+(?:\/\d+)? tests? run: (.+)$/).map(([, text]) => {
      const tally = tallyOf(text!.replace(/\(.*?\)/g, ''));
      return { passed: tally.passed ?? 0, failed: tally.failed ?? 0, skipped: tally.skipped ?? 0 };
    });
    const counts = summed([...binaries, ...nextest]);
    const failures = names(lines, /^(?:test (.+) \.\.\. FAILED$)/);
    return counts && { counts, failures: failures.length > 0 ? failures : names(lines, /^---- (.+) stdout ----$/) };
  },
};

export const ctest: TestReader = {
  framework: 'ctest',
  command: /\bctest\b|\b(?:make|ninja|cmake)\b.*\btest\b/,
  read(lines) {
    const ends = matches(lines, /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/);
    if (ends.length === 0) {
      const none = lines.some((line) => /^No tests were found!!!|^No test configuration file found!$/.test(line));
      return none ? { counts: summed([{}])!, failures: [] } : null;
    }
    const skipped = lines.filter((line) => /^\s*\d+ - .+ \((?:Skipped|Disabled)\)$/.test(line)).length;
    const all = ends.map(([, failed, total]) => ({ passed: Number(total) - Number(failed), failed: Number(failed) }));
    // A test whose program was never built speaks of the build, not of the code.
    const unbuilt = lines.filter((line) => /^\s*\d+ - .+ \(Not Run\)$/.test(line)).length;
    const counts = summed([...all, { skipped, passed: -skipped, errors: unbuilt, failed: -unbuilt }])!;
    return { counts, failures: names(lines, /^\s*\d+ - (.+) \((?!Skipped|Disabled)[^)]+\)$/) };
  },
};

export const automake: TestReader = {
  framework: 'automake',
  command: /\bmake\b.*\bcheck\b/,
  read(lines) {
    const runs = blocks(lines, /^# (TOTAL|PASS|SKIP|XFAIL|FAIL|XPASS|ERROR):\s+(\d+)$/, 'TOTAL').map((count) => ({
      passed: count('PASS'),
      failed: count('FAIL') + count('XPASS'),
      skipped: count('SKIP') + count('XFAIL'),
      errors: count('ERROR'),
    }));
    const counts = summed(runs);
    return counts && { counts, failures: names(lines, /^(?:FAIL|ERROR|XPASS): (\S.*)$/) };
  },
};

export const meson: TestReader = {
  framework: 'meson',
  command: /\b(?:meson|ninja)\b.*\btest\b/,
  read(lines) {
    const runs = blocks(lines, /^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):\s+(\d+)\s*$/, 'Ok').map(
      (count) => ({
        passed: count('Ok'),
        failed: count('Fail') + count('Unexpected Pass') + count('Timeout'),
        skipped: count('Skipped') + count('Expected Fail'),
      }),
    );
    const counts = summed(runs);
    return (
      counts && {
        counts,
        failures: names(lines, /^\s*\d+\/\d+ (?:.*? [:/] )?(\S.*?)\s+(?:FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS)\s/),
      }
    );
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

export const googletest: TestReader = {
  framework: 'googletest',
  command: /\bgtest\b/,
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
      failures: names(lines, /^\[ {2}FAILED {2}\] ([\w/]+\.[\w/]+)/),
    };
  },
};

/** Catch2, and doctest for C++, which prints nearly the same. */
export const catch2: TestReader = {
  framework: 'catch2',
  command: /\bcatch2?\b/,
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
    return counts && { counts, failures: names(lines, /^TEST CASE:\s+(.+)$/) };
  },
};

export const boost: TestReader = {
  framework: 'boost',
  command: /\bboost\b/,
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
    return { counts: summed([{ passed: running - failed, failed }])!, failures: names(lines, /error: in "([^"]+)"/) };
  },
};
