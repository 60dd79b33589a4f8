import { isMarker, surveyOf } from '../../../src/setup/repository/markers';
import { MOST_CHARS, MOST_PATHS, textOf } from '../../../src/setup/repository/survey';

test.each([
  'pyproject.toml',
  'setup.cfg',
  'requirements.txt',
  'requirements-dev.txt',
  'test-requirements.txt',
  'requirements/test.txt',
  'tests/conftest.py',
  'package.json',
  'packages/core/package.json',
  'go.mod',
  'crates/a/Cargo.toml',
  'CMakeLists.txt',
  'tests/meson.build',
  'configure.ac',
  'Makefile',
  'pom.xml',
  'gradle/wrapper/gradle-wrapper.properties',
  'README.md',
  '.github/workflows/ci.yml',
  'debian/control',
])('%s says how a project is built', (path) => {
  expect(isMarker(path)).toBe(true);
});

test.each([
  'src/main.py',
  'node_modules/left/package.json',
  'vendor/github.com/x/go.mod',
  'a/b/c/d/e/setup.py',
  'testdata/pyproject.toml',
  'docs/readme.html',
  'package-lock.json',
])('%s does not', (path) => {
  expect(isMarker(path)).toBe(false);
});

test('a survey is sorted and bounded, and keeps the texts of markers only', () => {
  const many = Array.from(
    { length: MOST_PATHS + 5 },
    (_, at) => [`src/${String(at).padStart(6, '0')}.py`, 'x'] as const,
  );
  const survey = surveyOf([...many, ['setup.py', 's'.repeat(MOST_CHARS + 1)], ['README.md', null]]);
  expect(survey.paths).toHaveLength(MOST_PATHS);
  expect(survey.paths).toEqual([...survey.paths].sort());
  expect(Object.keys(survey.texts)).toEqual(['setup.py']);
  expect(survey.texts['setup.py']).toHaveLength(MOST_CHARS);
});

test.each([
  ['UTF-8', (text: string) => Buffer.from(text)],
  ['UTF-8 with its mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
  ['UTF-16 as PowerShell writes it', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['UTF-16 in the other order', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['UTF-16 in the other order, without a mark', (text: string) => Buffer.from(text, 'utf16le').swap16()],
])('a manifest in %s is read', (_, encoded) => {
  const text = 'requests==2.31.0\npytest\n';
  expect(surveyOf([['requirements.txt', textOf(encoded(text))]]).texts['requirements.txt']).toBe(text);
});

test('what a text is read from does not change the sum of code', () => {
  const bytes = Buffer.from('\uFEFFimport x\n');
  expect(surveyOf([['setup.py', textOf(bytes)]]).digests).toEqual(surveyOf([['setup.py', bytes.toString()]]).digests);
});
