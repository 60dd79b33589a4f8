import { REPORTERS } from '../../../src/grading/reporters';
import type { ReporterName } from '../../../src/grading/reporters/reporter';
import { recorded } from './recorded';

const read = (
  name: ReporterName,
  given: { file?: string; out?: string; err?: string; paths?: string[] },
  wanted: string[] = [],
) =>
  REPORTERS[name].read(
    {
      file: given.file === undefined ? null : recorded(given.file),
      stdout: given.out === undefined ? '' : recorded(given.out),
      stderr: given.err === undefined ? '' : recorded(given.err),
      paths: given.paths,
    },
    wanted,
  );

const CASE = {
  test_breaks: 'error',
  test_documented: 'passed',
  test_expected: 'xfailed',
  test_fails: 'failed',
  test_passes: 'passed',
  test_prints: 'passed',
  test_prints_lines: 'passed',
  test_skipped: 'skipped',
  test_subtests: 'failed',
  test_subtests_skipped: 'skipped',
  test_unexpected: 'xpassed',
};
const inClass = (type: string) =>
  Object.fromEntries(Object.entries(CASE).map(([name, is]) => [`${name} (${type})`, is]));

test.each(['3.8', '3.12'])('unittest of Python %s: what tests print is told from what is said of them', (version) => {
  expect(read('unittest', { err: `unittest-${version}.txt` })).toEqual({
    ...inClass('test_case.Case'),
    'test_down (test_case.TearDown)': 'error',
    'test_case.Broken::<collect>': 'error',
    'test_missing::<collect>': 'error',
  });
});

test('Django: ids as SWE-bench has them, by the first line of documentation too', () => {
  expect(read('unittest', { err: 'django.txt' })).toEqual(inClass('app.tests.Case'));
  const wanted = [
    'Adds two numbers (of any kind).',
    'app.tests.Case.test_passes',
    'test_fails (app.tests.Case.test_fails)',
  ];
  expect(read('unittest', { err: 'django.txt' }, wanted)).toMatchObject({
    [wanted[0]!]: 'passed',
    [wanted[1]!]: 'passed',
    [wanted[2]!]: 'failed',
  });
});

test('a runner of a project’s own that ends as pytest does, by names with and without their file', () => {
  const stdout = [
    'PASSED not/the/summary.py::A::test_early',
    '=========== short test summary info ===========',
    'PASSED r2e_tests/test_1.py::A::test_x',
    'FAILED r2e_tests/test_1.py::A::test_y - AssertionError: PASSED b::c',
    'ERROR r2e_tests/test_2.py::B::test_z',
  ].join('\n');
  const outcomes = REPORTERS.unittest.read({ file: null, stdout, stderr: '', paths: [] }, ['A.test_x', 'A.test_y']);
  expect(outcomes).toEqual({
    'A.test_x': 'passed',
    'A.test_y': 'failed',
    'r2e_tests/test_2.py::B::test_z': 'error',
  });
});

test('unittest: a class and its method are enough where they are wanted so', () => {
  expect(read('unittest', { err: 'unittest-3.12.txt' }, ['Case.test_fails', 'Case.test_passes'])).toMatchObject({
    'Case.test_fails': 'failed',
    'Case.test_passes': 'passed',
  });
});

test('trial prints a tree', () => {
  expect(read('unittest', { out: 'trial.txt' })).toEqual({
    ...Object.fromEntries(Object.entries(CASE).map(([name, is]) => [`test_case.Case.${name}`, is])),
    // Trial takes no notice of the standard library's setUpClass.
    'test_case.Broken.test_never': 'passed',
    'test_case.TearDown.test_down': 'error',
  });
});

test('go: parts, packages that were not built or died, and names without a package where they are wanted', () => {
  expect(read('go', { out: 'go.jsonl' })).toEqual({
    'example.org/tiny::TestPasses': 'passed',
    'example.org/tiny::TestFails': 'failed',
    'example.org/tiny::TestSkips': 'skipped',
    'example.org/tiny::TestParts': 'failed',
    'example.org/tiny::TestParts/a_b': 'passed',
    'example.org/tiny::TestParts/c/d': 'failed',
    'example.org/tiny::TestParts/c/d#01': 'failed',
    'example.org/tiny::Example': 'passed',
    'example.org/tiny::FuzzNumber': 'passed',
    'example.org/tiny::FuzzNumber/seed#0': 'passed',
    'example.org/tiny/inner::TestPasses': 'passed',
    'example.org/tiny/inner::TestPanics': 'failed',
    'example.org/tiny/broken::<collect>': 'error',
  });
  expect(read('go', { out: 'go.jsonl' }, ['TestPasses', 'TestPanics'])).toMatchObject({
    TestPasses: 'passed',
    TestPanics: 'failed',
  });
});

test('go behind a script: what -v prints', () => {
  const stdout = `=== RUN   TestParts
=== RUN   TestParts/a_b
=== PAUSE TestParts/a_b
=== CONT  TestParts/a_b
printed without an end    --- PASS: TestParts/a_b (0.00s)
    a_test.go:9: got 2
--- FAIL: TestParts (0.00s)
FAIL
FAIL\texample.org/tiny\t0.003s
=== RUN   TestOther
--- PASS: TestOther (0.00s)
PASS
ok  \texample.org/tiny/inner\t(cached)\tcoverage: 3% of statements
=== RUN   TestDies
panic: no
FAIL\texample.org/tiny/dies\t0.003s
# example.org/tiny/broken
x.go:3:1: syntax error
FAIL\texample.org/tiny/broken [build failed]
?   \texample.org/tiny/none\t[no test files]
`;
  expect(REPORTERS.go.read({ file: null, stdout, stderr: '' }, [])).toEqual({
    'example.org/tiny::TestParts/a_b': 'passed',
    'example.org/tiny::TestParts': 'failed',
    'example.org/tiny/inner::TestOther': 'passed',
    'example.org/tiny/dies::TestDies': 'error',
    'example.org/tiny/broken::<collect>': 'error',
  });
});

test('gotestsum writes what go says into a file', () => {
  const words = ['gotestsum', '--', './...'];
  expect(REPORTERS.go.asks('/r', words)).toMatchObject({ words: ['--jsonfile', '/r'], at: 1 });
  const file = recorded('go.jsonl');
  expect(REPORTERS.go.read({ file, stdout: '✓ .', stderr: '' }, [])).toEqual(read('go', { out: 'go.jsonl' }));
  expect(REPORTERS.go.only!(words, ['a_test.go'])).toBeUndefined();
});

test('a test that go began and never ended is an error', () => {
  const stdout = '{"Action":"run","Package":"p","Test":"TestX"}\n{"Action":"fail","Package":"p"}\n';
  expect(REPORTERS.go.read({ file: null, stdout, stderr: '' }, [])).toMatchObject({ 'p::TestX': 'error' });
});

test('cargo: a name of two binaries, documentation, expected panics', () => {
  expect(read('cargo', { out: 'cargo.txt' })).toEqual({
    'tests::ignored': 'skipped',
    'tests::fails': 'failed',
    'tests::passes': 'passed',
    'tests::panics': 'passed',
    outside: 'passed',
    passes: 'passed',
    'src/lib.rs - double (line 3)': 'passed',
  });
});

test('cargo: what tests print between their name and their outcome, nextest, and JSON', () => {
  const stdout = [
    'running 2 tests',
    'test a::one ... printed ok',
    'ok',
    'test a::two ... test result is FAILED',
    'FAILED',
    'test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s',
    '        PASS [   0.003s] crate b::three',
    '        FAIL [   0.003s] ( 2/11) crate b::four',
    '{ "type": "test", "event": "ok", "name": "c::five", "exec_time": 0.1 }',
    '{ "type": "test", "name": "c::six", "event": "failed" }',
  ].join('\n');
  expect(REPORTERS.cargo.read({ file: null, stdout, stderr: '' }, [])).toEqual({
    'a::one': 'passed',
    'a::two': 'failed',
    'b::three': 'passed',
    'b::four': 'failed',
    'c::five': 'passed',
    'c::six': 'failed',
  });
});

test.each(['jest', 'vitest'] as const)('%s: names with their file, and as they are wanted', (name) => {
  const given = { file: `${name}.json`, paths: ['a.test.js', 'b.test.js'] };
  expect(read(name, given)).toEqual({
    'a.test.js > outer > inner > deeper > passes': 'passed',
    'a.test.js > outer > inner > deeper > fails': 'failed',
    'a.test.js > outer > skipped': 'skipped',
    'a.test.js > outer > passes': 'passed',
    'a.test.js > alone': 'passed',
    'b.test.js::<collect>': 'error',
  });
  expect(read(name, given, ['outer passes', 'a.test.js > alone'])).toMatchObject({
    'outer passes': 'passed',
    'a.test.js > alone': 'passed',
  });
});

test('mocha', () => {
  expect(read('mocha', { file: 'mocha.json', paths: ['m/a.js'] })).toEqual({
    'm/a.js > outer inner > deeper passes': 'passed',
    'm/a.js > outer inner > deeper fails': 'failed',
    'm/a.js > outer skipped': 'skipped',
    'm/a.js > outer passes': 'passed',
    'm/a.js > alone': 'passed',
  });
});

test("node's own runner: parts, and what has parts and fails by itself", () => {
  expect(read('node', { file: 'node.tap' })).toEqual({
    'outer > inner > passes': 'passed',
    'outer > inner > fails # hash': 'failed',
    'outer > skipped': 'skipped',
    'outer > to do': 'skipped',
    alone: 'passed',
    'with parts > part': 'passed',
    'with parts': 'failed',
    'with passing parts > part \\ of it': 'passed',
    'with passing parts': 'passed',
    '/testbed/b.test.mjs': 'failed',
  });
});

const failuresOf = (name: ReporterName, given: { file?: string; stdout?: string }) =>
  REPORTERS[name].failures!({ file: given.file ?? null, stdout: given.stdout ?? '', stderr: '' }, []);

test('what is said of each failure is told apart', () => {
  const node = failuresOf('node', { file: recorded('node.tap') });
  expect([...node!.keys()]).toEqual(['outer > inner > fails # hash', 'with parts', '/testbed/b.test.mjs']);
  expect(node!.get('with parts')).toContain('a.test.mjs:11:73');
  expect(failuresOf('cargo', { stdout: recorded('cargo.txt') })!.get('tests::fails')).toContain('src/lib.rs:19:9');
  const jest = failuresOf('jest', { file: recorded('jest.json') });
  expect([...jest!.values()].join()).toMatch(/\.test\.js:\d+:\d+/);
  expect([...failuresOf('vitest', { file: recorded('vitest.json') })!.values()].join()).toMatch(/:\d+:\d+/);
  expect([...failuresOf('mocha', { file: recorded('mocha.json') })!.values()].join()).toMatch(/:\d+:\d+/);
  const go = failuresOf('go', { stdout: recorded('go.jsonl') });
  expect(go!.get('example.org/tiny::TestFails')).toMatch(/_test\.go:\d+/);
  // What is said of a part is said of the test.
  expect(go!.get('example.org/tiny::TestParts')).toContain(go!.get('example.org/tiny::TestParts/c/d')!.trim());
});

test('CTest: what did not run is not passed', () => {
  expect(read('ctest', { file: 'ctest.xml' })).toEqual({
    passes: 'passed',
    fails: 'failed',
    missing: 'skipped',
    skipped: 'skipped',
    disabled: 'skipped',
    with: 'skipped',
  });
});

test('CTest behind a script: what it prints of each test', () => {
  const stdout = `Test project /testbed/build
    Start 1: adds up
1/5 Test #1: adds up ..........................   Passed    0.01 sec
2/5 Test #2: fails ............................***Failed    0.00 sec
3/5 Test #3: slow .............................***Timeout   1.50 sec
4/5 Test #4: there.is...none ..................***Not Run (Disabled)   0.00 sec
5/5 Test #5: away .............................***Skipped   0.00 sec
`;
  expect(REPORTERS.ctest.read({ file: null, stdout, stderr: '' }, [])).toEqual({
    'adds up': 'passed',
    fails: 'failed',
    slow: 'failed',
    'there.is...none': 'skipped',
    away: 'skipped',
  });
});

test('TAP: marks, numbers, and files that only prove names', () => {
  expect(read('tap', { out: 'prove.txt' })).toEqual({
    't/a.t > first': 'passed',
    't/a.t > second': 'xfailed',
    't/a.t > third': 'skipped',
    't/a.t > fourth': 'failed',
    't/b.t > 1': 'passed',
    't/b.t > named # not a comment': 'passed',
  });
  const stdout = 't/a.t .. ok\nt/b.t .. Failed 1/2 subtests\nok 1 - free # TODO\n';
  expect(REPORTERS.tap.read({ file: null, stdout, stderr: '' }, ['free'])).toEqual({
    't/a.t': 'passed',
    't/b.t': 'failed',
    free: 'xpassed',
  });
});

test.each([
  ['1', 'passed'],
  ['0.5\n', 'failed'],
  ['{"reward": 1.0}', 'passed'],
  ['{"passed": false}', 'failed'],
])('a reward of %s', (file, expected) => {
  expect(REPORTERS.reward.read({ file, stdout: '', stderr: '' }, [])).toEqual({ reward: expected });
});

test.each(Object.keys(REPORTERS) as ReporterName[])('%s: no report and nonsense have no outcomes', (name) => {
  for (const file of [null, '', '<', '{"testResults": 3}', 'null', '\u0000']) {
    expect(REPORTERS[name].read({ file, stdout: file ?? '', stderr: '' }, ['a'])).toEqual({});
  }
});

test('a JUnit report that the problem names', () => {
  const file = '<testsuite><testcase classname="a.B" name="c"/><testcase name="d"><error/></testcase></testsuite>';
  expect(REPORTERS.junit.read({ file, stdout: '', stderr: '' }, [])).toEqual({ 'a.B::c': 'passed', d: 'error' });
});

test.each<[string, ReporterName | undefined]>([
  ['python -m unittest discover -s tests', 'unittest'],
  ['python3 -W error -m unittest', 'unittest'],
  ['./manage.py test app', 'unittest'],
  ['python manage.py migrate', undefined],
  ['python tests/runtests.py --verbosity 2 a.b', 'unittest'],
  ['trial twisted.test', 'unittest'],
  ['go test ./...', 'go'],
  ['go build ./...', undefined],
  ['cargo test --all', 'cargo'],
  ['cargo +nightly nextest run', 'cargo'],
  ['cargo build', undefined],
  ['jest --ci', 'jest'],
  ['node --experimental-vm-modules node_modules/jest/bin/jest.js', 'jest'],
  ['node node_modules/.bin/jest', 'jest'],
  ['yarn jest', 'jest'],
  ['vitest run', 'vitest'],
  ['mocha -r ts-node/register test', 'mocha'],
  ['node --test', 'node'],
  ['gotestsum --format dots -- -race ./...', 'go'],
  ['node test.js', undefined],
  ['ctest --test-dir build', 'ctest'],
  ['prove -lr t', 'tap'],
  ['echo pytest', undefined],
])('%s starts %s', (command, expected) => {
  const words = command.split(' ');
  expect(Object.values(REPORTERS).find((reporter) => reporter.starts(words))?.name).toBe(expected);
});

test.each<[ReporterName, string, string, string]>([
  ['unittest', 'python -m unittest -v', 'test_a (pkg.test_x.Case)', 'python -m unittest -v pkg.test_x.Case.test_a'],
  ['unittest', 'tests/runtests.py --noinput app', 'test_a (x.Case)', 'tests/runtests.py --noinput x.Case.test_a'],
  ['go', 'go test -race ./...', 'e.org/p::TestA/b', 'go test -race -run ^TestA$/^b$ e.org/p'],
  ['cargo', 'cargo test', 'a::b', 'cargo test -- --exact a::b'],
  ['jest', 'jest --ci', 'a.test.js > outer > (x)', 'jest --ci a.test.js -t ^outer \\(x\\)$'],
])('%s alone: %s', (name, command, id, expected) => {
  expect(REPORTERS[name].alone!(command.split(' '), id)?.join(' ')).toBe(expected);
});

test.each<[ReporterName, string, string[], string | undefined]>([
  ['unittest', 'python -m unittest', ['tests/test_a.py'], 'python -m unittest tests/test_a.py'],
  ['unittest', 'python -m unittest discover -s tests', ['tests/test_a.py'], undefined],
  ['unittest', './tests/runtests.py all', ['tests/app/test_a.py'], './tests/runtests.py app.test_a'],
  ['go', 'go test -count 1 ./...', ['a/b_test.go', 'a/c_test.go'], 'go test -count 1 ./a'],
  ['cargo', 'cargo test', ['tests/other.rs'], 'cargo test --test other'],
  ['cargo', 'cargo test', ['src/lib.rs'], undefined],
  ['jest', 'jest --ci', ['a.test.js'], 'jest --ci a.test.js'],
  ['jest', 'jest src', ['a.test.js'], undefined],
])('%s for some files: %s', (name, command, files, expected) => {
  expect(REPORTERS[name].only!(command.split(' '), files)?.join(' ')).toBe(expected);
});
