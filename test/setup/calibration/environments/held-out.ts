import { ACTIVATE, type Environment, NODE_INSTALL, nodeProject, PIP, pythonProject, TAPE } from '../environment';

const INSTALL = `${ACTIVATE} && ${PIP} -e .`;
const MOCHA = { scripts: { test: 'mocha' }, devDependencies: { mocha: '^10.0.0' } };
const SPEC = {
  'test/add.js':
    "const assert = require('assert');\ndescribe('add', () => { it('adds', () => assert.equal(require('..').add(1, 2), 3)); });\n",
};
const GO_MOD = 'module example.com/birch\n\ngo 1.18\n';
const GO = {
  'go.mod': GO_MOD,
  'birch.go': 'package birch\n\nfunc Sub(a, b int) int { return a - b }\n',
  'birch_test.go':
    'package birch\n\nimport "testing"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
};
const RUST = {
  'Cargo.toml': '[package]\nname = "birch"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs':
    'pub fn sub(a: i32, b: i32) -> i32 { a - b }\n\n#[test]\nfn subtracts() { assert_eq!(sub(3, 2), 1); }\n',
};
const CMAKE = {
  'CMakeLists.txt':
    'cmake_minimum_required(VERSION 3.10)\nproject(birch C)\nenable_testing()\nadd_executable(birch birch.c)\nadd_test(NAME runs COMMAND birch)\n',
  'birch.c': 'int main(void) { return 0; }\n',
};
const LEGACY = {
  'setup.py':
    "from setuptools import setup\nsetup(name='birch', version='1.0', packages=['birch'], install_requires=['six'], entry_points={'console_scripts': ['birch=birch.main:run']})\n",
  'birch/__init__.py': '',
  'birch/main.py': "def run():\n    print('birch')\n",
  'tests/__init__.py': '',
  'tests/test_main.py':
    'import unittest\nfrom birch.main import run\n\nclass Main(unittest.TestCase):\n    def test_run(self):\n        self.assertIsNone(run())\n',
};
const memory = (start: string) => ({
  name: 'memory',
  kind: 'process' as const,
  start,
  port: 7001,
  packages: [],
  env: {},
});
const ECHO =
  "import socketserver\nclass Echo(socketserver.StreamRequestHandler):\n    def handle(self):\n        self.wfile.write(self.rfile.readline())\nif __name__ == '__main__':\n    socketserver.TCPServer.allow_reuse_address = True\n    socketserver.TCPServer(('127.0.0.1', 7001), Echo).serve_forever()\n";

/** The half that the rules had not seen when they were frozen. */
export const HELD_OUT: readonly Environment[] = [
  { id: 'legacy-sound', toolchain: 'python', files: LEGACY, steps: [INSTALL, 'python -m unittest'], fault: null },
  {
    id: 'legacy-dependency-missing',
    toolchain: 'python',
    files: LEGACY,
    steps: [`${ACTIVATE} && ${PIP} --no-deps -e .`],
    fault: 'six is declared in setup.py and not installed',
  },
  {
    id: 'legacy-never-installed',
    toolchain: 'python',
    files: LEGACY,
    steps: [`${ACTIVATE} && ${PIP} six`],
    fault: 'its program is not there',
  },
  {
    id: 'legacy-bug',
    toolchain: 'python',
    files: {
      ...LEGACY,
      'tests/test_bug.py':
        'import unittest\n\nclass Bug(unittest.TestCase):\n    def test_bug(self):\n        self.assertEqual(1, 2)\n',
    },
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'venv-inside-not-activated',
    toolchain: 'python',
    files: pythonProject('dependencies = ["click"]\n'),
    steps: [
      `/venv/bin/python -m venv --system-site-packages .venv && cp -r /venv/lib/python3.11/site-packages/. .venv/lib/python3.11/site-packages/ && .venv/bin/python -m pip install -q --no-index --find-links /opt/wheels --no-build-isolation -e .`,
      '.venv/bin/python -m pytest -q',
    ],
    fault: null,
  },
  {
    id: 'addopts-variable-hides-fault',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_tomli.py': 'import tomli_w\n\ndef test_write():\n    assert tomli_w\n' }),
    steps: [INSTALL, 'export PYTEST_ADDOPTS="--ignore=tests/test_tomli.py"', 'python -m pytest -q'],
    fault: 'a variable hides a test whose module is missing',
  },
  {
    id: 'skip-written-into-test',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_write.py': 'def test_write(mocker):\n    assert mocker\n' }),
    steps: [
      INSTALL,
      "sed -i '1i import pytest; pytestmark = pytest.mark.skip' tests/test_write.py",
      'python -m pytest -q',
    ],
    fault: 'the agent wrote a skip into a test',
  },
  {
    id: 'skip-everything-plugin',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_write.py': 'import tomli_w\n' }),
    steps: [
      INSTALL,
      'printf \'def pytest_ignore_collect(collection_path):\\n    return "write" in str(collection_path)\\n\' > tests/conftest.py',
    ],
    fault: 'a conftest.py of the agent leaves out a test whose module is missing',
  },
  {
    id: 'ini-of-the-project-ignores',
    toolchain: 'python',
    files: pythonProject('', {
      'pytest.ini': '[pytest]\naddopts = --ignore=tests/slow\n',
      'tests/slow/test_slow.py': 'import nowhere\n',
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'version-pinned-for-old-python',
    toolchain: 'python',
    files: pythonProject('dependencies = ["six<1.16"]\n'),
    steps: [`${ACTIVATE} && ${PIP} --no-deps -e . && ${PIP} six`],
    fault: 'six is newer than declared',
  },
  {
    id: 'marker-excludes-dependency',
    toolchain: 'python',
    files: pythonProject(
      'dependencies = ["tomli; python_version < \\"3.11\\"", "pywin32; sys_platform == \\"win32\\""]\n'.replaceAll(
        '\\"',
        "'",
      ),
    ),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'extra-imported-unguarded-test',
    toolchain: 'python',
    files: pythonProject('[project.optional-dependencies]\nfast = ["orjson"]\n', {
      'tests/test_fast.py': 'def test_fast():\n    import orjson\n',
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'echo-up',
    toolchain: 'python',
    files: pythonProject('', {
      'echo.py': ECHO,
      'tests/test_echo.py':
        "import socket\n\ndef test_echo():\n    with socket.create_connection(('127.0.0.1', 7001)) as s:\n        s.sendall(b'x\\n')\n        assert s.recv(2) == b'x\\n'\n",
    }),
    steps: [INSTALL],
    services: [memory('python3 echo.py')],
    fault: null,
  },
  {
    id: 'service-wanted-never-started',
    toolchain: 'python',
    files: pythonProject(''),
    steps: [INSTALL],
    wanted: [{ name: 'redis', kind: 'process', packages: [], env: {} }],
    fault: 'redis was asked for and does not run',
  },
  {
    id: 'local-server-refused',
    toolchain: 'python',
    files: pythonProject('', {
      'tests/test_db.py': "import socket\n\ndef test_db():\n    socket.create_connection(('127.0.0.1', 5432))\n",
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'coverage-demanded',
    toolchain: 'python',
    files: pythonProject('', {
      'pyproject.toml': `${pythonProject('')['pyproject.toml']}[tool.pytest.ini_options]\naddopts = "--cov=acorn"\n`,
    }),
    steps: [INSTALL],
    fault: 'the options of the project need a plugin that is not installed',
  },
  {
    id: 'program-of-system-missing',
    toolchain: 'python',
    files: pythonProject('', {
      'tests/test_dot.py': "import subprocess\n\ndef test_dot():\n    subprocess.run(['dot', '-V'], check=True)\n",
    }),
    steps: [INSTALL],
    fault: 'a test needs the program dot',
  },
  { id: 'mocha-sound', toolchain: 'node', files: nodeProject(MOCHA, SPEC), steps: [NODE_INSTALL], fault: null },
  {
    id: 'mocha-module-missing',
    toolchain: 'node',
    files: nodeProject(
      { ...MOCHA, dependencies: { 'is-odd': '^3.0.0' } },
      { ...SPEC, 'index.js': "const odd = require('is-odd');\nexports.add = (a, b) => (odd(a) ? a + b : a + b);\n" },
    ),
    steps: [`${NODE_INSTALL} && rm -rf node_modules/is-odd`],
    fault: 'is-odd is not installed',
  },
  {
    id: 'mocha-nested-missing',
    toolchain: 'node',
    files: nodeProject({ ...MOCHA, dependencies: { 'is-odd': '^3.0.0' } }, SPEC),
    steps: [`${NODE_INSTALL} && rm -rf node_modules/is-number`],
    fault: 'what is-odd needs is not installed',
  },
  {
    id: 'node-engine',
    toolchain: 'node',
    files: nodeProject({ ...MOCHA, engines: { node: '>=99' } }, SPEC),
    steps: [NODE_INSTALL],
    fault: 'Node.js is older than declared',
  },
  {
    id: 'node-script-changed',
    toolchain: 'node',
    files: nodeProject(MOCHA, { ...SPEC, 'test/more.js': "require('left-over');\n" }),
    steps: [NODE_INSTALL, 'sed -i \'s/"test": "mocha"/"test": "mocha test\\/add.js"/\' package.json'],
    fault: 'the test script was changed; a test that it leaves out needs a module',
  },
  {
    id: 'node-optional-missing',
    toolchain: 'node',
    files: nodeProject({ ...TAPE, optionalDependencies: { fsevents: '^2.0.0' } }),
    steps: [NODE_INSTALL],
    fault: null,
  },
  { id: 'go-vendor-sound', toolchain: 'go', files: GO, steps: ['export CGO_ENABLED=0 GOFLAGS=-mod=mod'], fault: null },
  {
    id: 'go-dns',
    toolchain: 'go',
    files: {
      ...GO,
      'net_test.go':
        'package birch\n\nimport (\n\t"net"\n\t"testing"\n)\n\nfunc TestNet(t *testing.T) {\n\tif _, err := net.LookupHost("example.com"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n',
    },
    steps: ['export CGO_ENABLED=0'],
    fault: null,
  },
  {
    id: 'go-test-import-missing',
    toolchain: 'go',
    files: {
      ...GO,
      'more_test.go':
        'package birch\n\nimport (\n\t"testing"\n\n\t"example.org/assert"\n)\n\nfunc TestMore(t *testing.T) { assert.True(t) }\n',
    },
    steps: ['export CGO_ENABLED=0'],
    fault: 'a module of a test was never fetched',
  },
  {
    id: 'rust-bug',
    toolchain: 'rust',
    files: { ...RUST, 'tests/bug.rs': '#[test]\nfn bug() { assert_eq!(birch::sub(1, 1), 3); }\n' },
    steps: [],
    fault: null,
  },
  {
    id: 'rust-path-dependency-missing',
    toolchain: 'rust',
    files: { ...RUST, 'Cargo.toml': `${RUST['Cargo.toml']}\n[dev-dependencies]\nserde = "1"\n` },
    steps: [],
    fault: 'a crate for the tests was never fetched',
  },
  {
    id: 'cmake-sound',
    toolchain: 'c',
    files: CMAKE,
    steps: ['cmake -S . -B build && cmake --build build'],
    fault: null,
  },
  {
    id: 'cmake-not-built',
    toolchain: 'c',
    files: CMAKE,
    steps: ['cmake -S . -B build'],
    fault: 'it was configured and never built',
  },
  {
    id: 'cmake-bug',
    toolchain: 'c',
    files: {
      ...CMAKE,
      'CMakeLists.txt': `${CMAKE['CMakeLists.txt']}add_executable(bug bug.c)\nadd_test(NAME bug COMMAND bug)\n`,
      'bug.c': 'int main(void) { return 1; }\n',
    },
    steps: ['cmake -S . -B build && cmake --build build'],
    fault: null,
  },
];
