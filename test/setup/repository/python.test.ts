import { distributionOf, importNamesOf } from '../../../src/setup/repository/distributions';
import { readRequirement } from '../../../src/setup/repository/requirement';
import { factsOfFiles } from './sample';

const brief = (facts: ReturnType<typeof factsOfFiles>) =>
  facts.dependencies.map(({ name, spec, scope, extra }) => [scope, extra ?? '', name + spec].join(' '));

test('the standard tables of pyproject.toml', () => {
  const facts = factsOfFiles({
    'pyproject.toml': `
[build-system]
requires = ["hatchling", "hatch-vcs"]
build-backend = "hatchling.build"
[project]
name = "parcel-post"
dynamic = ["version"]
requires-python = ">=3.9"
dependencies = ["PyYAML>=5", "tomli; python_version < '3.11'"]
[project.optional-dependencies]
tests = ["pytest", "freezegun>=1.2"]
docs = ["sphinx"]
[dependency-groups]
dev = ["ruff", {include-group = "x"}]
[project.scripts]
post = "parcel_post.cli:main"
`,
    'src/parcel_post/__init__.py': '',
    'src/parcel_post/__main__.py': '',
    'tests/test_a.py': '',
    'tests/conftest.py': '',
    'tox.ini': '[testenv]\nextras = tests\ncommands = pytest\n',
  });
  expect(facts).toMatchObject({
    languages: ['python'],
    buildSystems: ['hatch', 'tox'],
    name: 'parcel-post',
    version: null,
    vcsVersion: true,
    runtime: { python: '>=3.9' },
    modules: ['parcel_post'],
    testPaths: ['tests'],
    testFrameworks: ['pytest'],
  });
  expect(brief(facts)).toEqual([
    'core  PyYAML>=5',
    'core  tomli',
    'build  hatchling',
    'build  hatch-vcs',
    'test tests pytest',
    'test tests freezegun>=1.2',
    'extra docs sphinx',
    'test dev ruff',
  ]);
  expect(facts.dependencies[0]!.importNames).toEqual(['yaml']);
  expect(facts.dependencies[1]!.marker).toBe("python_version < '3.11'");
  expect(facts.groups.filter(({ test }) => test).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'extra tests',
    'group dev',
  ]);
  expect(facts.entryPoints).toEqual([
    { kind: 'console', name: 'post', target: 'parcel_post.cli:main' },
    { kind: 'module', name: 'parcel_post', target: 'parcel_post.__main__' },
  ]);
});

test('a version in PKG-INFO is one that the tree has', () => {
  const files = {
    'pyproject.toml':
      '[build-system]\nrequires=["setuptools", "setuptools-scm"]\n[project]\nname="a"\ndynamic=["version"]\n',
    'a.py': '',
  };
  expect(factsOfFiles(files).vcsVersion).toBe(true);
  expect(factsOfFiles({ ...files, 'PKG-INFO': 'Metadata-Version: 2.1\nName: a\nVersion: 1.4.2\n' })).toMatchObject({
    version: '1.4.2',
    vcsVersion: false,
  });
});

test('Poetry: operators, groups, optional dependencies, scripts', () => {
  const facts = factsOfFiles({
    'pyproject.toml': `
[tool.poetry]
name = "letters"
version = "2.0.1"
[tool.poetry.dependencies]
python = "^3.8"
requests = "^2.28"
redis = {version = ">=4", optional = true}
[tool.poetry.extras]
cache = ["redis"]
[tool.poetry.group.test.dependencies]
pytest = "~7.1"
[tool.poetry.group.docs.dependencies]
mkdocs = "*"
[tool.poetry.scripts]
letters = "letters.app:run"
`,
    'letters/__init__.py': '',
  });
  expect(facts).toMatchObject({
    name: 'letters',
    version: '2.0.1',
    buildSystems: ['poetry'],
    runtime: { python: '^3.8' },
  });
  expect(brief(facts)).toEqual([
    'core  requests^2.28',
    'extra cache redis>=4',
    'test test pytest~7.1',
    'extra docs mkdocs',
  ]);
  expect(facts.groups.filter(({ test }) => test)).toEqual([{ name: 'test', kind: 'tool', test: true }]);
});

test('setup.cfg with indented lists, and what only points elsewhere', () => {
  const facts = factsOfFiles({
    'setup.py': 'from setuptools import setup\nsetup()\n',
    'setup.cfg': `[metadata]
name = stamps
version = attr: stamps.__version__
[options]
python_requires = >=3.7
install_requires =
    attrs >= 20
    importlib-metadata; python_version < "3.8"
# comment
[options.extras_require]
test =
    pytest
    hypothesis >= 6
[options.entry_points]
console_scripts =
    stamps = stamps.main:run [fast]
[tool:pytest]
addopts = --cov
`,
    'stamps/__init__.py': '',
  });
  expect(facts).toMatchObject({
    name: 'stamps',
    version: null,
    buildSystems: ['setuptools'],
    testFrameworks: ['pytest'],
  });
  expect(brief(facts)).toEqual([
    'core  attrs>= 20',
    'core  importlib-metadata',
    'test test pytest',
    'test test hypothesis>= 6',
  ]);
  expect(facts.dependencies[0]!.importNames).toEqual(['attr', 'attrs']);
  expect(facts.entryPoints).toEqual([{ kind: 'console', name: 'stamps', target: 'stamps.main:run' }]);
});

test('literals of a setup.py, through names, and nothing that it computes', () => {
  const facts = factsOfFiles({
    'setup.py': `
import re
from setuptools import setup
VERSION = re.search('x', open('y').read())
deps = ['six', "python-dateutil>=2"]  # list
extras = {'test': ['nose', 'mock>=2'], 'fast': ["cython"]}
setup(
    name='envelope',
    version=VERSION,
    install_requires=deps,
    extras_require=extras,
    tests_require=['pytest'],
    python_requires=">=3.6",
    entry_points={'console_scripts': ['env = envelope:main']},
)
`,
    'envelope.py': '',
  });
  expect(facts).toMatchObject({ name: 'envelope', version: null, runtime: { python: '>=3.6' }, modules: ['envelope'] });
  expect(brief(facts)).toEqual([
    'core  six',
    'core  python-dateutil>=2',
    'test  pytest',
    'test test nose',
    'test test mock>=2',
    'extra fast cython',
  ]);
  expect(facts.entryPoints).toEqual([{ kind: 'console', name: 'env', target: 'envelope:main' }]);
});

test('lists of requirements by what their names say', () => {
  const facts = factsOfFiles({
    'app.py': '',
    'requirements.txt': 'flask==2.0 \\\n  --hash=sha256:abc\n-r other.txt\n# no\nredis\n',
    'requirements/test.txt': 'pytest\ngit+https://host.invalid/a/b.git@1#egg=bb\n',
    'docs-requirements.txt': 'sphinx\n',
  });
  expect(facts.buildSystems).toEqual(['requirements']);
  expect(brief(facts)).toEqual([
    'extra docs sphinx',
    'core  flask==2.0',
    'core  redis',
    'test  pytest',
    'test  bbgit+https://host.invalid/a/b.git@1',
  ]);
  expect(facts.serviceHints).toEqual(['redis']);
});

test('a list that an installed project does not read is for its developers', () => {
  const setup = (text: string) =>
    brief(factsOfFiles({ 'a.py': '', 'setup.py': text, 'requirements.txt': 'alabaster==0.7.13\n' }));
  expect(setup('setup(name="a")')).toEqual(['test requirements.txt alabaster==0.7.13']);
  expect(setup('setup(name="a", install_requires=open("requirements.txt").read().split())')).toEqual([
    'core  alabaster==0.7.13',
  ]);
});

test('a pyproject.toml that only configures a formatter makes nothing Python', () => {
  const facts = factsOfFiles({
    'pyproject.toml': '[tool.black]\nline-length = 100\n',
    'CMakeLists.txt': 'project(x C)',
    'x.c': '',
  });
  expect(facts.languages).toEqual(['c', 'python']);
  expect(facts.name).toBe('x');
});

test.each(['[project', 'a = "', '\u0000\u0001'])('broken manifests count as empty: %j', (text) => {
  const all = Object.fromEntries(
    ['pyproject.toml', 'setup.cfg', 'setup.py', 'package.json', 'Cargo.toml', 'pom.xml', 'go.mod'].map((name) => [
      name,
      text,
    ]),
  );
  expect(factsOfFiles({ ...all, 'a.py': '' }).languages).toContain('python');
});

test.each([
  [
    "a[b,c] >=1,<2 ; python_version<'3'",
    { name: 'a', extras: ['b', 'c'], spec: '>=1,<2', marker: "python_version<'3'" },
  ],
  ['a (>=1)', { name: 'a', extras: [], spec: '>=1' }],
  ['a @ git+https://host.invalid/x', { name: 'a', extras: [], spec: 'git+https://host.invalid/x' }],
  ['a~=1.0  # why', { name: 'a', extras: [], spec: '~=1.0' }],
  ['-e .', null],
  ['./local', null],
])('requirement %s', (line, expected) => {
  expect(readRequirement(line)).toEqual(expected);
});

test('modules and their distributions', () => {
  expect(importNamesOf('BeautifulSoup4')).toEqual(['bs4']);
  expect(importNamesOf('my.pkg-name')).toEqual(['my_pkg_name']);
  expect(importNamesOf('types-requests')).toEqual([]);
  expect(['yaml', 'bs4.element', 'google.protobuf.message', 'zope.component.x', 'a_b'].map(distributionOf)).toEqual([
    'PyYAML',
    'beautifulsoup4',
    'protobuf',
    'zope.component',
    'a-b',
  ]);
});

test('a module for those who test with a package holds no tests, beside what it would test it does', () => {
  const files = { 'setup.py': '', 'loom/__init__.py': '', 'loom/test_utils.py': '' };
  expect(factsOfFiles(files).testPaths).toEqual([]);
  expect(factsOfFiles({ ...files, 'loom/utils.py': '' }).testPaths).toEqual(['loom/test_utils.py']);
  expect(factsOfFiles({ 'setup.py': '', 'test_utils.py': '' }).testPaths).toEqual(['test_utils.py']);
});

test('where the root itself is the package, its files are no modules of their own', () => {
  const files = { 'setup.py': 'setup(**computed())', '__init__.py': '', 'tokens.py': '', 'util.py': '' };
  const named = { ...files, 'PKG-INFO': 'Metadata-Version: 2.1\nName: loom-yarn.spool\nVersion: 1.0\n' };
  expect(factsOfFiles(named)).toMatchObject({ name: 'loom-yarn.spool', modules: ['loom_yarn.spool'] });
  expect(factsOfFiles({ ...named, 'tests/__init__.py': '' }).modules).toEqual(['loom_yarn.spool']);
  // A package beside it, or a list of modules, says that the root is none, whatever lies in it.
  expect(factsOfFiles({ ...named, 'loom/__init__.py': '' }).modules).toEqual(['loom', 'tokens', 'util']);
  expect(factsOfFiles({ ...named, 'setup.py': 'setup(py_modules=["util"])' }).modules).toEqual(['tokens', 'util']);
  expect(factsOfFiles(files).modules).toEqual(['tokens', 'util']);
});
