import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readCounts, readRun } from '../../../src/setup/test-output';

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
    ['pytest-subtests-plugin', 'pytest', [5, 4, 0, 0]],
    ['pytest-subtests', 'pytest', [5, 6, 0, 0]],
    ['pytest-q', 'pytest', [7, 6, 5, 1]],
    ['pytest-tbno', 'pytest', [7, 6, 5, 1]],
    ['pytest-usage', 'pytest', [0, 0, 0, 1]],
    ['pytest-v', 'pytest', [7, 6, 5, 1]],
    ['pytest-x', 'pytest', [1, 1, 0, 0]],
    ['pytest-xdist', 'pytest', [7, 6, 5, 1]],
    ['stestr', 'stestr', [1, 2, 1, 0]],
    ['tap0', 'tap', [4, 2, 0, 0]],
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
  expect(readCounts('', fixture('catch'))!.failures).toEqual(['bad']);
  expect(readCounts('ctest', fixture('ctest'))!.failures).toEqual(['bad', 'notbuilt']);
});

test('several runs in one output are summed', () => {
  const twice = `${fixture('pytest-k')}\n${fixture('pytest-x')}`;
  expect(readCounts('tox', twice)!.counts).toMatchObject({ passed: 2, failed: 1, skipped: 1 });
});

test.each([
  ['pytest-subtests', 'tests/test_letters.py::LetterTest::test_envelopes', "No module named 'gum'"],
  ['pytest-subtests', 'tests/test_letters.py::LetterTest::test_stamps', '0 != 3'],
  ['pytest-subtests', 'tests/test_letters.py::LetterTest::test_seals', '1 != 3'],
  ['pytest-subtests', 'README.rst::README.rst', "No module named 'wax'"],
  ['pytest-subtests', 'docs/guide.txt::guide.txt', 'DocTestFailure'],
  ['pytest-subtests-plugin', 'tests/test_letters.py::LetterTest::test_envelopes', "No module named 'gum'"],
  ['pytest-subtests-plugin', 'tests/test_letters.py::LetterTest::test_seals', '1 != 3'],
])('%s: what is said of a part of a test, or of an example, is said of %s', (name, test, said) => {
  expect(readCounts('', fixture(name))!.failures).toContain(test);
  expect(readRun('', fixture(name)).reportOf(test)).toContain(said);
});

test('a line of the summary is no report where others have one, and the only one where nobody has', () => {
  const line = 'FAILED tests/test_a.py::test_x - assert 0';
  const end = `=== short test summary info ===\n${line}\n=== 1 failed in 0.1s ===`;
  const other = readRun('pytest', `=== FAILURES ===\n___ headed by a plugin ___\nE   assert 0\n${end}`);
  expect([other.reportOf('tests/test_a.py::test_x'), other.listedAs('tests/test_a.py::test_x')]).toEqual([null, line]);
  expect(readRun('pytest --tb=no', end).reportOf('tests/test_a.py::test_x')).toBe(line);
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

/** Test programs of C and C++ print their own ends, and so do the harnesses that run them. */
const OWN_ENDS: readonly (readonly [framework: string, output: string, counts: string, failures: string])[] = [
  ['automake', 'PASS: a\nFAIL: b\n======\n1 of 2 tests failed\n======', '1 1 0 0', 'b'],
  ['automake', 'PASS: a\nPASS: b\n==================\nAll 2 tests passed\n==================', '2 0 0 0', ''],
  [
    'automake',
    'PASS: a\nXFAIL: b\nSKIP: c\n====\nAll 2 tests behaved as expected (1 expected failure)\n(1 test was not run)',
    '1 0 2 0',
    '',
  ],
  ['automake', 'PASS: a\nFAIL: b\nmake: *** [check-TESTS] Error 1', '1 1 0 0', 'b'],
  ['autotest', '## Test results. ##\n\n12 tests were successful.\n3 tests were skipped.', '12 0 3 0', ''],
  [
    'autotest',
    ' 2: parses                  FAILED (a.at:3)\n\nERROR: 12 tests were run,\n1 failed unexpectedly.',
    '11 1 0 0',
    'parses',
  ],
  [
    'dejagnu',
    'FAIL: a.c\n\t\t=== foo Summary ===\n\n# of expected passes\t\t12\n# of unexpected failures\t1\n# of unsupported tests\t\t2',
    '12 1 2 0',
    'a.c',
  ],
  [
    'check',
    '83%: Checks: 12, Failures: 1, Errors: 1\na.c:3:F:core:test_x:0: no\na.c:9:E:core:test_y:0: (after this point) Received signal 11',
    '10 1 0 1',
    'test_x test_y',
  ],
  ['check', '100%: Checks: 12, Failures: 0, Errors: 0', '12 0 0 0', ''],
  [
    'cmocka',
    '[==========] tests: Running 3 test(s).\n[ RUN      ] b\n[  FAILED  ] b\n[==========] tests: 3 test(s) run.\n[  PASSED  ] 2 test(s).\n[  FAILED  ] tests: 1 test(s), listed below:\n[  FAILED  ] b\n\n 1 FAILED TEST(S)',
    '2 1 0 0',
    'b',
  ],
  ['cmocka', '[==========] Running 3 test(s).\n[==========] 3 test(s) run.\n[  PASSED  ] 3 test(s).', '3 0 0 0', ''],
  [
    'unity',
    't.c:12:test_x:FAIL: Expected 1 Was 2\n-----------------------\n12 Tests 1 Failures 2 Ignored \nFAIL',
    '9 1 2 0',
    'test_x',
  ],
  [
    'cunit',
    '  Test: adds ...passed\n  Test: divides ...FAILED\n\nRun Summary:    Type  Total    Ran Passed Failed Inactive\n              suites      1      1    n/a      0        0\n               tests      3      3      2      1        0\n             asserts     10     10      9      1      n/a',
    '2 1 0 0',
    'divides',
  ],
  [
    'qttest',
    'PASS   : T::a()\nFAIL!  : T::b() Compared values are not the same\nTotals: 5 passed, 1 failed, 1 skipped, 0 blacklisted, 3ms',
    '5 1 1 0',
    'T::b()',
  ],
  [
    'criterion',
    '[FAIL] core::parses: (0.00s)\n[====] Synthesis: Tested: 3 | Passing: 2 | Failing: 1 | Crashing: 0 ',
    '2 1 0 0',
    'core::parses',
  ],
  [
    'ctest',
    '50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - b (Failed)                      unit slow',
    '1 1 0 0',
    'b',
  ],
  [
    'ctest',
    '100% tests passed, 0 tests failed out of 2\n\nThe following tests did not run:\n\t  2 - b (Disabled)\n\t  3 - c (Skipped)',
    '1 0 2 0',
    '',
  ],
  ['ctest', '100% tests passed, 0 tests failed out of 1\n\n\t  2 - b (Disabled)', '1 0 1 0', ''],
  ['program', '[TEST] parses\n[FAIL] parses\n[ OK ] prints\n3 tests; 2 passed, 1 failed', '2 1 0 0', 'parses'],
  ['program', ' test (deep): SUCCESS\n58/58 tests successful', '58 0 0 0', ''],
  ['program', '12 tests passed, 0 failed\n4 tests passed, and 0 tests failed.', '16 0 0 0', ''],
  ['program', 'All 7 tests passed!', '7 0 0 0', ''],
  ['meson', '1/2 foo / d    FAIL   0.1s   exit status 1\nFail: 1', '0 1 0 0', 'd'],
];

test.each(OWN_ENDS)('%s', (framework, output, counts, failures) => {
  const read = readCounts('make check', output)!;
  const { passed, failed, skipped, errors } = read.counts;
  expect([read.framework, `${passed} ${failed} ${skipped} ${errors}`]).toEqual([framework, counts]);
  expect(read.failures.join(' ')).toBe(failures);
  expect(read.unnamed).toBe(0);
});

test.each([
  ['OK (SKIP=3)', '2 0 3 0'],
  ['FAILED (SKIP=1, errors=1, failures=1)', '2 1 1 1'],
  ['FAILED (skips=1, expectedFailures=1, failures=2, successes=1)', '1 2 2 0'],
  ['FAILED (unexpectedSuccesses=1, successes=4)', '4 1 0 0'],
  ['PASSED (skips=1, todos=1, successes=3)', '3 0 2 0'],
  ['OK (skipped=1, expected failures=1)', '3 0 2 0'],
])('what did not pass does not count as passed: %s', (end, expected) => {
  const { passed, failed, skipped, errors } = readCounts('', `Ran 5 tests in 0.1s\n\n${end}`)!.counts;
  expect(`${passed} ${failed} ${skipped} ${errors}`).toBe(expected);
});

test.each([
  [
    'pytest',
    'FAILED tests/my dir/test_a.py::test_x - assert 0\n= 1 failed in 0.1s =',
    ['tests/my dir/test_a.py::test_x'],
  ],
  [
    'pytest',
    'FAILED tests/test_a.py::test_x[a b - c] - no\n= 1 failed in 0.1s =',
    ['tests/test_a.py::test_x[a b - c]'],
  ],
  ['pytest', 'ERROR something that a log says\n= 1 passed in 0.1s =', []],
  [
    'mvn test',
    'Failed tests: \n  ATest.testX:19 validate(A) both\n  ATest$Deep.testY:21->helper:30 no\nTests in error: \n  BTest>Base.testZ:70 NullPointer\n  BTest.testW » IO\n\nTests run: 9, Failures: 2, Errors: 2, Skipped: 0',
    ['ATest.testX', 'ATest$Deep.testY', 'BTest.testZ', 'BTest.testW'],
  ],
  [
    'mvn test',
    '[ERROR]   BTest>Base.testZ:70 no\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0',
    ['BTest.testZ'],
  ],
  ['mvn test', '[ERROR]   ATest.testX\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0', ['ATest.testX']],
  [
    'mvn test',
    '[ERROR]   ATest.adds two numbers:12 expected\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0',
    ['ATest.adds two numbers'],
  ],
  [
    'mvn test',
    '[ERROR]   ATest.testX(int)[1]:12 expected\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0',
    ['ATest.testX(int)[1]'],
  ],
  [
    'mvn test',
    '[ERROR] com.a.ATest.testY -- Time elapsed: 0.01 s <<< FAILURE!\n[ERROR]   ATest.testY:15 » NullPointer\n[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0',
    ['ATest.testY'],
  ],
  [
    'cargo test -- --nocapture',
    "test a ... thread 'a' panicked\nFAILED\n\nfailures:\n\nfailures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored;",
    ['a'],
  ],
] as const)('a failure has its name: %s, %s', (command, output, expected) => {
  const read = readCounts(command, output)!;
  expect([read.failures, read.unnamed]).toEqual([expected, 0]);
});

test.each([
  [
    'pnpm -r test',
    'vitest',
    'packages/a test:  Test Files  1 passed (1)\npackages/a test:       Tests  3 passed (3)\npackages/b test:  FAIL  src/b.test.ts > adds\npackages/b test:       Tests  1 failed | 2 passed (3)\npackages/b test: Failed',
    '5 1 0 0',
  ],
  [
    'turbo test',
    'vitest',
    'a:test: \na:test:       Tests  3 passed (3)\nb:test:  FAIL  src/b.test.ts > adds\nb:test:       Tests  1 failed | 2 passed (3)',
    '5 1 0 0',
  ],
  [
    'lerna run test',
    'jest',
    'pkg-a: PASS src/a.test.js\npkg-b: FAIL src/b.test.js\npkg-a: Tests:       3 passed, 3 total\npkg-b:   ● adds\npkg-b: \npkg-b:     1 is not 2\npkg-b: Tests:       1 failed, 2 passed, 3 total',
    '5 1 0 0',
  ],
  [
    'yarn workspaces foreach run test',
    'mocha',
    '[@x/pkg-a]: \n[@x/pkg-a]:   3 passing (3ms)\n[@x/pkg-b]: \n[@x/pkg-b]:   2 passing (4ms)\n[@x/pkg-b]:   1 pending\nDone',
    '5 0 1 0',
  ],
])(
  'the packages of a workspace count, whatever stands before their lines: %s',
  (command, framework, output, expected) => {
    const { reading } = readRun(command, output);
    const { passed, failed, skipped, errors } = reading!.counts;
    expect([reading!.framework, `${passed} ${failed} ${skipped} ${errors}`]).toEqual([framework, expected]);
    expect(reading!.unnamed).toBe(0);
  },
);

test('a failure of mocha is named by the path above its report, not by its line among the others', () => {
  const live = '  1) top level fails\n\n  0 passing (3ms)\n  1 failing\n';
  const { failures, unnamed } = readCounts('npx mocha', `${live}\n  1) top level fails:\n     AssertionError: x\n`)!;
  expect([failures, unnamed]).toEqual([['top level fails'], 0]);
});

test('tests that passed somewhere else are none of automake’s', () => {
  expect(readCounts('npm test', '12 tests passed\nTest duration: 50 ms')).toBeNull();
});

test('the XML of Gradle counts the projects in which all went well, too', () => {
  const output = [
    'ATest > testX FAILED\n\n3 tests completed, 1 failed',
    '<testsuite name="com.a.ATest" tests="3" skipped="0" failures="1" errors="0" timestamp="x" time="0.1">',
    '<testsuite name="com.b.BTest" tests="40" skipped="0" failures="0" errors="0" timestamp="x" time="0.1">',
  ].join('\n');
  expect(readCounts('gradle test', output)).toMatchObject({
    ...{ framework: 'gradle', counts: { collected: 43, passed: 42, failed: 1 }, failures: ['ATest > testX'] },
  });
});

test.each(REAL)('%s names every failure that it counts, and nothing failed beside it', (name) => {
  const read = readRun('', fixture(name));
  // A test to be written, one that passed against its mark, and two runs that never began.
  const unnamed = ['ava-tap', 'nose2', 'pytest-conftest-error', 'pytest-usage'].includes(name) ? 1 : 0;
  expect([read.reading!.unnamed, read.failingBeside()]).toEqual([unnamed, null]);
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
