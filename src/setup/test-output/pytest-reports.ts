import type { Lines, Report, Reports } from './reading';

/** A long name leaves room for one underscore on either side; `_ _ _` stands between the frames of one report. */
const HEADER = /^_+ (?!_ )(ERROR (?:at (?:setup|teardown) of|collecting) )?(.+?) _+$/;
const ENDS = /^=+ .*(?:summary|warnings|passed|failed).* =+$/;

interface Block {
  readonly name: string;
  readonly error: boolean;
  readonly lines: string[];
}

interface Failure {
  readonly test: string;
  readonly key: string;
  readonly error: boolean;
  readonly line: string;
}

/**
 * pytest heads a report with the name of the test and names its file only inside. `failed` is a line of the summary at the
 * end, which has both, and the reason once more, in short.
 */
export const pytestReports = (failed: RegExp): Reports => ({
  same: (report, test) => report === test,
  of(lines) {
    const failures = lines.flatMap((line): Failure[] => {
      const test = failed.exec(line)?.[1];
      if (test === undefined) return [];
      // The file stands before the name.
      return [{ test, key: keyOf(test.replace(/^.*?::/, '')), error: line.startsWith('ERROR'), line }];
    });
    const blocks = blocksOf(lines);
    // Where it was told to print no reports, the line is all that there is.
    const listed = blocks.length > 0;
    const reports = failures.map(({ test, line }): Report => ({ test, lines: [line], listed }));
    const byKey = new Map<string, Failure[]>();
    // One test may fail in several of its parts, each with a line of its own.
    const tests = [...new Map(failures.map((failure) => [`${failure.error} ${failure.test}`, failure])).values()];
    for (const failure of tests) byKey.set(failure.key, [...(byKey.get(failure.key) ?? []), failure]);
    const seen = new Map<string, number>();
    for (const { name, error, lines: said } of blocks) {
      const alike = byKey.get(name) ?? namedBy(name, tests);
      const ofKind = alike.filter((one) => one.error === error);
      const owners = ofKind.length > 0 ? ofKind : alike;
      const place = `${error} ${name}`;
      const nth = seen.get(place) ?? 0;
      seen.set(place, nth + 1);
      for (const { test } of ownersOf(owners, said, nth)) reports.push({ test, lines: said });
    }
    return reports;
  },
});

/** Of several tests with one name the one whose file the report goes through; where none tells, they come in one order. */
function ownersOf(owners: readonly Failure[], said: Lines, nth: number): readonly Failure[] {
  if (owners.length < 2) return owners;
  const inside = owners.filter(({ test }) => {
    const path = test.replace(/::.*$/s, '');
    return said.some((line) => line.startsWith(`${path}:`));
  });
  if (inside.length > 0) return inside;
  return owners[nth] ? [owners[nth]] : owners;
}

function blocksOf(lines: Lines): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of lines) {
    const header = HEADER.exec(line);
    if (header) {
      open = { name: keyOf(header[2]!), error: header[1] !== undefined, lines: [line] };
      blocks.push(open);
    } else if (ENDS.test(line)) open = null;
    else open?.lines.push(line);
  }
  return blocks;
}

/** A header may leave out the class, say what kind of test it is before the name, or which part of the test behind it. */
function namedBy(name: string, failures: readonly Failure[]): Failure[] {
  const whole = failures.filter(
    ({ key }) => key.endsWith(`.${name}`) || name.endsWith(` ${key}`) || name.endsWith(`.${key}`),
  );
  if (whole.length > 0) return whole;
  return failures.filter(({ key }) => name.startsWith(`${key} [`) || name.startsWith(`${key} (`));
}

/** `tests/test_a.py::T::test_x[1]` and `T.test_x[1]` name a test in different words. */
function keyOf(name: string): string {
  return name
    .replace(/^.*?\.py::/, '')
    .replace(/::/g, '.')
    .trim();
}
