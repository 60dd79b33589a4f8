import type { VerifierMove } from '../../../src/contract';
import type { Seen } from '../../../src/setup/roles/role';
import { namesWhatIsNotThere } from '../../../src/setup/roles/rules/native-tests';
import { verifier } from '../../../src/setup/roles/verifier';
import { verifierResult, WHOLE_RUN } from '../../../src/setup/verdict';
import { evidence, observed, sampleCase, seen } from './sample';

const dossier = { ...sampleCase(), hint: '' };

const KILLED = 'out of memory: the kernel killed a process at the limit of 4096 MiB (memoryMiB of the sandbox)';

/** The verifier's moves over a sample project whose first run of tests ends like this, until it concludes. */
function examined(end: ReturnType<typeof observed>) {
  const looked = seen({ move: 'look' as const, thought: '', command: '' }, 'python\t/venv/bin/python\tpytest\n');
  const first = verifier(dossier, [looked]);
  return { first, next: verifier(dossier, [looked, { move: first, observed: end }]) };
}

test.each([
  ['by the kernel, for its memory', { ...observed(`collected 12 items\n${KILLED}\n`, 137) }, KILLED],
  ['by a signal', observed('', 137), 'killed'],
  ['by its deadline', { ...observed('', null), timedOut: true }, 'deadline'],
])('a run of tests that is ended %s is the reason, not an occasion to find fewer of them', (_, end, why) => {
  const { first, next } = examined(end);
  expect(first).toMatchObject({ move: 'run_tests', command: expect.stringContaining('pytest') });
  expect(next).toMatchObject({ move: 'conclude', success: false, hint: expect.stringContaining(why) });
});

test('pytest that could not begin, where the repository names it, is the reason too', () => {
  const broken = `Error while loading plugin "pytest11".\npluggy._manager.PluginValidationError: Plugin 'mark'\n`;
  const { next } = examined(observed(broken, 3));
  expect(next).toMatchObject({ move: 'conclude', success: false, hint: expect.stringContaining("Plugin 'mark'") });
});

test('tests of coroutines that an older pytest skips where their plugin is missing had no turn', () => {
  const skipped =
    'test_a.py sss.   [100%]\n\n=== warnings summary ===\ntest_a.py::test_reads\n  /venv/lib/python3.11/site-packages/_pytest/python.py:148: PytestUnhandledCoroutineWarning: async def functions are not natively supported and have been skipped.\n  You need to install a suitable plugin for your async framework\n\n=== 1 passed, 3 skipped, 3 warnings in 0.01s ===\n';
  const { next } = examined(observed(skipped, 0));
  expect(next).toMatchObject({
    move: 'classify',
    failures: [{ class: 'setup', why: expect.stringContaining('async def functions are not natively supported') }],
  });
});

test('tests of a project in a folder of its repository are run there', () => {
  const below = {
    ...sampleCase({ 'README.md': '', 'core/setup.py': 'setup(name="acorn")', 'core/test_a.py': '' }),
    hint: '',
  };
  const look = verifier(below, []);
  expect(look).toMatchObject({ command: expect.stringContaining('cd /repo/core ') });
  const looked = { move: look, observed: observed('python\t/venv/bin/python\tpytest\n') };
  expect(verifier(below, [looked])).toMatchObject({
    move: 'run_tests',
    command: expect.stringMatching(/^cd \/repo\/core /),
  });
});

test('a way of running tests that finds none gives room to the next', () => {
  const { next } = examined(observed('no tests ran in 0.01s', 5));
  expect(next).toMatchObject({ move: 'run_tests', command: expect.stringContaining('unittest') });
});

test('tests by names that pytest passes over are named to it before anything else is tried', () => {
  const oddly = {
    ...sampleCase({
      'setup.py': 'setup(name="acorn", extras_require={"test": ["pytest"]})',
      'acorn.py': '',
      'test/acorn_unittest.py': '',
    }),
    hint: '',
  };
  const looked = seen({ move: 'look' as const, thought: '', command: '' }, 'python\t/venv/bin/python\tpytest\n');
  const usual = verifier(oddly, [looked]);
  expect(verifier(oddly, [looked, seen(usual, 'no tests ran in 0.01s', 5)])).toMatchObject({
    move: 'run_tests',
    command: expect.stringContaining("--override-ini='python_files=test_*.py *_test.py acorn_unittest.py'"),
  });
});

test.each([
  ['tap test/*.js', [], 'smoke'],
  ["mocha './spec/**/*.spec.js'", [], 'smoke'],
  ['node test.js', ['index.js'], 'smoke'],
  ['tap test/*.js', ['test/a.js'], 'run_tests'],
  ['node check.js', ['check.js'], 'run_tests'],
  ['tap', [], 'smoke'],
  ['tap', ['test/a.js'], 'run_tests'],
  ['node ./node_modules/mocha/bin/mocha.js check', ['check/a.js'], 'run_tests'],
  ['npm run build && node build/checks/all.js', ['src/checks/all.ts'], 'run_tests'],
])('%s with %j: %s', (test, paths, move) => {
  const files = {
    'package.json': JSON.stringify({ name: 'acorn', main: 'index.js', scripts: { test } }),
    'index.js': '',
  };
  const whole = { ...files, ...Object.fromEntries(paths.map((path) => [path, ''])) };
  const looked = seen({ move: 'look' as const, thought: '', command: '' });
  expect(verifier({ ...sampleCase(whole), hint: '' }, [looked])).toMatchObject({ move });
});

test('what a pattern of many wildcards fits is not searched for', () => {
  const paths = Array.from({ length: 5_000 }, (_, at) => `src/${'a'.repeat(60)}/${at}.js`);
  expect(namesWhatIsNotThere('mocha **/*/**/*.chk.js', { paths, texts: {} })).toBe(true);
  expect(namesWhatIsNotThere('mocha *a*a*a*a*a*a*a*b.js', { paths, texts: {} })).toBe(false);
});

test.each([
  ['lerna run test', ['a/b.js'], false],
  ['react-scripts test', ['src/a-test.js'], false],
  ['gulp test && hardhat test', ['unit/a.js'], false],
  ['node spec', ['spec.js'], false],
  ['node spec', ['a.js'], true],
  ['nyc mocha --recursive test', ['a.js'], true],
  ['mocha test/', ['test/a.js'], false],
  ['./node_modules/.bin/mocha -R spec ./test/', ['a.js'], true],
])('%s, of %j: all that it names is missing: %s', (script, paths, expected) => {
  expect(namesWhatIsNotThere(script, { paths, texts: {} })).toBe(expected);
});

test('tests of a crate that read what its archive lacks are left out, and that is said', () => {
  const crate = {
    ...sampleCase({ 'Cargo.toml': '[package]\nname = "acorn"\n', 'src/lib.rs': '', 'tests/lib.rs': '' }),
    hint: '',
  };
  const looked = seen({ move: 'look' as const, thought: '', command: '' });
  const all = verifier(crate, [looked]);
  const unbuilt = (why: string) =>
    seen(all, `${why}\nerror: could not compile \`acorn\` (test "lib") due to 2 previous errors\n`, 101);
  const missing = "error: couldn't read `tests/../../data/a.toml`: No such file or directory (os error 2)";
  const inside = verifier(crate, [looked, unbuilt(missing)]);
  expect(inside).toMatchObject({ move: 'run_tests', command: expect.stringContaining('--lib --bins') });
  const passed = seen(
    inside,
    'running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
  );
  const told = verifier(crate, [looked, unbuilt(missing), passed]);
  expect(told).toMatchObject({
    move: 'classify',
    failures: [{ class: 'missing_data', why: expect.stringContaining('data/a.toml') }],
  });
  expect(verifier(crate, [looked, unbuilt(missing), passed, seen(told)])).toMatchObject({ success: true });
  expect(verifier(crate, [looked, unbuilt('error: linking with `cc` failed: exit status: 1')])).toMatchObject({
    ...{ move: 'conclude', success: false },
  });
});

describe('a repository in C', () => {
  const project = {
    ...sampleCase({
      'configure.ac': 'AC_INIT([acorn],[1])',
      'Makefile.am': 'TESTS = a b\ncheck_PROGRAMS = a b\n',
      'src/a.c': 'int main(void) { return 0; }\n',
    }),
    hint: '',
  };
  const BUILT = 'bash /tmp/smoke.sh';

  /** All moves, where every run of tests ends like this and the smoke test passes. */
  function played(output: string, exitCode: number) {
    const moves: Seen<VerifierMove>[] = [];
    for (let turn = 0; turn < 9 && moves.at(-1)?.move.move !== 'conclude'; turn++) {
      const move = verifier(project, moves);
      moves.push(move.move === 'run_tests' ? seen(move, output, exitCode) : seen(move));
    }
    const result = verifierResult(
      moves,
      moves.map(({ move, observed: { exitCode: ended } }) =>
        'command' in move ? evidence(ended, move.command) : null,
      ),
      'head',
    );
    return { moves: moves.map(({ move }) => move.move), result };
  }

  test.each([
    [
      'the older harness of automake',
      'PASS: a\n./b: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory\nFAIL: b\n===================\n1 of 2 tests failed\n===================\nmake[1]: *** [check-TESTS] Error 1',
      'b',
    ],
    [
      'a runner that nobody knows',
      './run-tests\n  a: yes\n./b: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory\nmake: *** [check] Error 127',
      WHOLE_RUN,
    ],
  ])('a smoke test is no substitute for tests that miss a library, in the words of %s', (_, output, test) => {
    const { moves, result } = played(output, 2);
    expect(moves).not.toContain('smoke');
    expect(result).toMatchObject({ success: false, smoke: false, failures: [{ test, class: 'setup' }] });
  });

  test('without a target for tests a smoke test is what there is', () => {
    const { result } = played("make: *** No rule to make target 'check'.  Stop.", 2);
    expect(result).toMatchObject({ success: true, smoke: true, evidence: { command: BUILT }, failures: [] });
  });

  test('a smoke test of another verifier is no substitute either', () => {
    const moves = [
      seen<VerifierMove>(
        { move: 'run_tests', thought: '', command: 'make check', framework: 'make' },
        'FAILED: b\n',
        2,
      ),
      seen<VerifierMove>({ move: 'smoke', thought: '', path: '/tmp/smoke.sh', content: '', command: BUILT }),
      seen<VerifierMove>({ move: 'conclude', thought: '', success: true, hint: '' }),
    ];
    expect(verifierResult(moves, [evidence(2, 'make check'), evidence(0, BUILT), null], 'head').success).toBe(false);
  });
});

test('the first failure ends no run of pytest, whatever the project asks for', () => {
  const looked = seen({ move: 'look' as const, thought: '', command: '' }, 'python\t/venv/bin/python\tpytest\n');
  expect(verifier(dossier, [looked])).toMatchObject({ command: expect.stringContaining(' --maxfail=0') });
});

test.each([
  ['a runner between linters', 'xo && nyc ava && tsd', {}, 'smoke'],
  ['a runner', 'mocha', {}, 'smoke'],
  ['a file that is there', 'node check.js', { 'check.js': '' }, 'run_tests'],
  ['a linter of a file that is there', 'eslint index.js', {}, 'smoke'],
  ['a makefile', 'make test', { Makefile: '' }, 'run_tests'],
])('a package without tests whose script calls %s', (_, script, files, expected) => {
  const manifest = { name: 'acorn', main: 'index.js', scripts: { test: script } };
  const packed = sampleCase({ 'package.json': JSON.stringify(manifest), 'index.js': '', ...files });
  const looked = seen({ move: 'look' as const, thought: '', command: '' }, '');
  expect(verifier({ ...packed, hint: '' }, [looked])).toMatchObject({ move: expected });
});
