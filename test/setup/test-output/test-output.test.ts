import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readCounts } from '../../../src/setup/test-output';

const fixture = (name: string) => readFileSync(join(__dirname, 'fixtures', `${name}.txt`), 'utf8');

/** Real outputs of small projects, each with passing, failing, skipped and broken tests: passed, failed, skipped, errors. */
const REAL: readonly (readonly [name: string, framework: string, counts: readonly [number, number, number, number]])[] =
  [
    ['automake', 'automake', [1, 1, 2, 0]],
    ['ava-tap', 'tap', [2, 2, 1, 0]],
    ['ava', 'ava', [1, 1, 3, 0]],
    ['cargo-failfast', 'cargo', [2, 1, 1, 0]],
    ['cargo-q', 'cargo', [4, 1, 1, 0]],
    ['cargo', 'cargo', [4, 1, 1, 0]],
    ['catch-ok', 'catch2', [1, 0, 0, 0]],
    ['catch', 'catch2', [2, 1, 0, 0]],
    ['ctest-none', 'ctest', [0, 0, 0, 0]],
    ['ctest', 'ctest', [1, 1, 1, 1]],
    ['django', 'unittest', [1, 1, 0, 0]],
    ['doctest-cpp', 'catch2', [1, 1, 1, 0]],
    ['doctest-module', 'doctest', [1, 1, 0, 0]],
    ['doctest-v', 'doctest', [1, 1, 0, 0]],
    ['doctest', 'doctest', [0, 1, 0, 0]],
    ['go-cached', 'go', [1, 0, 0, 0]],
    ['go-json', 'go', [3, 3, 1, 1]],
    ['go-ok', 'go', [1, 0, 0, 0]],
    ['go-plain', 'go', [1, 2, 0, 1]],
    ['go-v-panics', 'go', [0, 1, 0, 0]],
    ['go-v', 'go', [3, 2, 1, 0]],
    ['gtest-brief', 'googletest', [1, 1, 1, 0]],
    ['gtest', 'googletest', [1, 1, 1, 0]],
    ['jest-none', 'jest', [0, 0, 0, 0]],
    ['jest-v', 'jest', [1, 1, 2, 0]],
    ['jest', 'jest', [1, 1, 2, 1]],
    ['meson', 'meson', [1, 1, 2, 0]],
    ['mocha-dot', 'mocha', [1, 2, 2, 0]],
    ['mocha-none', 'mocha', [0, 0, 0, 0]],
    ['mocha', 'mocha', [1, 2, 2, 0]],
    ['ninja-test', 'meson', [1, 1, 2, 0]],
    ['node-test-file', 'tap', [3, 1, 2, 0]],
    ['node-test', 'tap', [3, 1, 2, 0]],
    ['nose2', 'unittest', [1, 2, 2, 1]],
    ['nox', 'pytest', [1, 0, 0, 0]],
    ['prove-q', 'prove', [0, 0, 0, 0]],
    ['prove-v', 'prove', [4, 1, 0, 0]],
    ['prove', 'prove', [4, 1, 0, 0]],
    ['pytest-collect-error', 'pytest', [0, 0, 0, 1]],
    ['pytest-color', 'pytest', [7, 6, 5, 1]],
    ['pytest-conftest-error', 'pytest', [0, 0, 0, 1]],
    ['pytest-k', 'pytest', [1, 0, 1, 0]],
    ['pytest-none', 'pytest', [0, 0, 0, 0]],
    ['pytest-plain', 'pytest', [7, 6, 5, 1]],
    ['pytest-q', 'pytest', [7, 6, 5, 1]],
    ['pytest-tbno', 'pytest', [7, 6, 5, 1]],
    ['pytest-usage', 'pytest', [0, 0, 0, 1]],
    ['pytest-v', 'pytest', [7, 6, 5, 1]],
    ['pytest-x', 'pytest', [1, 1, 0, 0]],
    ['pytest-xdist', 'pytest', [7, 6, 5, 1]],
    ['tap15-none', 'tap', [0, 0, 0, 0]],
    ['tap15-tap', 'tap', [1, 1, 1, 0]],
    ['tap15', 'tap', [0, 1, 0, 0]],
    ['tape', 'tap', [2, 1, 0, 0]],
    ['tox', 'pytest', [1, 0, 0, 0]],
    ['unittest-none', 'unittest', [0, 0, 0, 1]],
    ['unittest-ok', 'unittest', [1, 0, 0, 0]],
    ['unittest-v', 'unittest', [1, 2, 2, 1]],
    ['unittest-zero', 'unittest', [0, 0, 0, 0]],
    ['unittest', 'unittest', [1, 2, 2, 1]],
    ['vitest-none', 'vitest', [0, 0, 0, 0]],
    ['vitest', 'vitest', [1, 1, 2, 1]],
  ];

test.each(REAL)('%s is read as %s', (name, framework, [passed, failed, skipped, errors]) => {
  expect(readCounts('', fixture(name))).toMatchObject({
    framework,
    counts: { collected: passed + failed + skipped + errors, passed, failed, skipped, errors },
  });
});

test.each(['pytest-collect-only', 'go-missing-module'])('%s ran no test that could be counted', (name) => {
  expect(readCounts('', fixture(name))).toBeNull();
});

test('a test that passes against its mark is never a pass', () => {
  // One is not strict (skipped), one is strict and one is unittest's (both failed).
  const { counts, failures } = readCounts('pytest', fixture('pytest-plain'))!;
  expect(counts.passed).toBe(7);
  expect(failures).toEqual(expect.arrayContaining(['test_a.py::test_xpass_strict', 'test_a.py::T::test_uxs']));
  expect(readCounts('python -m unittest', fixture('unittest'))!.failures).toContain('test_uxs (test_u.T.test_uxs)');
});

test('names of failures, also with brackets and blanks', () => {
  expect(readCounts('pytest', fixture('pytest-q'))!.failures).toContain('test_a.py::test_p[2]');
  expect(readCounts('npx mocha', fixture('mocha'))!.failures).toEqual(['Math is bad', 'Math deep also bad']);
  expect(readCounts('cargo test', fixture('cargo'))!.failures).toEqual(['tests::bad']);
  expect(readCounts('ctest', fixture('ctest'))!.failures).toEqual(['bad', 'notbuilt']);
});

test('several runs in one output are summed', () => {
  const twice = `${fixture('pytest-k')}\n${fixture('pytest-x')}`;
  expect(readCounts('tox', twice)!.counts).toMatchObject({ passed: 2, failed: 1, skipped: 1 });
});

test('sessions that a failed test of a pytest plugin printed do not count', () => {
  const inner = fixture('pytest-k');
  const output = [
    '============================= test session starts ==============================',
    'collected 2 items',
    '=================================== FAILURES ===================================',
    '___________________________________ test_x ____________________________________',
    inner,
    '=========================== short test summary info ============================',
    'FAILED test_plugin.py::test_x - assert 0',
    '========================= 1 failed, 1 passed in 0.02s ==========================',
  ].join('\n');
  expect(readCounts('pytest', output)!.counts).toMatchObject({ collected: 2, passed: 1, failed: 1 });
});

test.each([
  [
    'mvn test',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in a.B\n[ERROR]   CalcTest.bad:12 expected: <1>\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0',
    'surefire',
    [4, 1, 1, 1],
  ],
  ['gradle test', 'CalcTest > bad() FAILED\n5 tests completed, 1 failed, 1 skipped', 'gradle', [3, 1, 1, 0]],
  ['gradle test', '<testsuite name="a" tests="4" skipped="1" failures="1" errors="0" time="1">', 'junit', [2, 1, 1, 0]],
  ['java org.junit.runner.JUnitCore A', 'OK (3 tests)', 'junit', [3, 0, 0, 0]],
  ['npx jasmine', '4 specs, 1 failure, 1 pending spec', 'jasmine', [2, 1, 1, 0]],
  [
    'cargo nextest run',
    '     Summary [   0.1s] 10 tests run: 9 passed (1 slow), 1 failed, 2 skipped',
    'cargo',
    [9, 1, 2, 0],
  ],
] as const)('%s', (command, output, framework, [passed, failed, skipped, errors]) => {
  expect(readCounts(command, output)).toMatchObject({ framework, counts: { passed, failed, skipped, errors } });
});

test('any text is read without an error, and never into numbers that do not add up', () => {
  const lines = fc.constantFrom(...REAL.flatMap(([name]) => fixture(name).split('\n')));
  fc.assert(
    fc.property(fc.array(fc.oneof(lines, fc.string()), { maxLength: 60 }), fc.string(), (text, command) => {
      const counts = readCounts(command, text.join('\n'))?.counts;
      if (!counts) return;
      const { collected, passed, failed, skipped, errors } = counts;
      expect(Math.min(passed, failed, skipped, errors)).toBeGreaterThanOrEqual(0);
      expect(passed + failed + skipped + errors).toBe(collected);
    }),
  );
});
