import { automake, boost, cargo, catch2, ctest, go, googletest, meson } from './compiled';
import { ava, jasmine, jestTests, mocha, tap, vitest } from './javascript';
import { gradle, junit, junitXml, prove, surefire } from './other';
import { doctest, pytest, unittest } from './python';
import { linesOf, type TestReader, type TestReading } from './reading';

export type { TestReading } from './reading';

/** Those that run other programs come first: what they run may print an end of its own. */
const READERS: readonly TestReader[] = [
  ctest,
  meson,
  automake,
  surefire,
  gradle,
  prove,
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
  catch2,
  boost,
  junit,
  junitXml,
  tap,
  doctest,
];

/**
 * What a test run says of itself, summed over all runs of the framework that its output holds. Null where no framework is
 * recognised. The framework that the command names goes before one that only appears in the output, and one that ran
 * tests before one that says that it found none. The numbers are the judged party's own words: the exit code and the
 * failures are to agree with them.
 */
export function readCounts(command: string, output: string): TestReading | null {
  const lines = linesOf(output);
  const named = READERS.filter((reader) => reader.command.test(command));
  const readings: TestReading[] = [];
  for (const reader of new Set([...named, ...READERS])) {
    const reading = reader.read(lines);
    if (!reading) continue;
    if (reading.counts.collected > 0) return { framework: reader.framework, ...reading };
    readings.push({ framework: reader.framework, ...reading });
  }
  return readings[0] ?? null;
}
