import { surveyOf } from '../../../src/setup/repository/markers';
import { atProjectRoot, projectRoot } from '../../../src/setup/repository/project-root';

const surveyAs = (files: Readonly<Record<string, string>>) => surveyOf(Object.entries(files));

test.each([
  ['the root, whatever lies below', '', { 'setup.py': '', 'client/setup.py': '', 'client/a.py': '' }],
  ['the root, where programs lie there', '', { 'main.py': '', 'client/setup.py': '', 'client/a.py': '' }],
  ['the root, where requirements lie there', '', { 'requirements.txt': '', 'app/a.py': '', 'ui/package.json': '' }],
  ['the root, where a setup.cfg lies there', '', { 'setup.cfg': '', 'src/a/b.py': '', 'ui/package.json': '' }],
  ['the root, where a Pipfile lies there', '', { Pipfile: '', 'app/a.py': '', 'ui/package.json': '', 'ui/a.js': '' }],
  ['the root, where nothing is built', '', { 'README.md': '', 'a/b.txt': '' }],
  ['the one folder with a manifest', 'expat', { 'README.md': '', 'expat/CMakeLists.txt': '', 'expat/lib/a.c': '' }],
  ['two folders down', 'src/python', { 'README.md': '', 'src/python/setup.py': '', 'src/python/a.py': '' }],
  ['the outermost one', 'java', { 'java/pom.xml': '', 'java/core/pom.xml': '', 'java/core/src/main/java/A.java': '' }],
  ['nobody says which of two', '', { 'a/setup.py': '', 'a/a.py': '', 'b/setup.py': '', 'b/b.py': '' }],
  [
    'the one that is no example, document or test',
    'core',
    {
      'core/Cargo.toml': '',
      'core/src/lib.rs': '',
      'examples/Cargo.toml': '',
      'docs/package.json': '',
      'tests/package.json': '',
      'third_party/x/CMakeLists.txt': '',
    },
  ],
  ['the root, where tests lie outside', '', { 'lib/setup.py': '', 'lib/a.py': '', 'tests/test_a.py': '' }],
  ['the root, because Go finds its modules', '', { 'lib/go.mod': '', 'lib/a.go': '' }],
])('the project lies in: %s', (_, folder, files) => {
  expect(projectRoot(surveyAs(files))).toBe(folder);
});

test('a survey from its folder: its own files, what speaks of the whole, and digests of all', () => {
  const given = {
    name: 'expat',
    workdir: '/repo',
    survey: surveyAs({
      '.github/workflows/a.yml': 'jobs',
      'debian/control': 'Source: expat',
      'README.md': 'outside',
      'run.sh': 'true',
      'expat/README.md': 'inside',
      'expat/configure.ac': 'AC_INIT',
      'expat/lib/a.c': 'int a;',
    }),
  };
  const { survey, ...own } = atProjectRoot(given);
  expect(own).toEqual({ name: 'expat', folder: 'expat', workdir: '/repo/expat' });
  expect(survey.paths).toEqual(['README.md', 'configure.ac', 'lib/a.c']);
  expect(survey.texts).toEqual({
    '.github/workflows/a.yml': 'jobs',
    'debian/control': 'Source: expat',
    'README.md': 'inside',
    '../README.md': 'outside',
    'configure.ac': 'AC_INIT',
  });
  expect(Object.keys(survey.digests!).sort()).toEqual(['../run.sh', 'lib/a.c']);
});
