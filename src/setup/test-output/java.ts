import { between, type Lines, matches, named, type Outcomes, summed, type TestReader } from './reading';

/** `testX(com.a.ATest)`, `com.a.ATest.testX` and `ATest.testX` are one test. */
function keyOf(name: string): string {
  const [, method, type] = /^([^(]+)\(([\w.$]+)\)/.exec(name) ?? [];
  const full = method === undefined ? name : `${type}.${method}`;
  const plain = full.replace(/\([^()]*\)/g, '').replace(/(?:\[[^[\]]{0,200}\]|\{[^{}]{0,200}\}){1,20}$/, '');
  return plain.split('.').slice(-2).join('.');
}

/** Maven's surefire and failsafe: one closing line a module; lines with a time are single classes. */
export const surefire: TestReader = {
  framework: 'surefire',
  command: /\bmvnw?\b/,
  runsOthers: true,
  reports: between(
    /^(?:\[ERROR\] )?\s*(?!Tests run:)(\S.{0,400}?)(?<!\s)\s+(?:-- )?Time elapsed: .{0,100}<<< (?:FAILURE|ERROR)!|^\[ERROR\] {2,}([\w$]+\.\S+?)(?:[:\s].*)?$/,
    /^\[INFO\]|^(?:\[ERROR\] )?Tests run:|^Results ?:|^\[ERROR\] (?:Failures|Errors):/,
    (report, test) => keyOf(report) === keyOf(test),
  ),
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
    if (!counts) return null;
    const names = surefireNames(lines);
    return { counts, failures: [...new Set(names)], named: names.length, cut: surefireCut(lines) };
  },
};

/**
 * A module that does not compile, lacks what it needs, whose tests took their process with them, or that builds on one that
 * failed, beside others whose tests ran.
 */
function surefireCut(lines: Lines): string {
  const said = /\bCOMPILATION ERROR\b|\bmaven-compiler-plugin\b.{0,300}\bCompilation failure\b/;
  const own =
    /^\[ERROR\].*\b(?:Could not resolve dependencies|could not be resolved|forked VM terminated|error in the forked process)\b/;
  // Maven repeats its errors at its end; what stands before may be of a build that a test made.
  const end = lines.findLastIndex((line) => /^\[INFO\] BUILD FAILURE\b/.test(line));
  const summary = lines.findLastIndex((line) => /^\[INFO\] Reactor Summary\b/.test(line));
  const leftOut = lines.slice(summary + 1, summary < 0 ? 0 : end).filter((line) => /^\[INFO\] .* SKIPPED$/.test(line));
  return [...lines.filter((line, at) => said.test(line) || (at > end && own.test(line))), ...leftOut].join('\n');
}

/**
 * As surefire lists a failure: `ATest.testX:12 message`, since 2.13, from 2.20 on behind `[ERROR]`. A display name is the
 * author's, so it ends where the number of the line says so. `ATest>Base.testX` is inherited.
 */
const LISTED: readonly RegExp[] = [
  /^(?:\[ERROR\]|(?:Failed tests|Tests in error):)? {2,}(?!Run \d)((?:[\w$]+>){0,20}[\w$]+\.[^:»]+?):\d+\b/,
  /^(?:\[ERROR\]|(?:Failed tests|Tests in error):)? {2,}(?!Run \d)((?:[\w$]+>){0,20}[\w$]+\.[\w$]+(?:\([^)]*\))?(?:\[[^\]]*\]|\{[^}]*\})*)(?=$|[\s:»-])/,
];

/** The oldest ones list `testX(com.a.ATest): message` below a word, and so do the others without a mark of their own. */
function surefireNames(lines: Lines): string[] {
  const names: string[] = [];
  let listing = false;
  for (const line of lines) {
    const older = /^(?:(?:Failed tests|Tests in error):)?\s+([^\s(][^(:]*\([\w.$]+\))/.exec(line)?.[1];
    if (/^(?:Failed tests|Tests in error):/.test(line)) listing = true;
    else if (line.trim() === '') listing = false;
    const newer = listing || line.startsWith('[ERROR]') ? LISTED.map((pattern) => pattern.exec(line)) : [];
    const name = (listing ? older : undefined) ?? newer.find((found) => found !== null)?.[1]?.trim();
    if (name !== undefined) names.push(name.replace(/^([\w$]+)(?:>[\w$]+)+(?=\.)/, '$1'));
  }
  return names;
}

/** Of a class that gradle ran, in its XML, which most runners of Java can write. */
function suitesOf(lines: Lines): Outcomes[] {
  const suites = lines.flatMap((line) => line.match(/<testsuite\s[^>]*>/g) ?? []);
  return suites.map((tag) => {
    const count = (name: string) => Number(new RegExp(`\\s${name}="(\\d+)"`).exec(tag)?.[1] ?? 0);
    const [failed, errors, skipped] = [count('failures'), count('errors'), count('skipped')];
    return { passed: count('tests') - failed - errors - skipped, failed, errors, skipped };
  });
}

/** A project that does not compile, lacks what its tests need, or whose tests took their process with them. */
const GRADLE_CUT =
  /^(?:Execution failed for task '[^']*:compile\w+'|Could not determine the dependencies of task '|> Process 'Gradle Test Executor \d+' finished with non-zero exit value)/;

/** Gradle counts only where a test fails, and only that project's; its XML reports, printed by the command, say all. */
export const gradle: TestReader = {
  framework: 'gradle',
  command: /\bgradlew?\b/,
  runsOthers: true,
  reports: between(/^(?=\S.* > .)(.+) FAILED$/, /^(?:> Task |\d+ tests? completed|FAILURE: |BUILD )/),
  read(lines) {
    const runs = matches(lines, /^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?$/).map(
      ([, all, failed = '0', skipped = '0']) => ({
        passed: Number(all) - Number(failed) - Number(skipped),
        failed: Number(failed),
        skipped: Number(skipped),
      }),
    );
    if (runs.length === 0) return null;
    const suites = suitesOf(lines);
    const cut = lines.filter((line) => GRADLE_CUT.test(line)).join('\n');
    return { counts: summed(suites.length > 0 ? suites : runs)!, ...named(lines, /^(?=\S.* > .)(.+) FAILED$/), cut };
  },
};

/** JUnit's XML among other output. */
export const junitXml: TestReader = {
  framework: 'junit',
  command: /\bjunit\b/,
  reports: null,
  read(lines) {
    const counts = summed(suitesOf(lines));
    return counts && { counts, failures: [], named: 0 };
  },
};

/** JUnit 4's own runner, and the console launcher of JUnit 5. */
export const junit: TestReader = {
  framework: 'junit',
  command: /\bjunit\b/i,
  reports: between(/^\d+\) (\w+\([\w.$]+\))$/, /^FAILURES!!!$|^Tests run: /),
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
    return counts && { counts, ...named(lines, /^\d+\) (\w+\([\w.$]+\))$/) };
  },
};
