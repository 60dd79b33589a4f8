import type { ServiceSpec } from '../../../src/contract';
import { causeOf, classify } from '../../../src/setup/roles/rules/causes';
import { foundByAll } from '../../../src/setup/roles/rules/interpreter';
import { repositoriesOf } from '../../../src/setup/roles/rules/play';
import { WHOLE_RUN } from '../../../src/setup/verdict';
import { FILES, observed, redis, sampleCase } from './sample';

const [repository] = repositoriesOf(sampleCase()) as [ReturnType<typeof repositoriesOf>[number]];
const causes = (report: string, services: ServiceSpec[] = []) => causeOf(report, { repository, services });

test.each([
  ['a declared dependency', "ModuleNotFoundError: No module named 'yaml'", 'setup'],
  ['a part of one', "ModuleNotFoundError: No module named 'yaml.constructor'", 'setup'],
  ['a test dependency', "E   ModuleNotFoundError: No module named 'freezegun'", 'setup'],
  ['a module that nobody declares', "ModuleNotFoundError: No module named 'left_over'", 'setup'],
  ['the project itself', "ModuleNotFoundError: No module named 'acorn'", 'setup'],
  ['an optional extra', "ModuleNotFoundError: No module named 'orjson'", 'repository_bug'],
  [
    'a dependency of another version',
    "ImportError: cannot import name 'FullLoader' from 'yaml' (/venv/yaml.py)",
    'setup',
  ],
  [
    'a name that the project does not have',
    "ImportError: cannot import name 'gone' from 'acorn' (/repo/acorn/__init__.py)",
    'repository_bug',
  ],
  ['a Node.js package', "Error: Cannot find module 'left-pad'", 'setup'],
  ['a file that was not built', "Error: Cannot find module '../dist/index.js'", 'setup'],
  ['a plugin', "E       fixture 'mocker' not found", 'setup'],
  [
    'a plugin for tests of coroutines',
    'async def functions are not natively supported.\nYou need to install a suitable plugin for your async framework',
    'setup',
  ],
  ['the same, cut', 'FAILED tests/test_a.py::test_0 - Failed: async def functions are not nativel...', 'setup'],
  ['an option of a plugin', 'pytest: error: unrecognized arguments: --cov', 'setup'],
  ['a program', "FileNotFoundError: [Errno 2] No such file or directory: 'dot'", 'setup'],
  ['a program of a shell', 'sh: 1: gs: not found', 'setup'],
  ['a program by its name', "E   ValueError: Command 'ldapadd' not found. Set BIN to override it.", 'setup'],
  ['a part of a compiler', 'gcc: fatal error: cannot execute ‘cc1plus’: execvp: No such file or directory', 'setup'],
  ['a shared library', 'ImportError: libpq.so.5: cannot open shared object file: No such file or directory', 'setup'],
  ['a header', 'a.c:1:10: fatal error: zlib.h: No such file or directory', 'setup'],
  [
    'the internet',
    'urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>',
    'external_service',
  ],
  ['the internet, from Go', 'a_test.go:9: dial tcp: lookup example.com: no such host', 'external_service'],
  [
    'a service that nobody declared',
    'redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.',
    'external_service',
  ],
  ['a file', "FileNotFoundError: [Errno 2] No such file or directory: 'tests/data/big.bin'", 'missing_data'],
  ['files that were not packed', 'OSError: No certificates found. They should be in /tls/keys', 'missing_data'],
  ['what a test says that it does without', 'E   ImportError: Skipping grammar tests!', 'missing_data'],
  ['a place where no test may write', "OSError: [Errno 30] Read-only file system: '/usr/lib/x'", 'repository_bug'],
])('%s', (_, report, expected) => {
  expect(causes(report)?.class).toBe(expected);
});

const LANGUAGES = {
  go: { 'go.mod': 'module example.org/m\n', 'a_test.go': '' },
  rust: { 'Cargo.toml': '[package]\nname = "acorn"\n', 'src/lib.rs': '' },
  java: { 'pom.xml': '<project><artifactId>a</artifactId></project>', 'src/test/java/ATest.java': '' },
};

test.each<[string, keyof typeof LANGUAGES, string, string | undefined]>([
  ['a Go module', 'go', 'a.go:3:8: no required module provides package example.org/x; to add it:', 'setup'],
  [
    'a Go module that would be fetched',
    'go',
    'go: example.org/x@v1: Get "https://proxy/x": dial tcp: lookup proxy: no such host',
    'setup',
  ],
  ['a crate', 'rust', 'error: no matching package named `serde` found', 'setup'],
  ['a crate that would be fetched', 'rust', 'error: failed to get `serde` as a dependency of package `acorn`', 'setup'],
  ['an artifact of Maven', 'java', 'Could not resolve dependencies for project a:b', 'setup'],
  [
    'a plugin of Maven that would be fetched',
    'java',
    'Plugin g:seal:1 or one of its dependencies could not be resolved: UnknownHostException',
    'setup',
  ],
  [
    'an assertion of a Go test',
    'go',
    '    a_test.go:9: failed to get user: record not found in offline mode',
    undefined,
  ],
  ['an error of a Rust program', 'rust', 'Error: failed to get user: record missing', undefined],
])('%s, where the project is of that language', (_, language, report, expected) => {
  const [own] = repositoriesOf(sampleCase(LANGUAGES[language]));
  expect(causeOf(report, { repository: own!, services: [] })?.class).toBe(expected);
});

describe('a name that cannot be imported', () => {
  const files = {
    ...FILES,
    'acorn/_speedups.pyx': '',
    'setup.py': 'Extension("acorn._native", ["src/native/module.cpp"])\n',
  };
  const [own] = repositoriesOf(sampleCase(files));
  const judged = (name: string, module: string) =>
    causeOf(`E   ImportError: cannot import name '${name}' from '${module}' (/x/${module}/__init__.py)`, {
      ...{ repository: own!, services: [], present: new Set(['acorn', 'yaml', 'orjson']) },
    });

  test.each([
    ['of a dependency that is there is another version', 'Loader', 'yaml', 'setup'],
    ['of what nobody declares is another version too', 'Mapping', 'collections', 'setup'],
    ['that is compiled from a source beside it was not built', '_speedups', 'acorn', 'setup'],
    ['that a build says it makes was not built', '_native', 'acorn', 'setup'],
    ['of the project that it does not have is its own bug', 'gone', 'acorn', 'repository_bug'],
    ['of its tests too', 'gone', 'tests.helpers', 'repository_bug'],
    ['of an optional extra is nobody’s to bring', 'gone', 'orjson', 'repository_bug'],
  ])('%s', (_, name, module, kind) => {
    expect(judged(name, module)?.class).toBe(kind);
  });
});

test('of several modules that are missing one that the set-up had to bring counts', () => {
  const chained =
    "    import orjson as json\nE   ModuleNotFoundError: No module named 'orjson'\n\nDuring handling of the above exception, another exception occurred:\n    import yaml\nE   ModuleNotFoundError: No module named 'yaml'";
  expect(causes(chained)).toMatchObject({ class: 'setup', why: expect.stringContaining('yaml') });
  expect(causes(`${chained.split('\n\n')[0]}\ngs: error while loading shared libraries: libgs.so.9: no`)?.class).toBe(
    'setup',
  );
});

test.each([
  'pkg: error: unrecognized arguments: --bad',
  "E       assert 'unrecognized arguments: --bad' in 'pkg: error: unrecognized arguments: --bad (did you mean --bat?)'",
  'usage: __main__.py [-h]\n__main__.py: error: unrecognized arguments: --bad',
  'PytestConfigWarning: Unknown config option: timeout',
  "E   AssertionError: assert 'async def functions are not natively supported.' in 'no'",
])('a complaint of another program about its arguments is no missing plugin: %s', (report) => {
  expect(causes(report)).toBeNull();
});

test('pytest’s own complaint of an option is', () => {
  const said =
    'ERROR: usage: __main__.py [options]\n__main__.py: error: unrecognized arguments: --cov=pkg\n  inifile: /repo/setup.cfg\n  rootdir: /repo';
  expect(causes(said)?.class).toBe('setup');
});

test('a declared service that does not answer is the set-up’s', () => {
  expect(causes('Error 111 connecting to localhost:6379. Connection refused.', [redis])?.class).toBe('setup');
  expect(causes('connecting to localhost:5432: Connection refused', [redis])?.class).toBe('external_service');
});

test.each([
  "E   MySQLdb.OperationalError: (1046, 'No database selected')",
  'FATAL:  database "letters" does not exist',
  'redis.exceptions.AuthenticationError: NOAUTH Authentication required.',
])('a declared service that was not prepared is the set-up’s: %s', (report) => {
  expect(causes(report, [redis])?.class).toBe('setup');
  expect(causes(report)?.class).toBe('external_service');
});

test.each([
  'AssertionError: 1 != 2',
  'TypeError: unsupported operand',
  "thread 'a' panicked at 'x'",
  'acorn_test.go:4: got 3',
])('%s names nothing outside of the code', (report) => {
  expect(causes(report)).toBeNull();
});

const PYTEST = `
=================================== FAILURES ===================================
___________________________________ test_bug ___________________________________
E       assert 1 == 2
___________________________________ test_net ___________________________________
E   OSError: Temporary failure in name resolution
=========================== short test summary info ============================
FAILED tests/test_a.py::test_bug - assert 1 == 2
FAILED tests/test_a.py::test_net - OSError: Temporary failure in name resolution
========================= 2 failed, 3 passed in 0.02s ==========================`;

test('each failure is judged by its own report', () => {
  const found = classify('pytest', observed(PYTEST), { repository, services: [] });
  expect(found.map(({ test, class: kind }) => [test, kind])).toEqual([
    ['tests/test_a.py::test_bug', 'repository_bug'],
    ['tests/test_a.py::test_net', 'external_service'],
  ]);
});

test('a report is told from the others by its line, however long its name, and is one across its frames', () => {
  const name = 'test_that_everything_which_was_sent_arrives_in_the_order_in_which_it_was_sent_and_once';
  const output = [
    ...['=== FAILURES ===', `_ ${name} _`, 'tests/test_a.py:3:', '_ _ _ _ _ _ _ _ _ _', '    raise OSError(why)'],
    ...['E   OSError: Temporary failure in name resolution', '_ test_bug _', 'E   assert 1 == 2'],
    ...[
      '=== short test summary info ===',
      `FAILED tests/test_a.py::${name}`,
      'FAILED tests/test_a.py::test_bug - as...',
    ],
    '=== 2 failed in 0.02s ===',
  ].join('\n');
  const found = classify('pytest', observed(output), { repository, services: [] });
  expect(found.map(({ class: kind }) => kind)).toEqual(['external_service', 'repository_bug']);
});

test('a module that every interpreter of the environment finds is missing in one that the test chose', () => {
  const failed = (module: string) =>
    observed(
      `=== FAILURES ===\n___ test_it ___\nE   RuntimeError: ModuleNotFoundError: No module named '${module}'\n=== short test summary info ===\nFAILED tests/test_a.py::test_it\n=== 1 failed in 0.1s ===`,
    );
  const present = foundByAll([
    { path: '/venv/bin/python', version: '3.11.2', finds: ['acorn', 'yaml'] },
    { path: '/usr/bin/python3', version: '3.11.2', finds: ['acorn'] },
  ]);
  const judged = (module: string) => classify('pytest', failed(module), { repository, services: [], present });
  expect(judged('acorn')).toMatchObject([{ class: 'repository_bug', ground: 'wrong_interpreter' }]);
  expect(judged('yaml')).toMatchObject([{ class: 'setup' }]);
  expect(judged('acorn.core')).toMatchObject([{ class: 'setup' }]);
});

test('what never got to run is the set-up’s, for whatever reason', () => {
  const output =
    '_____ ERROR collecting tests/test_a.py _____\nE   SyntaxError: invalid syntax\n=== short test summary info ===\nERROR tests/test_a.py\n=== 1 error in 0.1s ===';
  expect(classify('pytest', observed(output), { repository, services: [] })).toMatchObject([{ class: 'setup' }]);
});

test('a run that went wrong as a whole', () => {
  const whole = (output: string, timedOut = false) =>
    classify('pytest', { ...observed(output), timedOut }, { repository, services: [] });
  expect(whole('Killed')).toMatchObject([{ test: WHOLE_RUN, class: 'setup' }]);
  expect(whole('', true)).toMatchObject([{ test: WHOLE_RUN, class: 'setup' }]);
  expect(
    whole('== 3 passed in 0.1s ==\nFAIL Required test coverage of 100% not reached. Total coverage: 90%'),
  ).toMatchObject([{ test: WHOLE_RUN, class: 'repository_bug' }]);
});

test('a program that ctest cannot find was never built', () => {
  const output =
    '1/1 Test #1: runs .....***Not Run   0.00 sec\n\n0% tests passed, 1 tests failed out of 1\n\nThe following tests FAILED:\n\t  1 - runs (Not Run)\n';
  expect(classify('ctest', observed(output, 8), { repository, services: [] })).toMatchObject([
    { test: 'runs', class: 'setup' },
  ]);
});

describe('one reason that most tests fail for', () => {
  const run = (whys: readonly string[], passed: number, said = (why: string) => `E   ValueError: ${why}`) => {
    const blocks = whys.map(
      (why, n) => `_____ test_${n} _____\n    call()\n${said(why)}\ntests/test_a.py:1: ValueError`,
    );
    const listed = whys.map((why, n) => `FAILED tests/test_a.py::test_${n} - ValueError: ${why}`);
    const end = `=== ${whys.length} failed, ${passed} passed in 0.1s ===`;
    const output = ['=== FAILURES ===', ...blocks, '=== short test summary info ===', ...listed, end].join('\n');
    return classify('pytest', observed(output), { repository, services: [] }).map((each) => each.class);
  };

  test.each([
    ['is the set-up’s', Array(6).fill('no backend'), 4, 'setup'],
    ['is not, where most pass', Array(6).fill('no backend'), 7, 'repository_bug'],
    ['is none, where each fails for another', ['a', 'b', 'c', 'd', 'e', 'f'], 0, 'repository_bug'],
  ])('%s', (_, whys, passed, kind) => {
    expect(new Set(run(whys, passed))).toEqual(new Set([kind]));
  });

  const SIX = ['1', '2', '3', '4', '5', '6'];
  test.each([
    ['is the set-up’s where it is no error by its name', () => 'E   assert 1 == 0', 'setup'],
    ['is the set-up’s where pytest says it in prose', () => 'no backend is there.', 'setup'],
    [
      'is none, where what is alike is how the comparison goes on',
      (why: string) => `>   assert f() == ${why}\nE   assert 0 == ${why}\nE     Use -v to get more diff`,
      'repository_bug',
    ],
    [
      'is none, where what is alike is what the tests print',
      (why: string) => `E   assert 0 == ${why}\n---- Captured log call ----\nINFO a.py:1 closing`,
      'repository_bug',
    ],
    [
      'is none, where what is alike is what the tests print below the prose',
      (why: string) => `not ${why}.\n---- Captured log call ----\nINFO a.py:1 closing`,
      'repository_bug',
    ],
  ])('%s', (_, said, kind) => {
    expect(new Set(run(SIX, 4, said))).toEqual(new Set([kind]));
  });
});
