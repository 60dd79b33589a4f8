import { type Lines, type Outcomes, type Report, summed, type TestReader } from './reading';

/** One package's line at the end, with all that was printed since the one before. */
interface Package {
  readonly name: string;
  readonly word: string;
  readonly rest: string;
  readonly lines: Lines;
}

/** What a package that failed was: never built, dead before or beside its tests, or with tests that failed. */
type Failed = 'broken' | 'silent' | 'tests';

const ENDED = /^(?:|.*\S)--- (PASS|FAIL|SKIP): (\S+)/;
const BEGUN = /^=== (RUN|PAUSE|CONT|NAME)\s+(\S+)/;

/** `go test`: with `-v` its tests, with `-json` its events, else its packages are what is counted. */
export const go: TestReader = {
  framework: 'go',
  command: /\bgo\b.{0,400}\btest\b/,
  reports: {
    of: (lines) => reportsOf(plain(lines)),
    // What is said of a part of a test is said of the test.
    same: (report, test) => report === test || report.startsWith(`${test}/`),
  },
  read(output) {
    const lines = plain(output);
    const packages = packagesOf(lines);
    if (packages.length === 0) return null;
    const tests = lines.flatMap((line) => ENDED.exec(line)?.[1] ?? []);
    const verbose = tests.includes('PASS') || lines.some((line) => line.startsWith('=== RUN'));
    const ran: Outcomes[] = verbose ? tests.map((outcome) => outcomeOf(outcome)) : [];
    const failures = new Set<string>();
    const unloaded: string[] = [];
    for (const one of packages) {
      const failed = one.word === 'FAIL' ? failureOf(one) : null;
      if (failed === null) {
        if (!verbose && one.word === 'ok  ' && !/no tests to run/.test(one.rest)) ran.push({ passed: 1 });
        continue;
      }
      const names = failed === 'tests' ? failedIn(one) : [];
      for (const name of names.length > 0 ? names : [one.name]) failures.add(name);
      if (failed !== 'tests') unloaded.push(one.name);
      if (failed !== 'tests') ran.push({ errors: 1 });
      else if (!verbose || !one.lines.some((line) => ENDED.exec(line)?.[1] === 'FAIL')) ran.push({ failed: 1 });
    }
    const counts = summed([...ran, {}])!;
    return { counts, failures: [...failures], unloaded, named: counts.failed + counts.errors };
  },
};

const outcomeOf = (word: string): Outcomes => ({
  [word === 'PASS' ? 'passed' : word === 'FAIL' ? 'failed' : 'skipped']: 1,
});

function packagesOf(lines: Lines): Package[] {
  const packages: Package[] = [];
  let since: string[] = [];
  for (const line of lines) {
    since.push(line);
    const end = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:\s+(.*))?$/.exec(line);
    if (!end) continue;
    packages.push({ name: end[2]!, word: end[1]!, rest: end[3] ?? '', lines: since });
    since = [];
  }
  return packages;
}

function failureOf(one: Package): Failed {
  if (/^\[(?:build|setup) failed\]/.test(one.rest)) return 'broken';
  if (failedIn(one).length > 0) return 'tests';
  // Without -v only the stack tells that a test was running.
  return one.lines.some((line) => /^testing\.tRunner\(/.test(line)) ? 'tests' : 'silent';
}

/** Tests that say so, or else the one that was running when the package died. */
function failedIn({ lines }: Package): string[] {
  const said = lines.flatMap((line) => /^(?:\s*|.*\S)--- FAIL: (\S+)/.exec(line)?.[1] ?? []);
  if (said.length > 0) return said;
  let running: string | null = null;
  for (const line of lines) {
    const begun = BEGUN.exec(line);
    const ended = /--- (?:PASS|FAIL|SKIP): (\S+)/.exec(line)?.[1];
    if (begun) running = begun[1] === 'PAUSE' ? null : begun[2]!;
    else if (ended !== undefined && ended === running) running = null;
  }
  return running === null ? [] : [running];
}

/** The tests' own lines, what the compiler says of a package, and what a package printed outside of its tests. */
function reportsOf(lines: Lines): Report[] {
  const reports = new Map<string, string[]>();
  const say = (name: string, line: string) => {
    const said = reports.get(name);
    if (said) said.push(line);
    else reports.set(name, [line]);
  };
  let compiled: string | null = null;
  const rest = lines.filter((line) => {
    const header = /^# (\S+)(?: \[\S+\])?$/.exec(line);
    if (header) compiled = header[1]!;
    else if (/^(?:===|---|ok {2}\t|FAIL\b|PASS$|\? {3}\t)/.test(line)) compiled = null;
    if (compiled === null) return true;
    say(compiled, line);
    return false;
  });
  for (const one of packagesOf(rest)) {
    const loose: string[] = [];
    let current: string | null = null;
    let over = false;
    for (const line of one.lines) {
      const begun = BEGUN.exec(line);
      const ended = /--- (PASS|FAIL|SKIP): (\S+)/.exec(line);
      if (begun) {
        current = begun[1] === 'PAUSE' ? null : begun[2]!;
        over = false;
      } else if (ended) {
        current = ended[1] === 'FAIL' ? ended[2]! : null;
        over = true;
        if (current !== null) say(current, line);
      } else {
        // Below its end a test has lines with an indent; a panic is still its own.
        if (/^panic:/.test(line)) over = false;
        if (over && /^\S/.test(line)) current = null;
        if (current === null) loose.push(line);
        else say(current, line);
      }
    }
    if (one.word === 'FAIL' && loose.length > 1) for (const line of loose) say(one.name, line);
  }
  return [...reports].map(([test, said]) => ({ test, lines: said }));
}

/** The lines that `go test -v` would have printed, those of each package together. */
function plain(lines: Lines): Lines {
  if (!lines.some((line) => line.startsWith('{"Time":') || line.startsWith('{"Action":'))) return lines;
  const packages = new Map<string, string[]>();
  for (const line of lines) {
    const { name, text } = eventOf(line);
    if (text === null) continue;
    const said = packages.get(name);
    if (said) said.push(text);
    else packages.set(name, [text]);
  }
  return [...packages.values()].flat();
}

function eventOf(line: string): { name: string; text: string | null } {
  if (!line.startsWith('{')) return { name: '', text: line };
  try {
    const event = JSON.parse(line) as { Action?: string; Output?: string; Package?: string };
    const said = event.Action === 'output' && typeof event.Output === 'string';
    return { name: event.Package ?? '', text: said ? event.Output!.replace(/\n$/, '') : null };
  } catch {
    return { name: '', text: null };
  }
}
