import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { posixCksum } from '../../../src/setup/roles/rules/cksum';
import { editedTests, lookForTampering, readTampering, restorationOf } from '../../../src/setup/roles/rules/integrity';
import { repositoriesOf } from '../../../src/setup/roles/rules/play';
import { FILES, observed, sampleCase } from './sample';

test('a text has the sum that the shell computes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(posixCksum(text)).toBe(execFileSync('cksum', { input: text }).toString().trim());
    }),
    { numRuns: 25 },
  );
});

const SOURCES = {
  ...FILES,
  'tests/conftest.py': 'collect_ignore = ["old.py"]\n',
  'setup.cfg': "[tool:pytest]\naddopts = -q 'x'\n",
};
let folder: string;
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const repository = () => repositoriesOf({ ...sampleCase(SOURCES), workdir: folder })[0]!;
const bash = (command: string, env = {}) => {
  try {
    return observed(
      execFileSync('bash', ['-c', command], { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' }).toString(),
      0,
    );
  } catch (error) {
    return observed(String((error as { stdout: Buffer }).stdout), 1);
  }
};
const tampering = (env = {}) => readTampering(repository(), bash(lookForTampering(repository()), env));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'integrity-'));
  for (const [path, text] of Object.entries(SOURCES)) write(path, text);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('sources as they came, and changes that leave nothing out, are no tampering', () => {
  expect(tampering()).toEqual([]);
  write('pyproject.toml', `${SOURCES['pyproject.toml']}[tool.black]\nline-length = 100\n`);
  write('node_modules/x/conftest.py', 'collect_ignore = []\n');
  expect(tampering()).toEqual([]);
});

test('what lies above the folder of the project is watched, too', () => {
  const sources = {
    'README.md': '',
    '.pytest.ini': '[flake8]\n',
    'core/setup.py': '',
    'core/conftest.py': '',
    'core/test_a.py': '',
  };
  rmSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(sources)) write(path, text);
  const given = repositoriesOf({ ...sampleCase(sources), workdir: folder })[0]!;
  expect(given.folder).toBe('core');
  const found = () => readTampering(given, bash(lookForTampering(given))).map(({ declared }) => declared);
  expect(found()).toEqual([]);
  const fewer = '[pytest]\naddopts = -k "not test_b"\n';
  write('.pytest.ini', fewer);
  write('pytest.ini', fewer);
  write('core/pytest.ini', fewer);
  expect(found().sort()).toEqual(['../.pytest.ini', '../pytest.ini', 'pytest.ini']);
  expect(
    bash(['../pytest.ini', '../.pytest.ini', 'pytest.ini'].map((path) => restorationOf(given, path)).join(' && '))
      .exitCode,
  ).toBe(0);
  expect(found()).toEqual([]);
});

test('a file that configure writes has the words of its template, and no others', () => {
  const template = 'check:\n\t./run @FLAGS@ || true\n';
  const sources = { ...SOURCES, Makefile: 'all:\n\t@echo configure first\n', 'Makefile.in': template };
  const given = repositoriesOf({ ...sampleCase(sources), workdir: folder })[0]!;
  const found = () => readTampering(given, bash(lookForTampering(given))).map(({ declared }) => declared);
  write('Makefile.in', template);
  write('Makefile', template.replace('@FLAGS@', '-v'));
  expect(found()).toEqual([]);
  write('Makefile', `${template}\t./run-more || true\n`);
  expect(found()).toEqual(['Makefile']);
});

test.each<[string, () => void, string, object?]>([
  [
    'an option put into a configuration',
    () => write('pyproject.toml', `${SOURCES['pyproject.toml']}[tool.pytest.ini_options]\naddopts = "--ignore=x"\n`),
    'pyproject.toml',
  ],
  [
    'one more ignore',
    () => write('tests/conftest.py', 'collect_ignore = ["old.py"]\ncollect_ignore += ["new.py"]\n'),
    'tests/conftest.py',
  ],
  [
    'a new conftest.py',
    () => write('conftest.py', 'import pytest\npytest.skip("no", allow_module_level=True)\n'),
    'conftest.py',
  ],
  [
    'a test that was written anew',
    () => write('tests/test_acorn.py', 'def test_ok(): assert True\n'),
    'tests/test_acorn.py',
  ],
  ['an option of Go', () => {}, 'GOFLAGS', { GOFLAGS: '-run=^TestOnlyThis$' }],
  ['an option of Maven', () => {}, 'MAVEN_OPTS', { MAVEN_OPTS: '-Xmx1g -DskipTests' }],
  ['an option of Node.js', () => {}, 'NODE_OPTIONS', { NODE_OPTIONS: '--test-name-pattern=x' }],
  ['a test that is gone', () => rmSync(join(folder, 'tests/test_acorn.py')), 'tests/test_acorn.py'],
  ...['-k fast', '-kfast', '-x', '--maxfail=1', '-q -x'].map((options): [string, () => void, string, object] => [
    `a variable with ${options}`,
    () => {},
    'PYTEST_ADDOPTS',
    { PYTEST_ADDOPTS: options },
  ]),
])('%s is found, shown by a command, and put back', (_, tamper, declared, env = {}) => {
  tamper();
  const found = tampering(env);
  expect(found).toMatchObject([{ declared }]);
  expect(bash(found[0]!.command, env).exitCode).toBe(1);
  const restore = restorationOf(repository(), declared);
  // Of a test no survey has the text.
  if (declared === 'tests/test_acorn.py') return expect(restore).toBeNull();
  expect(bash(`${restore} && { [ ! -e ${folder}/${declared} ] || ( ${found[0]!.command} ); }`, env).exitCode).toBe(0);
});

test('sources that a set-up mended are no tampering, and stand beside tests that it changed', () => {
  write('acorn/__init__.py', 'VALUE = open("a", "U")\n');
  write('setup.py', 'from setuptools import setup\n');
  const given = repositoriesOf({
    ...sampleCase({
      ...SOURCES,
      'acorn/__init__.py': 'VALUE = open("a", "U")\n',
      'acorn/_version.py': 'version = "1"\n',
    }),
    workdir: folder,
  })[0]!;
  const looked = () => bash(lookForTampering(given));
  write('acorn/__init__.py', 'VALUE = open("a")\n');
  write('acorn/_version.py', 'version = "1.dev0"\n');
  expect(looked().output).toContain('changed\tsource\tacorn/__init__.py');
  expect(looked().output).not.toContain('_version');
  expect(readTampering(given, looked())).toEqual([]);
  write('tests/test_acorn.py', 'def test_it(): return\n');
  const [found] = readTampering(given, looked());
  expect(found!.claim).toMatch(/tests\/test_acorn\.py.*acorn\/__init__\.py/);
  expect(bash(found!.command)).toMatchObject({ exitCode: 1, output: expect.stringContaining('tests/test_acorn.py') });
});

test('the list of what is compared stays short enough for a shell', () => {
  const many = Object.fromEntries(
    Array.from({ length: 4000 }, (_, n) => [`tests/some/rather/long/folder/name/test_number_${n}.py`, `n = ${n}\n`]),
  );
  const given = repositoriesOf({ ...sampleCase(many), workdir: folder })[0]!;
  expect(lookForTampering(given).length).toBeLessThan(128 * 1024);
});

test('a skip that a command wrote into a test is found; looking at the test is not writing to it', () => {
  const path = join(folder, 'tests/test_acorn.py');
  const commands = [`sed -i '1i import pytest; pytestmark = pytest.mark.skip' tests/test_acorn.py`];
  expect(editedTests(repository(), ['cat tests/test_acorn.py', 'pytest tests/test_acorn.py -q'])).toEqual([]);
  const [found] = editedTests(repository(), commands);
  expect(bash(found!.command).exitCode).toBe(0);
  writeFileSync(path, 'import pytest; pytestmark = pytest.mark.skip\n');
  expect(bash(found!.command).exitCode).toBe(1);
});
