import { classify } from '../../../src/setup/roles/rules/causes';
import { repositoriesOf } from '../../../src/setup/roles/rules/play';
import { verifierResult, WHOLE_RUN } from '../../../src/setup/verdict';
import { evidence, FILES, sampleCase, seen } from './sample';

type Files = Readonly<Record<string, string>>;

const PYTHON: Files = FILES;
const GO: Files = { 'go.mod': 'module example.com/m\ngo 1.20\n', 'a/a_test.go': '', 'b/b_test.go': '' };
const NODE: Files = {
  'package.json': JSON.stringify({ name: 'acorn', dependencies: { lodash: '^4' }, scripts: { test: 'jest' } }),
  'src/i.js': '',
  'test/a.test.js': '',
};
const JAVA: Files = { 'pom.xml': '<project><artifactId>a</artifactId></project>', 'src/test/java/ATest.java': '' };
const RUST: Files = { 'Cargo.toml': '[package]\nname = "acorn"\n', 'src/lib.rs': '', 'tests/a.rs': '' };

const CLASSES = { setup: 'setup', bug: 'repository_bug', external: 'external_service' } as const;

interface Scene {
  readonly files: Files;
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly present?: readonly string[];
  /** Every failure, with whose it is. */
  readonly expected: Readonly<Record<string, keyof typeof CLASSES>>;
}

/** How `builtin:rules` explains a run, and what its result comes to where it says that all is well but the set-up's. */
function explained({ files, command, output, exitCode = 1, present = [] }: Scene) {
  const [repository] = repositoriesOf(sampleCase(files));
  const run = seen({ move: 'run_tests' as const, thought: '', command, framework: '' }, output, exitCode);
  const failures = classify(command, run.observed, {
    ...{ repository: repository!, services: [], present: new Set(present) },
  });
  const told = failures.map(({ test, class: kind, why }) => ({ test, class: kind, why }));
  const success = failures.every(({ class: kind }) => kind !== 'setup');
  const moves = [
    run,
    ...(told.length > 0 ? [seen({ move: 'classify' as const, thought: '', failures: told })] : []),
    seen({ move: 'conclude' as const, thought: '', success, hint: '' }),
  ];
  const result = verifierResult(
    moves,
    moves.map(({ move }) => (move.move === 'run_tests' ? evidence(exitCode, command) : null)),
    'head',
  );
  return { failures, result };
}

function judged(scene: Scene) {
  const { failures, result } = explained(scene);
  expect(Object.fromEntries(failures.map(({ test, class: kind }) => [test, kind]))).toEqual(
    Object.fromEntries(Object.entries(scene.expected).map(([test, kind]) => [test, CLASSES[kind]])),
  );
  expect(result.success).toBe(!Object.values(scene.expected).includes('setup'));
  return result;
}

const summary = (...lines: string[]) => ['=== short test summary info ===', ...lines].join('\n');

describe('a failure without a name is explained beside those that have one', () => {
  test('a Go package that dies outside of its tests counts, and is reported by what it printed', () => {
    const { counts } = judged({
      files: GO,
      command: 'cd /repo && go test -v ./...',
      output: [
        '=== RUN   TestA\n    a_test.go:9: got 1 want 2\n--- FAIL: TestA (0.00s)\n=== RUN   TestOk\n--- PASS: TestOk (0.00s)',
        'FAIL\nFAIL\texample.com/m/a\t0.003s',
        '2024/01/01 00:00:00 exec: "protoc": executable file not found in $PATH\nFAIL\texample.com/m/b\t0.003s\nFAIL',
      ].join('\n'),
      expected: { TestA: 'bug', 'example.com/m/b': 'setup' },
    });
    expect(counts).toMatchObject({ passed: 1, failed: 1, errors: 1 });
  });

  test('a top-level test of jest has a name too', () => {
    judged({
      files: NODE,
      command: 'npm run test',
      output: [
        'FAIL test/a.test.js\n  ● a › b\n\n    expect(received).toBe(expected)\n\n  ● reads with lodash\n',
        "    Cannot find module 'lodash' from 'src/i.js'\n\nTest Suites: 1 failed, 1 total\nTests:       2 failed, 3 passed, 5 total\n",
      ].join('\n'),
      expected: { 'a › b': 'bug', 'reads with lodash': 'setup' },
    });
  });

  test('more failures were counted than named', () => {
    judged({
      files: PYTHON,
      command: 'pytest',
      output: `${summary('FAILED tests/test_a.py::test_x - assert 0')}\nsh: 1: dot: not found\n=== 2 failed, 1 passed in 0.1s ===`,
      expected: { 'tests/test_a.py::test_x': 'bug', [WHOLE_RUN]: 'setup' },
    });
  });

  test.each([
    ['that miss a module', "     Error: Cannot find module 'lodash'", 'setup'],
    ['of their own', '     AssertionError: 1 == 2', 'bug'],
  ] as const)('tests of a second runner %s', (_, why, kind) => {
    judged({
      files: NODE,
      command: 'npm run test',
      output: [
        'FAIL test/a.test.js\n  ● a › b\n\n    expect(received).toBe(expected)\n',
        'Tests:       1 failed, 3 passed, 4 total\n\n  5 passing (3ms)\n  1 failing\n',
        `  1) a\n       c:\n${why}\n`,
      ].join('\n'),
      expected: { 'a › b': 'bug', [WHOLE_RUN]: kind },
    });
  });

  test('a module of Maven that does not compile, beside one whose tests ran', () => {
    judged({
      files: JAVA,
      command: 'mvn -o -B -fae test',
      output: [
        '[ERROR] Failures: \n[ERROR]   ATest.testX:12 expected:<1> but was:<2>\n[INFO] \n[ERROR] Tests run: 30, Failures: 1, Errors: 0, Skipped: 0',
        '[ERROR] COMPILATION ERROR : \n[ERROR] /repo/b/src/main/java/B.java:[3,8] cannot find symbol\n[ERROR]   symbol:   class Gone',
      ].join('\n'),
      expected: { 'ATest.testX': 'bug', [WHOLE_RUN]: 'setup' },
    });
  });
});

test.each([
  [
    'does not compile',
    "Execution failed for task ':b:compileTestJava'.\n> Compilation failed; see the compiler error output for details.",
  ],
  [
    'lacks what its tests need',
    "Could not determine the dependencies of task ':b:test'.\n> Could not resolve all dependencies for configuration ':b:testRuntimeClasspath'.\n   > No cached version of org.example:wax:1 available for offline mode.",
  ],
  [
    'dies',
    "Execution failed for task ':b:test'.\n> Process 'Gradle Test Executor 2' finished with non-zero exit value 134",
  ],
])('a project of Gradle that %s, beside one whose tests ran', (_, wrong) => {
  judged({
    files: { 'build.gradle': '', 'a/src/test/java/ATest.java': '' },
    command: './gradlew --offline --continue test',
    output: `ATest > testX FAILED\n    java.lang.AssertionError at ATest.java:12\n\n3 tests completed, 1 failed\n\n* What went wrong:\n${wrong}`,
    expected: { 'ATest > testX': 'bug', [WHOLE_RUN]: 'setup' },
  });
});

describe('a module of Maven whose tests had no turn, beside one whose tests ran', () => {
  const ran =
    '[ERROR] Failures: \n[ERROR]   ATest.testX:12 expected:<1> but was:<2>\n[INFO] \n[ERROR] Tests run: 30, Failures: 1, Errors: 0, Skipped: 0';
  const end = '[INFO] BUILD FAILURE\n[INFO] Total time: 9 s';
  const scene = (...lines: string[]) => ({
    ...{ files: JAVA, command: 'mvn -o -B -fae test', output: [ran, ...lines].join('\n') },
  });

  test.each([
    [
      'for what it needs',
      '[ERROR] Failed to execute goal on project b: Could not resolve dependencies for project g:b:jar:1: Cannot access central (https://repo.example) in offline mode and the artifact g:wax:jar:1 has not been downloaded from it before.',
    ],
    [
      'for a plugin',
      '[ERROR] Plugin g:seal-maven-plugin:1 or one of its dependencies could not be resolved: Cannot access central in offline mode',
    ],
    [
      'because their process ended',
      '[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?',
    ],
    ['because their process could not begin', '[ERROR] There was an error in the forked process'],
  ])('%s', (_, wrong) => {
    judged({ ...scene(end, wrong), expected: { 'ATest.testX': 'bug', [WHOLE_RUN]: 'setup' } });
  });

  test('because it builds on one that failed', () => {
    const summary = [
      '[INFO] Reactor Summary for parent 1:\n[INFO] ',
      '[INFO] a .................................................. FAILURE [  0.991 s]',
      '[INFO] b .................................................. SKIPPED',
    ];
    judged({ ...scene(...summary, end), expected: { 'ATest.testX': 'bug', [WHOLE_RUN]: 'setup' } });
  });

  test('is another than one that a test made', () => {
    const own = '[ERROR] There are test failures.';
    judged({
      ...scene('[ERROR] Failed to execute goal on project inner: Could not resolve dependencies', end, own),
      expected: { 'ATest.testX': 'bug' },
    });
  });
});

describe('a binary of Cargo', () => {
  const failed = (name: string, ended: string) =>
    `error: test failed, to rerun pass \`--test ${name}\`\n\nCaused by:\n  process didn't exit successfully: \`/repo/target/debug/deps/${name}-4431\` (${ended})`;
  const ran =
    'running 2 tests\ntest tests::ok ... ok\ntest tests::bad ... FAILED\n\nfailures:\n\n---- tests::bad stdout ----\nthread panicked at src/lib.rs:2:38:\nassertion failed\n\n\nfailures:\n    tests::bad\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n';
  const scene = (said: string) => ({
    ...{ files: RUST, command: 'cargo test --no-fail-fast', output: `${ran}\n${said}`, exitCode: 101 },
  });

  test.each([
    [
      'for a library',
      '/repo/target/debug/deps/post-4431: error while loading shared libraries: libwax.so.5: cannot open shared object file: No such file or directory',
      'a library is missing: /repo/target/debug/deps/post-4431',
    ],
    ['in the middle of its tests', 'running 3 tests', 'not all tests had their turn'],
  ])('that ended %s is no part of the tests that failed elsewhere', (_, said, why) => {
    const told = scene(`${said}\n${failed('post', 'exit status: 127')}`);
    judged({ ...told, expected: { 'tests::bad': 'bug', [WHOLE_RUN]: 'setup' } });
    expect(explained({ ...told, expected: {} }).failures.at(-1)!.why).toContain(why);
  });

  test('that needs a network for one test, and ends in the middle, is cut all the same', () => {
    const told = scene(`thread panicked: no such host\n${failed('post', 'exit status: 1')}`);
    judged({ ...told, expected: { 'tests::bad': 'bug', [WHOLE_RUN]: 'setup' } });
  });

  test.each([
    ['has failures of its own', failed('post', 'exit status: 101')],
    [
      'is none that a test ran',
      "---- tests::builds stdout ----\nerror: process didn't exit successfully: `rustc -vV` (exit status: 1)",
    ],
  ])('that %s is not cut', (_, said) => {
    judged({ ...scene(said), expected: { 'tests::bad': 'bug' } });
  });
});

describe('a run that ended early is not the whole', () => {
  const failing = `=== FAILURES ===\n___ test_own ___\nE       assert 1 == 2\n${summary('FAILED tests/test_a.py::test_own - assert 1 == 2')}`;
  test.each([
    ['after the first failure', '!!!!!!!!! stopping after 1 failures !!!!!!!!!', 1],
    ['for errors while collecting', '!!!!!!!! Interrupted: 1 error during collection !!!!!!!!', 2],
    ['by a hook', '!!!!!!! _pytest.outcomes.Exit: libfoo.so missing !!!!!!!', 2],
    ['by an error of pytest', 'INTERNALERROR> KeyError: 1', 3],
    ['by whatever ends it so', '', 2],
    ['by a signal', '', 139],
  ])('%s', (_, line, exitCode) => {
    judged({
      files: PYTHON,
      command: 'cd /repo && python3 -m pytest -rfE',
      output: `${failing}\n${line}\n=== 1 failed, 1 passed in 0.12s ===`,
      exitCode,
      expected: { 'tests/test_a.py::test_own': 'bug', [WHOLE_RUN]: 'setup' },
    });
  });

  test('a session that a test made and that was stopped is none of it', () => {
    const inner =
      'collected 2 items\n!!!!!!!! Interrupted: 1 error during collection !!!!!!!!\n=== 1 error in 0.01s ===';
    judged({
      files: PYTHON,
      command: 'pytest',
      output: [
        '=== test session starts ===\n=== FAILURES ===\n___ test_own ___\nE       assert 1 == 2',
        `--- Captured stdout call ---\n=== test session starts ===\n${inner}`,
        summary('FAILED tests/test_a.py::test_own - assert 1 == 2'),
        '=== 1 failed, 1 passed in 0.12s ===',
      ].join('\n'),
      expected: { 'tests/test_a.py::test_own': 'bug' },
    });
  });

  test('make ends with 2 where a test failed, which is no word of pytest', () => {
    judged({
      files: PYTHON,
      command: 'make test',
      output: `${failing}\n=== 1 failed, 1 passed in 0.12s ===\nmake: *** [Makefile:3: test] Error 1`,
      exitCode: 2,
      expected: { 'tests/test_a.py::test_own': 'bug' },
    });
  });
});

describe('a report goes to the test that it is of', () => {
  test('Go, where tests run side by side', () => {
    judged({
      files: GO,
      command: 'go test -v ./...',
      output: [
        '=== RUN   TestGit\n=== PAUSE TestGit\n=== RUN   TestPlain\n=== PAUSE TestPlain\n=== CONT  TestGit\n=== CONT  TestPlain',
        '=== NAME  TestGit\n    a_test.go:9: exec: "git": executable file not found in $PATH\n=== NAME  TestPlain\n    a_test.go:12: got 1',
        '--- FAIL: TestGit (0.00s)\n--- FAIL: TestPlain (0.00s)\n=== RUN   TestOk\n--- PASS: TestOk (0.00s)\nFAIL\nFAIL\texample.com/m/a\t0.003s\nFAIL',
      ].join('\n'),
      expected: { TestGit: 'setup', TestPlain: 'bug' },
    });
  });

  test('the runner of Node.js, in prose', () => {
    judged({
      files: NODE,
      command: 'npm run test',
      output: [
        '▶ suite\n  ✔ ok (0.5ms)\n  ✖ adds (0.5ms)\n  ✖ needs lodash (0.7ms)\n▶ suite (1.2ms)\nℹ tests 3\nℹ suites 1\nℹ pass 1\nℹ fail 2',
        'ℹ cancelled 0\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 50\n\n✖ failing tests:\n\ntest at test/a.js:1:1\n✖ adds (0.5ms)\n  AssertionError: 1 == 2\n',
        "test at test/a.js:9:1\n✖ needs lodash (0.7ms)\n  Error: Cannot find module 'lodash'\n  Require stack:\n  - /repo/src/i.js\n",
      ].join('\n'),
      expected: { adds: 'bug', 'needs lodash': 'setup' },
    });
  });

  const twins = (first: string, second: string) =>
    [
      `=== FAILURES ===\n___ test_x ___\n${first}\n___ test_x ___\n${second}`,
      summary('FAILED tests/test_a.py::test_x', 'FAILED tests/test_b.py::test_x'),
      '=== 2 failed, 1 passed in 0.1s ===',
    ].join('\n');
  test.each([
    ['in the order of their summary', twins('E   assert 1 == 2', "E   ModuleNotFoundError: No module named 'yaml'")],
    [
      'by the file that they go through',
      twins(
        "tests/test_b.py:3: in test_x\nE   ModuleNotFoundError: No module named 'yaml'",
        'tests/test_a.py:3: AssertionError\nE   assert 1 == 2',
      ),
    ],
  ])('two tests of one name in pytest, %s', (_, output) => {
    judged({
      ...{ files: PYTHON, command: 'pytest', output },
      expected: { 'tests/test_a.py::test_x': 'bug', 'tests/test_b.py::test_x': 'setup' },
    });
  });

  test('a suite of jest that does not load has the name of its file, once', () => {
    const first = "FAIL test/a.test.js\n  ● Test suite failed to run\n\n    SyntaxError: Unexpected token 'export'\n";
    const second =
      "FAIL test/b.test.js\n  ● Test suite failed to run\n\n    Cannot find module 'lodash' from 'src/i.js'\n";
    const { counts } = judged({
      files: NODE,
      command: 'npx jest',
      output: `${first}\n${second}\nSummary of all failing tests\n${first}\n${second}\nTest Suites: 2 failed, 1 passed, 3 total\nTests:       3 passed, 3 total\n`,
      expected: { 'test/a.test.js': 'setup', 'test/b.test.js': 'setup' },
    });
    expect(counts).toMatchObject({ passed: 3, errors: 2 });
  });

  const formats = "FormatTest.test_reads (name='yaml')";
  test.each([
    [
      'a part of a test of pytest',
      `___ ${formats} ___\nE   ModuleNotFoundError: No module named 'yaml'\n${summary("SUBFAILED(name='yaml') tests/test_a.py::FormatTest::test_reads")}`,
      'tests/test_a.py::FormatTest::test_reads',
    ],
    [
      'an example in a text',
      `___ [doctest] README.rst ___\nUNEXPECTED EXCEPTION: ModuleNotFoundError("No module named 'yaml'")\n${summary('FAILED README.rst::README.rst')}`,
      'README.rst::README.rst',
    ],
    [
      'a test under a heading of another plugin, by the whole output',
      `___ headed by a plugin ___\nE   ModuleNotFoundError: No module named 'yaml'\n${summary('FAILED tests/test_a.py::test_x - Exception...')}`,
      'tests/test_a.py::test_x',
    ],
  ])('%s', (_, failed, test) => {
    judged({
      ...{
        files: PYTHON,
        command: 'pytest',
        output: `=== FAILURES ===\n${failed}\n=== 1 failed, 2 passed in 0.1s ===`,
      },
      expected: { [test]: 'setup' },
    });
  });

  test('of a test under a heading of another plugin its line tells why, so that no reason is shared by all', () => {
    const files = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `pkg/${name}.py::STYLE`);
    const failed = files.map((test) => `___ style-check ___\n${test.replace(/::.*/, '')}:1: line too long`).join('\n');
    judged({
      files: PYTHON,
      command: 'pytest',
      output: `=== FAILURES ===\n${failed}\n${summary(...files.map((test) => `FAILED ${test}`))}\n=== 6 failed, 2 passed in 0.1s ===`,
      expected: Object.fromEntries(files.map((test) => [test, 'bug'])),
    });
  });

  test('parts of tests that failed have their test’s name: nothing is left that the whole run would answer for', () => {
    const parts = [0, 1, 2, 3, 4, 5].map(
      (i) => `SUBFAILED[size] (i=${i}) tests/test_a.py::SizeTest::test_all - Ass...`,
    );
    judged({
      files: PYTHON,
      command: 'pytest',
      output: `=== FAILURES ===\n___ SizeTest.test_all [size] (i=0) ___\nE   AssertionError: 0 != 3\n${summary(...parts)}\n=== 6 failed, 2 passed in 0.1s ===`,
      expected: { 'tests/test_a.py::SizeTest::test_all': 'bug' },
    });
  });

  test('a failure whose report is not found is judged by the whole output', () => {
    judged({
      files: NODE,
      command: 'npx ava',
      output: "  ✔ a\n  ✖ c Error\n  ─\n\n  c\n\n  Error: Cannot find module 'lodash'\n\n  1 test failed\n",
      expected: { c: 'setup' },
    });
  });
});

describe('Go tells a package from a test', () => {
  test('one whose path has no slash, and is not built', () => {
    const { counts } = judged({
      files: { 'go.mod': 'module mymod\ngo 1.20\n', 'x_test.go': '', 'sub/a_test.go': '' },
      command: 'go test -v ./...',
      output: [
        '# mymod\n./x_test.go:5:2: undefined: gone\nFAIL\tmymod [build failed]',
        '=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tmymod/sub\t0.003s\nFAIL',
      ].join('\n'),
      expected: { mymod: 'setup' },
    });
    expect(counts).toMatchObject({ passed: 1, errors: 1 });
  });
});

describe('an own bug is no fault of the set-up, in the words of', () => {
  test.each<[string, Files, string, string, Scene['expected'], object]>([
    [
      'an older surefire',
      JAVA,
      'mvn -o -B -fae test',
      'Results :\n\nFailed tests:   testX(com.a.ATest): expected:<1> but was:<2>\n  testY(com.a.ATest)\n\nTests in error: \n  testZ(com.a.BTest): x\n\nTests run: 30, Failures: 2, Errors: 1, Skipped: 0\n\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project a: There are test failures.',
      { 'testX(com.a.ATest)': 'bug', 'testY(com.a.ATest)': 'bug', 'testZ(com.a.BTest)': 'bug' },
      { passed: 27, failed: 2, errors: 1 },
    ],
    [
      'a surefire between, beside a plugin that says that it did nothing without a network',
      JAVA,
      'mvn -o -B -fae test',
      '[INFO] maven is executed in offline mode, Updating project files from SCM: skipped.\nResults :\n\nFailed tests: \n  ATest.testX:19 expected:<1> but was:<2>\nTests in error: \n  BTest.testZ:70 NullPointer\n\nTests run: 30, Failures: 1, Errors: 1, Skipped: 0\n\n[ERROR] There are test failures.',
      { 'ATest.testX': 'bug', 'BTest.testZ': 'bug' },
      { passed: 28, failed: 1, errors: 1 },
    ],
    [
      'nextest',
      RUST,
      'cargo nextest run',
      "        PASS [   0.005s] foo a\n        FAIL [   0.005s] (2/2) foo b\n  stdout ───\n    thread 'b' panicked at src/lib.rs:3:5:\n    assertion failed\n     Summary [   0.012s] 2 tests run: 1 passed, 1 failed, 0 skipped\n        FAIL [   0.005s] (2/2) foo b\nerror: test run failed",
      { 'foo b': 'bug' },
      { passed: 1, failed: 1 },
    ],
    [
      'a panic of Go',
      GO,
      'go test -v ./...',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\npanic: runtime error: index out of range [3] with length 3\n\ngoroutine 7 [running]:\nexample.com/m/a.f(...)\n\t/repo/a/a.go:12\nFAIL\texample.com/m/a\t0.003s\nFAIL',
      { TestB: 'bug' },
      { passed: 1, failed: 1 },
    ],
    [
      'runners that give no name',
      JAVA,
      './gradlew test',
      '<testsuite name="a" tests="40" skipped="0" failures="1" errors="0" time="1">',
      { [WHOLE_RUN]: 'bug' },
      { passed: 39, failed: 1 },
    ],
  ])('%s', (_, files, command, output, expected, counts) => {
    expect(judged({ files, command, output, expected }).counts).toMatchObject(counts);
  });

  test('prove, where a test passes against its mark', () => {
    const output =
      't/a.t .. ok\nAll tests successful.\n\nTest Summary Report\n-------------------\nt/a.t (Wstat: 0 Tests: 3 Failed: 0)\n  TODO passed:   2\nFiles=1, Tests=3,  0 wallclock secs\nResult: PASS';
    const { counts } = judged({ files: PYTHON, command: 'prove', output, exitCode: 0, expected: {} });
    expect(counts).toMatchObject({ passed: 3, errors: 0 });
  });
});

describe('a test that has the name of a file', () => {
  const wrong = 'Traceback (most recent call last):\nAssertionError: 1 != 2';
  test.each([
    [
      'ctest',
      'test_api.py',
      `2/2 Test #2: test_api.py .....***Failed 0.00 sec\n${wrong}\n\n50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n\t  2 - test_api.py (Failed)`,
    ],
    ['make check', 'test_two.py', `${wrong}\nPASS: test_one.py\nFAIL: test_two.py\n# TOTAL: 2\n# PASS:  1\n# FAIL:  1`],
    ['meson test', 'test_two.py', `1/2 test_two.py FAIL 0.01s exit status 1\n${wrong}\n\nOk: 1\nFail: 1`],
  ])('did run, where %s runs programs', (command, test, output) => {
    judged({ ...{ files: { 'Makefile.am': '' }, command, output, exitCode: 2 }, expected: { [test]: 'bug' } });
  });

  test('did not load, where its framework loads it', () => {
    const output = `=== ERRORS ===\n___ ERROR collecting tests/test_a.py ___\nE   SyntaxError: invalid syntax\n${summary('ERROR tests/test_a.py')}\n=== 3 passed, 1 error in 0.1s ===`;
    judged({ files: PYTHON, command: 'pytest', output, expected: { 'tests/test_a.py': 'setup' } });
  });
});

test('a file whose subtest failed did load, and is named by what failed in it; one without subtests did not', () => {
  judged({
    files: NODE,
    command: 'npm test',
    output: [
      'TAP version 13',
      '# Subtest: test/ok.js',
      '    ok 1 - fine',
      '    1..1',
      'ok 1 - test/ok.js # time=200ms',
      '# Subtest: test/a.js',
      '    # Subtest: nested',
      '        not ok 1 - should be equivalent',
      '        1..1',
      '    not ok 1 - nested # time=3ms',
      '    1..1',
      'not ok 2 - test/a.js # time=300ms',
      'not ok 3 - test/b.js # time=100ms',
      '# Subtest: test/c.js',
      '    not ok (node:515) a warning where a number belongs',
      '    ok 1 - fine after all',
      '    1..1',
      'not ok 4 - test/c.js # time=100ms',
      '1..4',
      '# failed 3 of 4 tests',
    ].join('\n'),
    expected: { 'should be equivalent': 'bug', 'test/b.js': 'setup', [WHOLE_RUN]: 'bug' },
  });
});
