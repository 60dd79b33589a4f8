import { matches, names, summed, type TestReader } from './reading';

/** Maven's surefire and failsafe: one closing line a module; lines with a time are single classes. */
export const surefire: TestReader = {
  framework: 'surefire',
  command: /\bmvnw?\b/,
  read(lines) {
    const said = matches(lines, /Tests run:\s*(\d+),\s*Failures:\s*(\d+),\s*Errors:\s*(\d+),\s*Skipped:\s*(\d+)(.*)$/);
    const ends = said.filter(([, , , , , rest]) => !/Time elapsed/.test(rest!));
    const counts = summed(
      (ends.length > 0 ? ends : said).map(([, run, failures, errors, skipped]) => ({
        passed: Number(run) - Number(failures) - Number(errors) - Number(skipped),
        failed: Number(failures),
        errors: Number(errors),
        skipped: Number(skipped),
      })),
    );
    return counts && { counts, failures: names(lines, /^\[ERROR\]\s+([\w.$]+(?:\.|:)\w+)(?::\d+|»| ).*$/) };
  },
};

/** Gradle says little when all goes well; then its XML reports, printed by the command, are what counts. */
export const gradle: TestReader = {
  framework: 'gradle',
  command: /\bgradlew?\b/,
  read(lines) {
    const runs = matches(lines, /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/).map(
      ([, all, failed = '0', skipped = '0']) => ({
        passed: Number(all) - Number(failed) - Number(skipped),
        failed: Number(failed),
        skipped: Number(skipped),
      }),
    );
    const counts = summed(runs);
    return counts && { counts, failures: names(lines, /^(\S.* > .+) FAILED$/) };
  },
};

/** JUnit's XML, which most runners can write, among other output. */
export const junitXml: TestReader = {
  framework: 'junit',
  command: /\bjunit\b/,
  read(lines) {
    const suites = lines.flatMap((line) => line.match(/<testsuite\s[^>]*>/g) ?? []);
    const counts = summed(
      suites.map((tag) => {
        const count = (name: string) => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(tag)?.[1] ?? 0);
        const [failed, errors, skipped] = [count('failures'), count('errors'), count('skipped')];
        return { passed: count('tests') - failed - errors - skipped, failed, errors, skipped };
      }),
    );
    return counts && { counts, failures: [] };
  },
};

/** JUnit 4's own runner, and the console launcher of JUnit 5. */
export const junit: TestReader = {
  framework: 'junit',
  command: /\bjunit\b/i,
  read(lines) {
    const four = [
      ...matches(lines, /^OK \((\d+) tests?\)$/).map(([, passed]) => ({ passed: Number(passed) })),
      ...matches(lines, /^Tests run: (\d+),\s+Failures: (\d+)$/).map(([, all, failed]) => ({
        passed: Number(all) - Number(failed),
        failed: Number(failed),
      })),
    ];
    const sum = (word: string) =>
      matches(lines, new RegExp(`^\\[\\s+(\\d+) tests ${word}\\s+\\]$`)).map(([, count]) => Number(count));
    const five = sum('successful').map((passed, at) => ({
      passed,
      failed: sum('failed')[at] ?? 0,
      skipped: (sum('skipped')[at] ?? 0) + (sum('aborted')[at] ?? 0),
    }));
    const counts = summed([...four, ...five]);
    return counts && { counts, failures: names(lines, /^\d+\) (\w+\([\w.$]+\))$/) };
  },
};

/** Perl's harness: it counts subtests, and files that died before their plan. */
export const prove: TestReader = {
  framework: 'prove',
  command: /\bprove\b|\bmake\b.*\btest\b|\bBuild test\b/,
  read(lines) {
    const ends = matches(lines, /^Files=\d+, Tests=(\d+),/);
    if (ends.length === 0) {
      const none = lines.some((line) => /^(?:Result: NOTESTS|No tests named and 't' directory not found)/.test(line));
      return none ? { counts: summed([{}])!, failures: [] } : null;
    }
    const files = matches(lines, /^(\S+)\s+\(Wstat: .*Tests: (\d+) Failed: (\d+)\)$/);
    const failed = files.reduce((total, [, , , count]) => total + Number(count), 0);
    const errors = files.filter(([, , , count]) => Number(count) === 0).length;
    const skipped = matches(lines, /\(less (\d+) skipped subtests?: /).reduce(
      (total, [, count]) => total + Number(count),
      0,
    );
    const total = ends.reduce((all, [, count]) => all + Number(count), 0);
    const counts = summed([{ passed: total - failed - skipped, failed, skipped, errors }])!;
    return { counts, failures: files.map(([, name]) => name!) };
  },
};
