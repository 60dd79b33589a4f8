import { toRepositoryFacts } from '../../../src/setup/repository/facts-of';
import { factsOfFiles } from './sample';

test('Node.js: package manager, framework of the test script, binaries', () => {
  const facts = factsOfFiles({
    'package.json': JSON.stringify({
      name: '@post/box',
      version: '1.2.3',
      main: './lib/index.js',
      bin: { box: 'bin/box.js' },
      engines: { node: '>=18' },
      scripts: { test: 'eslint . && mocha test' },
      dependencies: { pg: '^8' },
      devDependencies: { mocha: '^10', '@types/node': '*' },
    }),
    'pnpm-lock.yaml': '',
    'lib/index.js': '',
    'test/a.test.js': '',
  });
  expect(facts).toMatchObject({
    languages: ['node'],
    buildSystems: ['pnpm'],
    name: '@post/box',
    version: '1.2.3',
    runtime: { node: '>=18' },
    testFrameworks: ['mocha'],
    testPaths: ['test'],
    serviceHints: ['postgres'],
  });
  expect(facts.dependencies.map(({ name, scope, importNames }) => [name, scope, importNames])).toEqual([
    ['pg', 'core', ['pg']],
    ['mocha', 'test', ['mocha']],
    ['@types/node', 'test', []],
  ]);
  expect(facts.entryPoints.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['bin box', 'main @post/box']);
});

test('Go: module, version, direct requirements, commands', () => {
  const facts = factsOfFiles({
    'go.mod':
      'module host.invalid/a/b\n\ngo 1.21\n\nrequire (\n\thost.invalid/c v1.0.0\n\thost.invalid/d v0.1.0 // indirect\n)\n',
    'b.go': '',
    'b_test.go': '',
    'cmd/tool/main.go': '',
  });
  expect(facts).toMatchObject({
    languages: ['go'],
    name: 'host.invalid/a/b',
    runtime: { go: '1.21' },
    testFrameworks: ['go'],
  });
  expect(facts.dependencies.map(({ name, spec }) => name + spec)).toEqual(['host.invalid/cv1.0.0']);
  expect(facts.entryPoints).toEqual([{ kind: 'bin', name: 'tool', target: './cmd/tool' }]);
});

test('Go without a go.mod, beside a Makefile', () => {
  expect(factsOfFiles({ Makefile: 'test:\n\tgo test ./...\n', 'a.go': '', 'a_test.go': '' })).toMatchObject({
    languages: ['go'],
    testFrameworks: ['go'],
  });
});

test('Rust: a workspace that shares its version', () => {
  const facts = factsOfFiles({
    'Cargo.toml': `[workspace]
members = ["crates/*"]
[workspace.package]
version = "0.3.0"
rust-version = "1.70"
[package]
name = "stamp-it"
version.workspace = true
rust-version.workspace = true
[dependencies]
serde = { version = "1", optional = true }
[dev-dependencies]
rand = "0.8"
`,
    'crates/inner/Cargo.toml': '[package]\nname = "stamp-core"\n',
    'src/main.rs': '',
  });
  expect(facts).toMatchObject({
    languages: ['rust'],
    version: '0.3.0',
    runtime: { rust: '1.70' },
    modules: ['stamp_it', 'stamp_core'],
    entryPoints: [{ kind: 'bin', name: 'stamp-it', target: 'src/main.rs' }],
  });
  expect(facts.dependencies.map(({ name, scope }) => `${scope} ${name}`)).toEqual(['extra serde', 'test rand']);
});

test('a library that is named apart from its package is imported by its own name', () => {
  const cargo = '[package]\nname = "stamp-py"\n[lib]\nname = "stamp"\ncrate-type = ["cdylib"]\n';
  const files = { 'Cargo.toml': cargo, 'src/lib.rs': '', 'pyproject.toml': '[build-system]\nrequires = ["maturin"]\n' };
  expect(factsOfFiles(files).modules).toEqual(['stamp']);
});

test('Java: Maven with properties and a parent', () => {
  const facts = factsOfFiles({
    'pom.xml': `<?xml version="1.0"?><project><parent><version>7</version></parent><artifactId>letter</artifactId>
<properties><maven.compiler.source>1.8</maven.compiler.source><j>5.9</j></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>\${j}</version><scope>test</scope></dependency></dependencies></project>`,
    'src/main/java/A.java': '',
    'src/test/java/ATest.java': '',
  });
  expect(facts).toMatchObject({
    languages: ['java'],
    buildSystems: ['maven'],
    name: 'letter',
    version: '7',
    runtime: { java: '8' },
    testFrameworks: ['junit5'],
  });
  expect(facts.dependencies).toMatchObject([{ name: 'org.junit.jupiter:junit-jupiter', spec: '5.9', scope: 'test' }]);
});

test('Java: Gradle', () => {
  const facts = factsOfFiles({
    'build.gradle':
      "version = '1.5'\nsourceCompatibility = 11\ndependencies {\n  testImplementation 'junit:junit:4.13'\n}\n",
    'settings.gradle': "rootProject.name = 'letter'",
    'src/main/java/A.java': '',
  });
  expect(facts).toMatchObject({
    buildSystems: ['gradle'],
    name: 'letter',
    version: '1.5',
    runtime: { java: '11' },
    testFrameworks: ['junit4'],
  });
});

test.each([
  [
    {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.5)\nproject(stamp VERSION 1.2 LANGUAGES CXX)\nenable_testing()\nfind_package(ZLIB REQUIRED)\n',
      'a.cpp': '',
    },
    'cpp',
    'cmake',
    '1.2',
    ['core ZLIB'],
    ['ctest'],
  ],
  [
    { 'meson.build': "project('stamp', 'c', version: '0.4')\nd = dependency('glib-2.0')\ntest('a', e)\n", 'a.c': '' },
    'c',
    'meson',
    '0.4',
    ['core glib-2.0'],
    ['meson'],
  ],
  [
    {
      'configure.ac': 'AC_INIT([stamp],[2.1])\nPKG_CHECK_MODULES([X], [libxml-2.0 >= 2.9])\n',
      'Makefile.am': 'check_PROGRAMS = t\nTESTS = t\n',
      'a.c': '',
    },
    'c',
    'autotools',
    '2.1',
    ['core libxml-2.0'],
    ['automake'],
  ],
  [{ Makefile: 'all: a\ntest: a\n\t./a\n', 'a.c': '' }, 'c', 'make', null, [], ['make']],
])('C and C++: %#', (files, language, system, version, dependencies, frameworks) => {
  const facts = factsOfFiles(files as unknown as Record<string, string>);
  expect(facts.languages[0]).toBe(language);
  expect(facts).toMatchObject({ buildSystems: [system], version, testFrameworks: frameworks });
  expect(facts.dependencies.map(({ name, scope }) => `${scope} ${name}`)).toEqual(dependencies);
});

test('a Python package with an extension is Python, whatever its files are', () => {
  const c = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`src/m${at}.c`, '']));
  expect(factsOfFiles({ ...c, 'setup.py': 'setup(name="x")', Makefile: 'check:\n', 'lib/a.py': '' }).languages[0]).toBe(
    'python',
  );
  const rust = { 'Cargo.toml': '[package]\nname="x"\n', 'src/lib.rs': '', 'src/b.rs': '' };
  const python = {
    'pyproject.toml': '[build-system]\nrequires=["maturin"]\nbuild-backend="maturin"\n[project]\nname="x"\n',
    'x/__init__.py': '',
  };
  expect(factsOfFiles({ ...rust, ...python })).toMatchObject({
    languages: ['python', 'rust'],
    buildSystems: ['maturin', 'cargo'],
  });
});

test('commands of documents and of continuous integration', () => {
  const facts = factsOfFiles({
    'README.md': '# x\n```\n$ pip install x\nmake sure it works\npython-memcached is fine\n```\n',
    '.github/workflows/ci.yml': 'jobs:\n  a:\n    steps:\n      - run: pytest -q\n      - run: echo hi\n',
    'a.py': '',
  });
  expect(facts.documented).toEqual(['pip install x', 'pytest -q']);
});

test('facts for experience', () => {
  const facts = factsOfFiles({ 'setup.py': 'setup(name="x")', 'x.py': '', 'tox.ini': '[testenv]\ncommands=pytest' });
  expect(toRepositoryFacts(facts, 'debian', ['python3.11'])).toEqual({
    lang: 'python',
    os: 'debian',
    runtime: ['python3.11'],
    tools: ['setuptools', 'tox', 'pytest'],
  });
});
