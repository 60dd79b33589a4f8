import { execFileSync, type StdioOptions } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ASKED_FOR } from '../../../src/setup/playbook/ecosystems/python-requirements';
import { remedyFor } from './remedy-for';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

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

describe('what cannot be installed as it is written', () => {
  const APP = {
    'pyproject.toml':
      '[build-system]\nrequires=["poetry-core"]\nbuild-backend="poetry.core.masonry.api"\n[tool.poetry]\nname="notes"\nversion="1"\n[tool.poetry.dependencies]\nflask="^2.1"\n',
    'app.py': '',
    'tests/test_a.py': '',
  };

  test.each([
    'ValueError: No file/folder found for package notes',
    "error: Multiple top-level packages discovered in a flat-layout: ['a', 'b'].",
    'ValueError: Unable to determine which files to ship inside the wheel using the following heuristics',
  ])('a program that is no package is run where it lies: %s', (text) => {
    expect(remedyFor(APP, 'python/project', text)).toBe("python -m pip install -q 'flask>=2.1,<3'");
  });

  test.each([
    ['python/project', 'ERROR: No matching distribution found for torch==1.4.0', 'torch'],
    ['python/project', 'ERROR: Failed building wheel for dm-tree', 'dm-tree'],
    ['python/test-tools', 'ERROR: No matching distribution found for Odd_One<1', 'odd-one'],
  ])('in %s another version is taken of a pin that cannot be had: %s', (goal, text, name) => {
    const line = remedyFor({ ...STAMP, 'requirements-test.txt': 'odd-one<1\n' }, goal, text);
    expect(line).toContain(`printf '%s\\n' ${name} > /opt/overrides.txt`);
    expect(line).toContain(
      'pip install -q ${PIP_INDEX_URL:+--default-index "$PIP_INDEX_URL"} --overrides /opt/overrides.txt',
    );
  });

  test('a list that fails without a word of which is installed by what says which, then without that pin', () => {
    const { seen } = simulate(dossierOf({ 'requirements.txt': 'numpy==1.18.0\n', 'app.py': '' }), (action) => {
      const line = textOf(action);
      if (line.includes('overrides')) return OK;
      if (line.includes('/opt/uv/bin/uv pip')) return failed('  × Failed to build `numpy==1.18.0`');
      return line.includes('-r requirements.txt') ? failed('error: metadata-generation-failed') : OK;
    });
    const lines = seen.map(({ move }) => textOf(move)).filter((line) => line.includes('-r requirements.txt'));
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain("printf '%s\\n' numpy > /opt/overrides.txt");
  });

  test('a member of a workspace is asked of no registry', () => {
    const files = {
      'pyproject.toml':
        '[project]\nname = "stamp"\ndependencies = ["ink-of-ours", "flask"]\n[tool.uv.workspace]\nmembers = ["packages/*"]\n',
      'packages/ink/pyproject.toml': '[project]\nname = "ink_of_ours"\n',
    };
    const text = "error: Multiple top-level packages discovered in a flat-layout: ['stamp', 'packages'].";
    expect(remedyFor(files, 'python/project', text)).toBe('python -m pip install -q -e ./packages/ink flask');
  });

  test('the project itself is no pin of its own', () => {
    expect(remedyFor(STAMP, 'python/project', 'ERROR: Failed building editable for stamp')).not.toContain('overrides');
  });

  test.each([
    ['python/project', 'AttributeError: build_editable hook is missing'],
    ['python/project', 'ERROR: the build backend does not implement PEP 660'],
  ])('a back end without a hook for it in %s: as users do', (goal, text) => {
    expect(remedyFor(STAMP, goal, text)).toMatch(/--force-reinstall --no-deps \. && python -m pip install -q \.$/);
  });

  test('an editable install that would build again whenever it is imported is made a plain one', () => {
    const text =
      '  File "/venv/lib/python3.11/site-packages/_stamp_editable_loader.py", line 312, in find_spec\nImportError: x';
    expect(remedyFor(STAMP, TESTS, text)).toContain('--force-reinstall --no-deps .');
  });
});

describe('settings of Django that tests need', () => {
  const APP = { 'setup.py': 'setup(name="stamp")', 'stamp/__init__.py': '', 'tests/test_a.py': '' };
  const missingSettings =
    'django.core.exceptions.ImproperlyConfigured: Requested setting X, but settings are not configured. define DJANGO_SETTINGS_MODULE';

  test.each([
    [
      'those that tox names',
      {
        'tox.ini': '[testenv]\nsetenv =\n  DJANGO_SETTINGS_MODULE=proj.conf.test\n',
        'proj/conf/test.py': '',
        'other/settings.py': '',
      },
      'proj.conf.test',
    ],
    ['those beside the tests', { 'tests/settings.py': '' }, 'tests.settings'],
  ])('%s', (_, files, module) => {
    expect(remedyFor({ ...APP, ...(files as unknown as Record<string, string>) }, TESTS, missingSettings)).toBe(
      `export DJANGO_SETTINGS_MODULE=${module}`,
    );
  });

  test('in a folder that is not on the path', () => {
    const files = {
      ...APP,
      'demo/manage.py': 'os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_a.settings")',
      'demo/site_a/settings.py': '',
    };
    expect(remedyFor(files, TESTS, "ImportError: Could not import settings 'site_a.settings'")).toBe(
      'export DJANGO_SETTINGS_MODULE=site_a.settings PYTHONPATH="/repo/demo${PYTHONPATH:+:$PYTHONPATH}"',
    );
  });

  test('Django that was not started is started by its plugin', () => {
    expect(remedyFor(APP, TESTS, "django.core.exceptions.AppRegistryNotReady: Apps aren't loaded yet.")).toBe(
      'python -m pip install -q pytest-django',
    );
  });
});

test('into another environment comes what was asked for, and what the files import without a word', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-asked-'));
  writeFileSync(
    join(folder, 'python'),
    '#!/bin/sh\ncase "$*" in *--not-required*) ;; *) printf "%s\\n" typing_extensions==4 idna==3 Sealing-Wax==1;; esac\nprintf "%s\\n" httpx==1 pip==26\n',
  );
  chmodSync(join(folder, 'python'), 0o755);
  writeFileSync(
    join(folder, 'test_a.py'),
    'import os\nfrom typing_extensions import assert_type\n  import sealing_wax.red\n',
  );
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  // Bash whose input is a socket, as Node.js's pipes are, may take itself for a login from afar and read its profile.
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
  const said = execFileSync('bash', ['-c', `echo ${ASKED_FOR}`], { cwd: folder, env, stdio, encoding: 'utf8' });
  expect(said).toBe('httpx sealing-wax typing-extensions\n');
  rmSync(folder, { recursive: true });
});
