import { goModules, inGoModules } from '../../../src/setup/repository/go-modules';
import { surveyOf } from '../../../src/setup/repository/markers';
import { factsOfFiles } from './sample';

const A = { 'a/go.mod': 'module host.invalid/a\n\ngo 1.21\n\nrequire host.invalid/b v0.0.0\n', 'a/a_test.go': '' };
const B = {
  'deep/b/go.mod': 'module host.invalid/b\n\ngo 1.23.1\n\nrequire other.invalid/c v1.2.3\n',
  'deep/b/b.go': '',
};
const ROOT = { 'go.mod': 'module host.invalid/root\n\ngo 1.20\n', 'root.go': '' };
const WORK = { 'go.work': 'go 1.22\n\nuse ./a // first\nuse (\n\t"./deep/b/"\n\t./gone\n)\n' };

test.each([
  ['none', { 'a.go': '' }, []],
  ['the root', ROOT, ['.']],
  ['the root, and what only lies below it', { ...ROOT, ...A }, ['.']],
  ['a workspace', { ...WORK, ...A, ...B }, ['a', 'deep/b']],
  ['a workspace that uses the root too', { ...ROOT, ...A, 'go.work': 'use .\nuse ./a\n' }, ['.', 'a']],
  ['a workspace of nothing that is there', { ...ROOT, ...WORK }, ['.']],
  ['only below the root', { ...A, ...B }, ['a', 'deep/b']],
  ['an example beside it', { ...A, 'examples/x/go.mod': '', 'vendor/y/go.mod': '' }, ['a']],
  ['nothing but examples', { 'examples/x/go.mod': '' }, ['examples/x']],
])('modules: %s', (_, files, expected) => {
  expect(goModules(surveyOf(Object.entries(files as Record<string, string>)))).toEqual(expected);
});

test('facts are those of all modules', () => {
  const facts = factsOfFiles({ ...WORK, ...A, ...B });
  expect(facts).toMatchObject({
    languages: ['go'],
    name: 'host.invalid/a',
    modules: ['host.invalid/a', 'host.invalid/b'],
    runtime: { go: '1.23.1' },
  });
  expect(facts.dependencies.map(({ name, declared }) => `${name} ${declared}`)).toEqual([
    'other.invalid/c deep/b/go.mod',
  ]);
});

test('a command in each module ends badly where one did, after all of them', () => {
  const survey = surveyOf(Object.entries({ ...A, ...B }));
  expect(inGoModules(survey, 'go test ./...')).toBe(
    '(ended=0; for module in a deep/b; do (cd "$module" && go test ./...) || ended=$?; done; exit $ended)',
  );
  expect(inGoModules(surveyOf(Object.entries(ROOT)), 'go test ./...')).toBe('go test ./...');
  expect(inGoModules(surveyOf([['a.go', '']]), 'go test ./...')).toBe('go test ./...');
});
