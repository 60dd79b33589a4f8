import { ACTIVATE, type Environment, NODE_INSTALL, nodeProject, PIP, pythonProject, TAPE } from '../environment';

const INSTALL = `${ACTIVATE} && ${PIP} -e .`;
const DEPENDS = 'dependencies = ["six>=1.16", "click"]\n';
const SERVER =
  "import http.server, sys\nhttp.server.HTTPServer(('127.0.0.1', 8099), http.server.SimpleHTTPRequestHandler).serve_forever()\n";
const ASKS =
  "import urllib.request\n\ndef test_asks():\n    assert urllib.request.urlopen('http://127.0.0.1:8099/').status == 200\n";
const web = (start: string) => ({ name: 'web', kind: 'process' as const, start, port: 8099, packages: [], env: {} });
const GO = {
  'go.mod': 'module example.com/acorn\n\ngo 1.18\n',
  'acorn.go': 'package acorn\n\nfunc Add(a, b int) int { return a + b }\n',
  'acorn_test.go':
    'package acorn\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
};
const CARGO = '[package]\nname = "acorn"\nversion = "0.1.0"\nedition = "2021"\n';
const RUST = {
  'Cargo.toml': CARGO,
  'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 { a + b }\n\n#[test]\nfn adds() { assert_eq!(add(1, 2), 3); }\n',
};
const C = {
  Makefile:
    'all: acorn\nacorn: acorn.c\n\t$(CC) -o acorn acorn.c\ncheck: acorn\n\t@./acorn && echo "1..1" && echo "ok 1 - adds"\n',
  'acorn.c': 'int main(void) { return 0; }\n',
};

/** The half that the rules were developed with. */
export const TUNED: readonly Environment[] = [
  {
    id: 'python-sound',
    toolchain: 'python',
    files: pythonProject(DEPENDS),
    steps: [INSTALL, 'python -m pytest -q'],
    fault: null,
  },
  {
    id: 'python-dependency-missing',
    toolchain: 'python',
    files: pythonProject(DEPENDS),
    steps: [`${ACTIVATE} && ${PIP} --no-deps -e . && ${PIP} six`, 'python -m pytest -q'],
    fault: 'click is declared and not installed; no test notices',
  },
  {
    id: 'python-dependency-old',
    toolchain: 'python',
    files: pythonProject(DEPENDS),
    steps: [`${ACTIVATE} && ${PIP} --no-deps -e . && ${PIP} click six==1.15.0`, 'python -m pytest -q'],
    fault: 'six is older than declared',
  },
  {
    id: 'python-script-missing',
    toolchain: 'python',
    files: pythonProject('[project.scripts]\nacorn = "acorn.cli:main"\n', {
      'acorn/cli.py': 'def main():\n    print("acorn")\n',
    }),
    steps: [`${ACTIVATE} && export PYTHONPATH=/repo`, 'python -m pytest -q'],
    fault: 'the project was never installed, so its program is not there',
  },
  {
    id: 'python-script-broken',
    toolchain: 'python',
    files: pythonProject('[project.scripts]\nacorn = "acorn.cli:main"\n', {
      'acorn/cli.py': 'import attr\n\ndef main():\n    print("acorn")\n',
    }),
    steps: [INSTALL, 'python -m pytest -q'],
    fault: 'the program imports a module that is not there',
  },
  {
    id: 'python-interpreter',
    toolchain: 'python',
    files: pythonProject('requires-python = ">=3.12"\n'),
    steps: [`${ACTIVATE} && export PYTHONPATH=/repo`, 'python -m pytest -q'],
    fault: 'the interpreter is older than declared',
  },
  {
    id: 'python-filter-hides-fault',
    toolchain: 'python',
    files: pythonProject('[project.optional-dependencies]\ntest = ["pytest-mock"]\n', {
      'tests/test_mock.py': 'def test_mock(mocker):\n    assert mocker.Mock()\n',
    }),
    steps: [INSTALL, 'printf \'collect_ignore = ["tests/test_mock.py"]\\n\' > conftest.py', 'python -m pytest -q'],
    fault: 'a conftest.py of the agent hides a test whose plugin is missing',
  },
  {
    id: 'python-filter-hides-bug',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_bug.py': 'def test_bug():\n    assert 1 == 2\n' }),
    steps: [
      INSTALL,
      'printf \'[tool.pytest.ini_options]\\naddopts = "--ignore=tests/test_bug.py"\\n\' >> pyproject.toml',
      'python -m pytest -q',
    ],
    fault: null,
  },
  {
    id: 'python-tests-deleted',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_mock.py': 'def test_mock(mocker):\n    assert mocker.Mock()\n' }),
    steps: [INSTALL, 'rm tests/test_mock.py', 'python -m pytest -q'],
    fault: 'a test that failed was deleted',
  },
  {
    id: 'python-plugin-missing',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_mock.py': 'def test_mock(mocker):\n    assert mocker.Mock()\n' }),
    steps: [INSTALL],
    fault: 'a test needs a plugin that is not installed',
  },
  {
    id: 'python-service-down',
    toolchain: 'python',
    files: pythonProject('', { 'server.py': SERVER, 'tests/test_web.py': ASKS }),
    steps: [INSTALL],
    services: [web('python3 /repo/no-server.py')],
    fault: 'the service does not start',
  },
  {
    id: 'python-service-up',
    toolchain: 'python',
    files: pythonProject('', { 'server.py': SERVER, 'tests/test_web.py': ASKS }),
    steps: [INSTALL],
    services: [web('python3 /repo/server.py')],
    fault: null,
  },
  {
    id: 'python-bug',
    toolchain: 'python',
    files: pythonProject('', {
      'tests/test_bug.py': 'from acorn import add\n\ndef test_bug():\n    assert add(1, 1) == 3\n',
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'python-extra',
    toolchain: 'python',
    files: pythonProject('[project.optional-dependencies]\nclasses = ["attrs"]\n', {
      'acorn/classes.py': 'import attr\n',
      'tests/test_classes.py':
        "import pytest\nattr = pytest.importorskip('attr')\n\ndef test_classes():\n    import acorn.classes\n",
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'python-network',
    toolchain: 'python',
    files: pythonProject('', {
      'tests/test_net.py':
        "import urllib.request\n\ndef test_net():\n    urllib.request.urlopen('http://example.com/')\n",
    }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'python-data',
    toolchain: 'python',
    files: pythonProject('', { 'tests/test_data.py': "def test_data():\n    open('tests/data/big.bin').read()\n" }),
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'python-untested',
    toolchain: 'python',
    files: { 'pyproject.toml': pythonProject('')['pyproject.toml']!, 'acorn/__init__.py': '' },
    steps: [INSTALL],
    fault: null,
  },
  {
    id: 'python-untested-broken',
    toolchain: 'python',
    files: { 'pyproject.toml': pythonProject(DEPENDS)['pyproject.toml']!, 'acorn/__init__.py': 'import click\n' },
    steps: [`${ACTIVATE} && ${PIP} --no-deps -e .`],
    fault: 'it does not import',
  },
  { id: 'node-sound', toolchain: 'node', files: nodeProject(TAPE), steps: [NODE_INSTALL, 'npm test'], fault: null },
  {
    id: 'node-dependency-missing',
    toolchain: 'node',
    files: nodeProject({ ...TAPE, dependencies: { 'is-odd': '^3.0.0' } }),
    steps: [`${NODE_INSTALL} && rm -rf node_modules/is-odd`],
    fault: 'is-odd is declared and not installed; no test notices',
  },
  {
    id: 'node-program-not-built',
    toolchain: 'node',
    files: nodeProject({ ...TAPE, bin: { acorn: 'dist/cli.js' } }),
    steps: [NODE_INSTALL],
    fault: 'the program was never built',
  },
  {
    id: 'node-linter-missing',
    toolchain: 'node',
    files: nodeProject({ ...TAPE, devDependencies: { tape: '^5.0.0', eslint: '^9.0.0' } }),
    steps: [NODE_INSTALL],
    fault: null,
  },
  {
    id: 'node-tool-of-system',
    toolchain: 'node',
    files: nodeProject({ scripts: { test: 'node test/add.js && : tape' }, devDependencies: { tape: '^6.0.0' } }),
    steps: [
      'mkdir -p /usr/lib/node_modules && cp -r /opt/pool/node_modules/. /usr/lib/node_modules/ && export NODE_PATH=/usr/lib/node_modules',
    ],
    fault: 'the test tool is the system’s, of a version that is not declared',
  },
  {
    id: 'node-bug',
    toolchain: 'node',
    files: nodeProject(TAPE, {
      'test/bug.js': "const test = require('tape');\ntest('bug', (t) => { t.equal(1, 2); t.end(); });\n",
    }),
    steps: [NODE_INSTALL],
    fault: null,
  },
  { id: 'go-sound', toolchain: 'go', files: GO, steps: ['export CGO_ENABLED=0', 'go test ./...'], fault: null },
  {
    id: 'go-module-missing',
    toolchain: 'go',
    files: {
      ...GO,
      'go.mod': 'module example.com/acorn\n\ngo 1.18\n\nrequire example.org/oak v1.0.0\n',
      'oak/oak.go': 'package oak\n\nimport _ "example.org/oak"\n',
    },
    steps: ['export CGO_ENABLED=0'],
    fault: 'a module was never fetched',
  },
  {
    id: 'go-bug',
    toolchain: 'go',
    files: {
      ...GO,
      'bug_test.go':
        'package acorn\n\nimport "testing"\n\nfunc TestBug(t *testing.T) {\n\tt.Errorf("got %d", Add(1, 1))\n}\n',
    },
    steps: ['export CGO_ENABLED=0'],
    fault: null,
  },
  { id: 'rust-sound', toolchain: 'rust', files: RUST, steps: ['cargo test --offline'], fault: null },
  {
    id: 'rust-crate-missing',
    toolchain: 'rust',
    files: { ...RUST, 'Cargo.toml': `${CARGO}\n[dependencies]\noak = "1"\n` },
    steps: [],
    fault: 'a crate was never fetched',
  },
  { id: 'c-sound', toolchain: 'c', files: C, steps: ['make'], fault: null },
  {
    id: 'c-library-missing',
    toolchain: 'c',
    files: {
      ...C,
      'oak.c': 'int oak(void) { return 0; }\n',
      'acorn.c': 'int oak(void);\nint main(void) { return oak(); }\n',
      Makefile:
        'all: acorn\nacorn: acorn.c liboak.so\n\t$(CC) -o acorn acorn.c -L. -loak\nliboak.so: oak.c\n\t$(CC) -shared -fPIC -o liboak.so oak.c\ncheck:\n\t@./acorn && echo "1..1" && echo "ok 1 - adds"\n',
    },
    steps: ['make && rm liboak.so'],
    fault: 'the library that the program is linked with is not found',
  },
];
