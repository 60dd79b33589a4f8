import { automake, autotest, ctest, dejagnu, meson } from './build-runners';
import { cargo } from './cargo';
import { go } from './go';
import { gradle, junit, junitXml, surefire } from './java';
import { ava, jasmine, jestTests, mocha, vitest } from './javascript';
import { doctest, pytest, stestr, unittest } from './python';
import { type Lines, linesOf, type TestReader, type TestReading, withoutPackages } from './reading';
import { prove, tap } from './tap';
import { boost, catch2, cmocka, criterion, cunit, googletest, libcheck, ownProgram, qtTest, unity } from './unit-tests';

export type { TestReading } from './reading';

/** Those that run other programs come first: what they run may print an end of its own. */
const READERS: readonly TestReader[] = [
  ctest,
  meson,
  automake,
  autotest,
  dejagnu,
  surefire,
  gradle,
  prove,
  stestr,
  pytest,
  unittest,
  go,
  cargo,
  jestTests,
  vitest,
  mocha,
  ava,
  jasmine,
  googletest,
  cmocka,
  catch2,
  boost,
  libcheck,
  unity,
  cunit,
  qtTest,
  criterion,
  junit,
  junitXml,
  tap,
  doctest,
  ownProgram,
];

/** The output of one command, as the framework that it is of tells it. */
export interface TestRun {
  readonly reading: TestReading | null;
  /** What the output says of one failure; null where that cannot be told. */
  reportOf(test: string): string | null;
  /** Its lines in the list at the end, where there are reports that say more; null where it has none. */
  listedAs(test: string): string | null;
  /** The first other framework in the same output that counts a failure, outside of what is said of the failures here. */
  failingBeside(): TestReading | null;
}

/**
 * What a test run says of itself, summed over all runs of the framework that its output holds. Null where no framework is
 * recognised. The framework that the command names goes before one that only appears in the output, and one that ran
 * tests before one that says that it found none. The numbers are the judged party's own words: the exit code and the
 * failures are to agree with them.
 */
export function readCounts(command: string, output: string): TestReading | null {
  return recognised(command, linesOf(output))?.reading ?? null;
}

/** The same, with what is said of each failure. */
export function readRun(command: string, output: string): TestRun {
  const found = recognised(command, linesOf(output));
  const lines = found?.lines ?? [];
  const reports = found?.reader.reports ?? null;
  const all = reports?.of(lines) ?? [];
  const said = (test: string, listed: boolean): string | null => {
    const own = all.filter((report) => (report.listed ?? false) === listed && reports!.same(report.test, test));
    return own.length > 0 ? own.flatMap((report) => report.lines).join('\n') : null;
  };
  return {
    reading: found?.reading ?? null,
    reportOf: (test) => said(test, false),
    listedAs: (test) => said(test, true),
    failingBeside() {
      if (!found || found.reader.runsOthers) return null;
      const reported = new Set(all.flatMap((report) => report.lines));
      const rest = lines.filter((line) => !reported.has(line));
      const others = READERS.filter(({ framework }) => framework !== found.reader.framework);
      return others.map((reader) => readBy(reader, rest)).find((other) => isFailing(other)) ?? null;
    },
  };
}

const isFailing = (reading: TestReading | null) =>
  reading !== null && reading.counts.failed + reading.counts.errors > 0;

interface Recognised {
  readonly reader: TestReader;
  readonly reading: TestReading;
  /** Those that it was read from. */
  readonly lines: Lines;
}

/** Where no line is anybody's, it may be for a word that a workspace puts before each of them. */
function recognised(command: string, lines: Lines): Recognised | null {
  const found = recognisedIn(command, lines);
  if (found && found.reading.counts.collected > 0) return found;
  const own = withoutPackages(lines);
  const inside = own && recognisedIn(command, own);
  return inside && (!found || inside.reading.counts.collected > 0) ? inside : found;
}

function recognisedIn(command: string, lines: Lines): Recognised | null {
  const byName = READERS.filter((reader) => reader.command.test(command));
  let none: Recognised | null = null;
  for (const reader of new Set([...byName, ...READERS])) {
    const reading = readBy(reader, lines);
    if (reading && reading.counts.collected > 0) return { reader, reading, lines };
    if (reading) none ??= { reader, reading, lines };
  }
  return none;
}

/** A file instead of a test, as its framework names one that it could not load. */
const FILE = /^\S+\.(?:py|[cm]?[jt]sx?)$/;

function readBy(reader: TestReader, lines: Lines): TestReading | null {
  const found = reader.read(lines);
  if (!found) return null;
  const { counts, failures, named = failures.length, cut = '' } = found;
  // A program may be called like a file of tests: it ran.
  const files = reader.runsOthers ? [] : failures.filter((test) => FILE.test(test));
  const unloaded = [...new Set([...(found.unloaded ?? []), ...files])];
  const unnamed = Math.max(0, counts.failed + counts.errors - named);
  return { framework: reader.framework, counts, failures, unloaded, unnamed, cut };
}
