import { linesOf } from '../../test-output/reading';

/** Lines that begin the report of one failure, with the test's name, and those that end the reports. */
interface Reports {
  readonly begins: RegExp;
  readonly ends: RegExp;
}

const REPORTS: Readonly<Record<string, Reports>> = {
  pytest: {
    // A long name leaves room for one underscore on either side; `_ _ _` stands between the frames of one report.
    begins: /^_+ (?!_ )(?:ERROR (?:at (?:setup|teardown) of|collecting) )?(.+?) _+$/,
    ends: /^=+ .*(?:summary|warnings|passed|failed).* =+$/,
  },
  unittest: { begins: /^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (\S+(?: \([^)]+\))?)/, ends: /^Ran \d+ tests? in / },
  go: { begins: /^(?:=== RUN\s+|\s*--- FAIL: )(\S+)/, ends: /^(?:FAIL|ok)(?:\s|$)/ },
  cargo: { begins: /^---- (.+) stdout ----$/, ends: /^failures:$|^test result: / },
  jest: { begins: /^\s+● (.+ › .+|Test suite failed to run)$/, ends: /^Test Suites: / },
  vitest: { begins: /^\s*FAIL\s+(.+?)(?: \[ .* \])?$/, ends: /^\s+Test Files\s/ },
  tap: { begins: /^\s*not ok \d+ -? ?(.+?)(?: # time.*)?$/, ends: /^\s*(?:ok \d+\b|# Subtest)/ },
  ctest: { begins: /^\s*\d+\/\d+ Test\s+#\d+: (\S+) /, ends: /^\s*Start \d+: |^\d+% tests passed/ },
};

/**
 * What the output says about one failed test; empty where its report is not found. A framework that is not known here
 * gives the whole output: then a sign of a broken environment anywhere speaks for all.
 */
export function reportOf(framework: string, output: string, test: string): string {
  const reports = REPORTS[framework];
  if (!reports) return output;
  const wanted = keyOf(test);
  const found: string[] = [];
  let inside = false;
  for (const line of linesOf(output)) {
    const name = reports.begins.exec(line)?.[1];
    if (name !== undefined)
      inside = keyOf(name) === wanted || wanted.endsWith(`.${keyOf(name)}`) || keyOf(name).endsWith(wanted);
    else if (reports.ends.test(line)) inside = false;
    // pytest says the reason once more beside the name.
    if (inside || (line.includes(test) && /^(?:FAILED|ERROR) .* - /.test(line))) found.push(line);
  }
  return found.join('\n');
}

/** `tests/test_a.py::T::test_x[1]`, `T.test_x[1]` and `tests::test_x` name tests in different words. */
function keyOf(name: string): string {
  return name
    .replace(/^.*?\.py::/, '')
    .replace(/::/g, '.')
    .trim();
}
