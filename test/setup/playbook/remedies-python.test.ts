import { remedyFor } from './remedy-for';

const STAMP = {
  'pyproject.toml': '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\n',
  'stamp/__init__.py': '',
  'tests/test_a.py': '',
};

const TESTS = 'python/tests';
const missing = (module: string) => `E   ModuleNotFoundError: No module named '${module}'`;

test.each([
  ['python/tests', missing('pkg_resources'), "python -m pip install -q 'setuptools<81'"],
  ['python/project', missing('pkg_resources'), 'PIP_BUILD_CONSTRAINT='],
  ['python/tests', "ERROR: /repo/pytest.ini: 'minversion' requires pytest-8.0, actual pytest-7.4.0'", "'pytest>=8.0'"],
  ['python/tests', 'pytest-odd 1.2 requires pytest<9,>=8.2, but you have pytest 7.4.0', "'pytest<9,>=8.2'"],
  [
    'python/tests',
    "pluggy._manager.PluginValidationError: Plugin '/repo/tests/conftest.py' for hook 'pytest_collect_file'\nArgument(s) {'path'} are declared in the hookimpl but can not be found in the hookspec",
    "'pytest<8'",
  ],
  ['python/tests', missing('tkinter'), ' python3-tk'],
  ['python/tests', missing('_tkinter'), ' python3-tk'],
  ['python/tests', missing('_gdbm'), ' python3-gdbm'],
  ['python/tests', missing('_curses'), 'verify'],
  ['python/tests', missing('_sqlite3'), 'verify'],
  [
    'python/project',
    'Exception: Can not find valid pkg-config name.\n      Specify MYSQLCLIENT_CFLAGS and MYSQLCLIENT_LDFLAGS env vars manually',
    'default-libmysqlclient-dev',
  ],
  ['python/tests', missing('sqlite3.dbapi2'), 'verify'],
  [
    'python/project',
    'error: package `clap_lex v0.7.0` cannot be built because it requires rustc 1.74 or newer, while the currently active rustc version is 1.63.0',
    'cargo-web rustc-web',
  ],
])('%s: %s', (goal, text, expected) => {
  expect(remedyFor(STAMP, goal, text)).toContain(expected);
});

describe('a namespace that a project shares with others', () => {
  const PARTS = {
    'setup.py': 'setup(name="zope.odd", extras_require={"test": ["zope.testing>=4"]})',
    'src/zope/__init__.py': '',
    'src/zope/odd/__init__.py': '',
    'src/zope/odd/tests/test_a.py': '',
  };
  const LOOM = {
    'setup.py': 'setup(name="thread-and-needle", install_requires=["loom-yarn>1"])',
    'src/loom/needle/__init__.py': '',
    'src/loom/needle/sewing.py': '',
    'tests/test_a.py': '',
  };

  test.each([
    [PARTS, 'zope.testing.doctest', "python -m pip install -q 'zope.testing>=4'"],
    [PARTS, 'zope.event', 'python -m pip install -q zope-event'],
    [LOOM, 'loom.yarn', "python -m pip install -q 'loom-yarn>1'"],
    [LOOM, 'loom.wool.ball', 'python -m pip install -q loom.wool'],
  ])('%#: what it lacks of %s is another distribution', (files, module, expected) => {
    expect(remedyFor(files, TESTS, missing(module))).toBe(expected);
  });

  test.each([
    [PARTS, 'zope.odd'],
    [PARTS, 'zope.odd.made_by_the_build'],
    [PARTS, 'zope'],
    [PARTS, 'zope._compiled'],
    [LOOM, 'loom.needle.sewing'],
    [STAMP, 'stamp.speedups'],
  ])('%#: %s is its own', (files, module) => {
    expect(remedyFor(files, TESTS, missing(module))).toContain('--force-reinstall --no-deps .');
  });
});

describe('a module whose name is that of a file within a package', () => {
  const CONVERTER = {
    'pyproject.toml':
      '[project]\nname="stamp"\n[project.optional-dependencies]\nbson=["pymongo>=4"]\nujson=["ujson>5"]\n',
    'src/stamp/__init__.py': '',
    'src/stamp/formats/__init__.py': '',
    'src/stamp/formats/bson.py': '',
    'src/stamp/formats/ujson.py': '',
    'src/stamp/formats/yaml.py': '',
    'src/stamp/formats/odd.py': '',
    'src/stamp/formats/tests/deep.py': '',
    'src/stamp/testing/tools.py': '',
    'tests/stamp/mirrored.py': '',
    'src/stamp/tests/helper.py': '',
    'tests/settings.py': '',
    'tests/test_a.py': '',
  };

  test.each([
    ['bson', "python -m pip install -q 'pymongo>=4'"],
    ['ujson', "python -m pip install -q 'ujson>5'"],
    ['yaml', 'python -m pip install -q PyYAML'],
  ])('%s comes from elsewhere', (module, expected) => {
    expect(remedyFor(CONVERTER, TESTS, missing(module))).toBe(expected);
  });

  test.each(['settings', 'helper', 'deep', 'tools', 'mirrored', 'odd'])('%s is the project’s own', (module) => {
    expect(remedyFor(CONVERTER, TESTS, missing(module))).toBe('verify');
  });
});

test('a module that only an extra of its name can bring', () => {
  const files = {
    'setup.py': 'setup(name="stamp", extras_require={"ink": ["better-ink>2"]})',
    'stamp/__init__.py': '',
    'tests/test_a.py': '',
  };
  expect(remedyFor(files, TESTS, missing('ink.blue'))).toBe("python -m pip install -q 'better-ink>2'");
});

test('what a module is known for goes before an extra of its name', () => {
  const files = { 'setup.py': 'setup(name="stamp", extras_require={"git": ["dulwich"]})', 'tests/test_a.py': '' };
  expect(remedyFor(files, TESTS, missing('git'))).toBe('python -m pip install -q gitpython');
});

test('tests that pytest does not find by their names are named to it', () => {
  const files = { 'setup.py': 'setup(name="stamp")', 'stamp.py': '', 'test/stamp_unittest.py': '' };
  expect(remedyFor(files, TESTS, 'no tests ran in 0.02s')).toContain(
    "--override-ini='python_files=test_*.py *_test.py stamp_unittest.py'",
  );
});

test('what its documents have apt install is tried before other versions of everything', () => {
  const files = { ...STAMP, 'docs/install.rst': '::\n\n    $ sudo apt-get install libodd-dev\n' };
  const text = "ImportError: cannot import name 'INK' from 'stamp.version'";
  expect(remedyFor(files, 'verify', text, { released: '2023-01-01T00:00:00Z' })).toContain('libodd-dev');
  expect(remedyFor(STAMP, 'verify', text, { released: '2023-01-01T00:00:00Z' })).toContain('PIP_UPLOADED_PRIOR_TO');
  expect(remedyFor(files, TESTS, text)).toBe('verify');
});

test('packages that an error advises are installed, as far as they are the system’s', () => {
  const advice = 'Library not found. Try to install:\n  apt-get install libodd2 libodd-dev and start again';
  expect(remedyFor(STAMP, TESTS, advice)).toContain('--no-install-recommends libodd2 libodd-dev');
  expect(remedyFor(STAMP, TESTS, 'hint: try apt install python3-stamp')).toBe('verify');
});
