import { execFileSync } from 'node:child_process';
import { playbook } from '../../../src/setup/playbook/playbook';
import type { SetupDossier } from '../../../src/setup/roles/role';
import { remedyFor } from './remedy-for';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

const PYTHON = {
  'pyproject.toml':
    '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\ndependencies=["PyYAML>=6"]\n[project.optional-dependencies]\ntest=["pytest","mock==1.0","black","mock-alike-of-ours>2"]\n',
  'stamp/__init__.py': '',
  'tests/settings.py': '',
  'tests/test_a.py': '',
};
const NODE = {
  'package.json':
    '{"name":"stamp","scripts":{"build":"tsc","test":"mocha"},"devDependencies":{"mocha":"^10","eslint":"^8","left":"git+ssh://git@host.invalid/x"}}',
  'package-lock.json': '{}',
  'index.js': '',
  'test/a.js': '',
};
const GO = { 'go.mod': 'module host.invalid/stamp\n\ngo 1.17\n', 'a.go': '', 'a_test.go': '' };
const RUST = { 'Cargo.toml': '[package]\nname="stamp"\nversion="1.0.0"\n', 'src/lib.rs': '' };
const C = { 'CMakeLists.txt': 'project(stamp)', 'configure.ac': '', 'Makefile.am': '', 'src/own.h': '', 'a.c': '' };
const AUTOTOOLS = { configure: '', 'configure.ac': 'AC_INIT([a],[1])', 'a.c': '' };
const JAVA = { 'pom.xml': '<project><artifactId>a</artifactId></project>', 'src/main/java/A.java': '' };

const IN_BUILD = (text: string) =>
  `  × Getting requirements to build wheel did not run successfully.\n  │ exit code: 1\n  ╰─> [20 lines of output]\n      ${text}\n      [end of output]`;

test.each([
  [
    'project',
    'Error: pg_config executable not found.\n\n      pg_config is required to build psycopg2 from source.',
    'libpq-dev',
  ],
  ['project', "error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory", 'gcc libc6-dev'],
  [
    'project',
    '      psycopg/psycopg.h:36:10: fatal error: Python.h: No such file or directory\n         36 | #include <Python.h>',
    'python3-dev',
  ],
  ['project', 'src/x.c:1:10: fatal error: libxml/parser.h: No such file or directory', 'libxml2-dev'],
  [
    'project',
    'src/x.c:1:10: fatal error: odd/unknown.h: No such file or directory',
    "apt-file search -x '^/usr/include/(.+/)?odd/unknown\\.h$'",
  ],
  [
    'project',
    '      __main__.RequiredDependencyException:\n\n      The headers or library files could not be found for jpeg,\n      a required dependency',
    "-x '^/usr/lib/.*/(libjpeg\\.so|pkgconfig/(lib)?jpeg\\.pc)$'",
  ],
  ['project', "      'pkg-config' not found.\n      Command ['pkg-config', '--exists', 'cairo']", 'pkg-config'],
  ['project', '/usr/bin/ld: cannot find -lpq: No such file or directory', 'libpq-dev'],
  ['project', "[Errno 2] No such file or directory: 'x86_64-linux-gnu-g++'", ' g++'],
  [
    'project',
    'Error: Please make sure the libxml2 and libxslt development packages are installed.',
    'libxml2-dev libxslt1-dev',
  ],
  ['project', IN_BUILD("ModuleNotFoundError: No module named 'numpy'"), 'pip install -q setuptools wheel numpy'],
  [
    'project',
    'LookupError: setuptools-scm was unable to detect version for /repo.',
    'export SETUPTOOLS_SCM_PRETEND_VERSION=1.4.0',
  ],
  [
    'project',
    "ERROR: Project file:///repo has a 'pyproject.toml' and its build backend is missing the 'build_editable' hook.",
    'pip install -q --force-reinstall --no-deps .',
  ],
  ['project', "error: can't find Rust compiler", 'cargo-web rustc-web'],
  [
    'tests',
    'E   ImportError: stamp.clean module is now a separate project stamp_clean.\nInstall stamp[clean] or stamp_clean directly.',
    'pip install -q stamp-clean',
  ],
  [
    'tests',
    'E   RuntimeError: The stamp.client module requires the quill package to be installed.\nE   You can get it so',
    'pip install -q quill',
  ],
  [
    'tests',
    'E   RuntimeError: Letters are written with a quill.\nE   You can install this with:\nE       $ pip install quill',
    'pip install -q quill',
  ],
  [
    'test-tools',
    "ValueError: invalid mode: 'U'\nerror: metadata-generation-failed",
    'for name in pytest mock mock-alike-of-ours; do',
  ],
  ['tests', "E   ModuleNotFoundError: No module named 'freezegun'", 'pip install -q freezegun'],
  [
    'tests',
    "E   ModuleNotFoundError: No module named 'bs4'\nE   ModuleNotFoundError: No module named 'dateutil.parser'",
    'pip install -q beautifulsoup4 python-dateutil',
  ],
  ['tests', "E   ModuleNotFoundError: No module named 'yaml'", "pip install -q 'PyYAML>=6'"],
  [
    'tests',
    "ImportError while importing\nE   ModuleNotFoundError: No module named 'stamp'",
    'pip install -q --force-reinstall --no-deps .',
  ],
  [
    'tests',
    'ERROR: usage: python -m pytest\npython -m pytest: error: unrecognized arguments: --cov=x --cov-report=xml -n auto',
    'pip install -q pytest-cov pytest-xdist',
  ],
  ['tests', "E       fixture 'mocker' not found", 'pip install -q pytest-mock'],
  ['tests', "'timeout' not found in `markers` configuration option", 'pip install -q pytest-timeout'],
  [
    'tests',
    'ERROR: Missing required plugins: pytest-mock, pytest-sugar>=0.9',
    "pip install -q pytest-mock 'pytest-sugar>=0.9'",
  ],
  ['tests', 'INTERNALERROR> pytest.PytestConfigWarning: Unknown config option: timeout', 'install -q pytest-timeout'],
  ['tests', 'E   pytest.PytestRemovedIn10Warning: Passing a non-Collection iterable to parametrize', "'pytest<9'"],
  ['tests', "E   ValueError: Command 'ldapadd' not found. Set BIN to override it.", '/usr/s?bin/ldapadd'],
  ['project', "Exception: ERROR: The 'make' utility is missing from PATH", ' make'],
  ['tests', 'gcc: fatal error: cannot execute ‘cc1plus’: execvp: No such file', ' g++'],
  ['tests', "ModuleNotFoundError: No module named 'mock_alike'", 'mock-alike-of-ours'],
  ['tests', 'async def functions are not natively supported.', 'pip install -q pytest-asyncio'],
  [
    'tests',
    'django.core.exceptions.ImproperlyConfigured: Requested setting X, but settings are not configured. You must define DJANGO_SETTINGS_MODULE',
    'DJANGO_SETTINGS_MODULE=tests.settings',
  ],
  ['tests', 'ConnectionError: Error 111 connecting to localhost:6379. Connection refused.', 'start redis'],
  [
    'tests',
    'connection to server on socket "/var/run/postgresql/.s.PGSQL.5432" failed: No such file or directory',
    'start postgres',
  ],
  ['tests', 'FATAL:  role "root" does not exist', 'createuser -s "root"'],
  ['tests', 'FATAL:  database "stamp_test" does not exist', 'createdb "stamp_test"'],
  ['tests', 'locale.Error: unsupported locale setting', 'localedef -i en_US'],
  [
    'tests',
    "failed to execute PosixPath('dot'), make sure the Graphviz executables are on your systems' PATH",
    'graphviz',
  ],
  ['tests', 'fatal: not a git repository (or any of the parent directories): .git', 'git init -q'],
  ['tests', 'no tests ran in 0.01s', 'import stamp'],
  [
    'tests',
    "FileNotFoundError: [Errno 2] No such file or directory: 'sqlite3'",
    "apt-file search -x '^/usr/s?bin/sqlite3$'",
  ],
])('python, %s: %s', (goal, text, expected) => {
  expect(remedyFor(PYTHON, `python/${goal}`, text)).toContain(expected);
});

const OTHERS: readonly (readonly [Readonly<Record<string, string>>, goal: string, text: string, expected: string])[] = [
  [
    NODE,
    'node/dependencies',
    'npm ERR! Please make sure you have the correct access rights\nnpm ERR! and the repository exists.',
    "take 'mocha@^10' left@git+ssh://git@host.invalid/x;",
  ],
  [
    NODE,
    'node/dependencies',
    'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree',
    '--legacy-peer-deps',
  ],
  [
    NODE,
    'node/dependencies',
    '`npm ci` can only install packages when your package.json and package-lock.json are in sync',
    'npm install --no-audit --no-fund',
  ],
  [NODE, 'node/dependencies', 'gyp ERR! stack Error: not found: make', 'python-is-python3'],
  [
    NODE,
    'node/dependencies',
    'npm error code 1\nnpm error path /repo\nnpm error command failed\nnpm error command sh -c npm run build',
    '--ignore-scripts && npm rebuild',
  ],
  [
    NODE,
    'node/dependencies',
    'npm error gyp http GET https://host.invalid/v22/node-v22-headers.tar.gz\nnpm error gyp WARN install got an error, rolling back install',
    'export npm_config_nodedir=',
  ],
  [
    NODE,
    'node/tests',
    "Error: Cannot find module 'chai'\nRequire stack:",
    'npm install --no-audit --no-fund --no-save chai',
  ],
  [NODE, 'node/tests', "Error: Cannot find module '../dist/index.js'", 'npm run build'],
  [NODE, 'node/tests', 'sh: 1: mocha: not found', '--no-save mocha'],
  [GO, 'go/build', 'cgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH', 'gcc libc6-dev'],
  [
    GO,
    'go/dependencies',
    "go: errors parsing go.mod:\n/repo/go.mod:3: invalid go version '1.21.0': must match format 1.23",
    'golang.org/toolchain@v0.0.1-go1.21.0.linux',
  ],
  [GO, 'go/build', 'missing go.sum entry for module providing package host.invalid/x', 'go mod tidy'],
  [RUST, 'rust/dependencies', 'error: failed to parse lock file at: /repo/Cargo.lock', 'cargo generate-lockfile'],
  [
    RUST,
    'rust/build',
    "error: can't find example `one` at path `/repo/examples/one.rs`\n --> /repo/Cargo.toml\nerror: can't find bench `two` at path `/repo/benches/two.rs`",
    `echo 'fn main() {}' > examples/one.rs; } && { mkdir -p "$(dirname benches/two.rs)" && echo 'fn main() {}' > benches/two.rs`,
  ],
  [
    RUST,
    'rust/build',
    'error: missing documentation for a macro\n\nnote: the lint level is defined here\n  --> src/lib.rs:172:9\n    |\n172 | #![deny(missing_docs)]',
    'RUSTFLAGS=--cap-lints warn',
  ],
  [RUST, 'rust/build', 'Could not find directory of OpenSSL installation, and this `-sys` crate cannot', 'libssl-dev'],
  [RUST, 'rust/build', 'The system library `alsa` required by crate `alsa-sys` was not found.', 'alsa\\.pc'],
  [
    C,
    'c/configure',
    'CMake Error at CMakeLists.txt:150 (add_library):\n  No SOURCES given to target: zlib',
    'autoreconf -fi && ./configure',
  ],
  [
    C,
    'c/configure',
    'CMake Error at Find.cmake:230 (message):\n  Could NOT find ARGTABLE2 (missing: ARGTABLE2_LIBRARY)',
    'apt-file search',
  ],
  [C, 'c/build', 'a.c:1:10: fatal error: zlib.h: No such file or directory', 'zlib1g-dev'],
  [
    AUTOTOOLS,
    'c/configure',
    'configure: error: Package requirements (libxml-2.0 >= 2.9) were not met:',
    'libxml-2\\.0\\.pc',
  ],
  [AUTOTOOLS, 'c/configure', 'configure.ac:9: error: possibly undefined macro: AX_CXX_COMPILE', 'autoconf-archive'],
  [
    PYTHON,
    'python/tests',
    'OSError: Could not load libspatialindex_c library',
    String.raw`/libspatialindex_c\.so(\.[0-9]+)*$`,
  ],
  [AUTOTOOLS, 'c/tests', "make: *** No rule to make target 'check'.  Stop.", 'make test'],
  [JAVA, 'java/build', '(certificate_unknown) PKIX path building failed: sun.security', '/opt/build-trust.jks'],
  [JAVA, 'java/build', '[ERROR] Source option 6 is no longer supported. Use 7 or later.', '-Dmaven.compiler.source=8'],
  [
    JAVA,
    'java/build',
    '[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.13:check (rat-check)',
    '-Drat.skip',
  ],
];

test.each(OTHERS.map(([files, goal, text, expected]) => ({ files, goal, text, expected })))('$goal: $text', (one) => {
  expect(remedyFor(one.files, one.goal, one.text)).toContain(one.expected);
});

test.each([
  ['a module of Python 2', 'python/tests', "ModuleNotFoundError: No module named 'ConfigParser'"],
  ['a private module', 'python/tests', "ModuleNotFoundError: No module named '_common'"],
  ['a helper that lies beside its tests', 'python/tests', "ModuleNotFoundError: No module named 'settings'"],
  ['a header of its own', 'python/tests', 'fatal error: own_of_the_tree.h: No such file'],
  [
    'a refused connection to nobody in particular',
    'python/tests',
    'ConnectionRefusedError: [Errno 111] Connection refused',
  ],
])('%s has no remedy', (_, goal, text) => {
  expect(remedyFor(PYTHON, goal, text)).toBe('verify');
});

test('of several libraries those are installed that the archive has', () => {
  const text =
    "cannot load library 'libodd.so.2'\nE   cannot load library 'libeven.so'\nE   cannot load library 'libodd-2.dll'";
  const command = remedyFor(PYTHON, 'python/tests', text);
  expect(command).not.toContain('odd-2');
  // The archive knows one of the two.
  const archive = `
    apt-file() { case "$*" in *libodd*) echo 'libodd2: /usr/lib/x/libodd.so.2';; *search*) return 1;; esac; }
    apt-get() { echo "apt-get $*"; }`;
  const ran = execFileSync('bash', ['-c', `set -o pipefail\n${archive}\n${command}`], { encoding: 'utf8' });
  expect(ran).toMatch(/apt-get install .* libodd2\n$/);
});

test('which development dependency cannot be fetched is found by halving', () => {
  const names = Array.from({ length: 20 }, (_, i) => `tool-${i + 1}`);
  const devDependencies = Object.fromEntries(names.map((name) => [name, '1']));
  const files = { ...NODE, 'package.json': JSON.stringify({ name: 'stamp', devDependencies }) };
  const command = remedyFor(files, 'node/dependencies', 'npm error code 128');
  // npm fails whenever tool-6 is among what it installs.
  const npm = 'npm() { echo "npm $*"; case " $* " in *" tool-6@1 "*) return 1;; esac; }';
  const said = execFileSync('bash', ['-c', `set -e -o pipefail; ${npm}; ${command}`], { encoding: 'utf8' }).split('\n');
  const installs = said.filter((line) => line.includes('--save-dev'));
  expect(installs.length).toBeLessThan(12);
  expect(said).toContain('left out: tool-6@1');
  const taken = installs.filter((line) => !/ tool-6@1( |$)/.test(line)).join(' ');
  expect(names.filter((name) => !`${taken} `.includes(` ${name}@1 `))).toEqual(['tool-6']);
  expect(said.filter(Boolean).at(-1)).toBe('npm rebuild');
});

test("a project's own module is never taken from the registry", () => {
  const files = {
    'setup.py': 'setup(name="psycopg2", packages=["psycopg2"], package_dir={"psycopg2": "lib"})',
    'lib/__init__.py': '',
    'tests/test_a.py': '',
  };
  expect(remedyFor(files, 'python/tests', "ModuleNotFoundError: No module named 'psycopg2'")).toBe(
    'python -m pip install -q --force-reinstall --no-deps . && python -m pip install -q .',
  );
});

describe('when nothing else is known to help, packages of its time are taken', () => {
  const released = '2024-03-01T18:36:20Z';
  const told = (goal: string, text: string, more: Partial<SetupDossier>) =>
    simulate(dossierOf(PYTHON, more), (action) => (action.thought.startsWith(`[goal ${goal}`) ? failed(text) : OK))
      .seen.map(({ move }) => textOf(move))
      .filter((line) => line.includes('PIP_UPLOADED_PRIOR_TO'));

  test.each([
    ['python/project', 'ERROR: Failed building editable for stamp', / -e \.\)$/],
    ['python/test-tools', 'ERROR: ResolutionImpossible', /; for name in pytest mock /],
    [
      'verify',
      "could not be loaded: AttributeError: module 'x' has no attribute 'y'",
      /--force-reinstall -e \. .*pytest \$\(\{ python -m pip list .*\)\)$/,
    ],
  ])('for the goal %s', (goal, text, command) => {
    const [line, ...others] = told(goal, text, { released });
    expect(line).toMatch(/pip install -q --upgrade pip && \(export PIP_UPLOADED_PRIOR_TO=2024-03-01T18:36:20Z; /);
    expect(line).toMatch(command);
    expect(others).toEqual([]);
  });

  test('in the way that the project was installed: one that cannot be edited in place is not', () => {
    const { seen } = simulate(dossierOf(PYTHON, { released }), (action) => {
      if (/ -e /.test(textOf(action))) return failed("its build backend is missing the 'build_editable' hook");
      return action.action === 'verify' ? failed("AttributeError: module 'x' has no attribute 'y'") : OK;
    });
    const lines = seen.map(({ move }) => textOf(move)).filter((line) => line.includes('PIP_UPLOADED_PRIOR_TO'));
    expect(lines).toEqual([expect.stringMatching(/--force-reinstall \. /)]);
  });

  test('never where nobody knows when that was, nor for tests that only fail', () => {
    expect(told('verify', 'AttributeError: gone', { released: null })).toEqual([]);
    expect(told('python/tests', 'E   AttributeError: gone', { released })).toEqual([]);
  });
});

test('tests that may not start a database server are told of the one that was asked for', () => {
  const text = 'E   asyncpg.cluster.ClusterError: pg_ctl init exited with status 1:\nE   pg_ctl: cannot be run as root';
  const exported = (wanted: SetupDossier['wanted']) =>
    simulate(dossierOf(PYTHON, { wanted }), ({ thought }) =>
      /^\[goal python\/tests/.test(thought) ? failed(text) : OK,
    )
      .seen.map(({ move }) => textOf(move))
      .filter((line) => line.includes('PGHOST'));
  expect(exported([{ name: 'postgres', kind: 'process', packages: [], env: {} }])).toEqual([
    'export PGHOST=127.0.0.1 PGPORT=5432 PGUSER=postgres',
  ]);
  expect(exported([])).toEqual([]);
});

test('a file of its own that a makefile beside it builds is built', () => {
  const files = { ...PYTHON, 'tests/fakes/Makefile': 'a.so: a.c\n\t$(CC) -shared -o $@ $<\n', 'tests/fakes/a.c': '' };
  const missing = (path: string) => `OSError: /repo/${path}: cannot open shared object file: No such file or directory`;
  expect(remedyFor(files, 'python/tests', missing('tests/fakes/a.so'))).toBe('make -C tests/fakes');
  expect(remedyFor(files, 'python/tests', missing('tests/a.so'))).toBe('verify');
});

test('a module that cannot be had alone does not keep the others away', () => {
  const dossier = dossierOf(PYTHON);
  const text = "No module named 'aaa'\nNo module named 'bbb'";
  const { seen } = simulate(dossier, (action) => {
    if (action.thought.startsWith('[goal python/tests')) return failed(text);
    return textOf(action).includes('aaa') ? failed('ERROR: No matching distribution found for aaa') : OK;
  });
  const installs = seen.map(({ move }) => textOf(move)).filter((line) => /aaa|bbb/.test(line));
  // The last one because something was mended since it failed; then never again.
  expect(installs).toEqual(['aaa bbb', 'aaa', 'bbb', 'aaa'].map((names) => `python -m pip install -q ${names}`));
});

test('giving up names the goal and the decisive line', () => {
  const move = playbook(dossierOf(PYTHON));
  const observed = failed('noise\nE: Unable to locate package python3-odd\n');
  const end = playbook({ ...dossierOf(PYTHON), seen: [{ move, observed, turn: 1, undone: false, notes: [] }] });
  expect(end).toMatchObject({
    action: 'finish',
    success: false,
    message: 'python/venv cannot be reached: E: Unable to locate package python3-odd',
  });
});
