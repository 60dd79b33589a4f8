import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '../src/home';
import { nameRoots, Roots } from '../src/roots';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'pointsman-roots-')));
const at = (...parts: string[]) => join(scratch, ...parts);
const roots = new Roots(at('home'), [at('open')]);
beforeAll(() => {
  for (const folder of ['home', 'open/inner', 'closed', 'opener', 'named/repository', 'named/beside']) {
    mkdirSync(at(folder), { recursive: true });
  }
  writeFileSync(at('closed', 'secret'), '');
  writeFileSync(at('open', 'file'), '');
  symlinkSync(at('closed'), at('open', 'link'));
  symlinkSync(at('open'), at('to-open'));
});
afterAll(() => rmSync(scratch, { recursive: true }));

test.each([
  ['home/problems/x/problem.json'],
  ['open'],
  ['open/file'],
  ['open/inner/not/there/yet'],
  ['to-open/file'],
  ['open/inner/../file'],
])('may be read: %s', (path) => {
  expect(roots.allowed(at(path), 'problem')).toBe(at(path));
});

test.each([
  ['closed'],
  ['closed/secret'],
  ['closed/not-there'],
  ['open/../closed/secret'],
  ['open/link/secret'],
  ['open/link/not-there'],
  ['opener/file'],
  [''],
  ['home/../closed/secret'],
])('may not be read, and nothing is said of what is there: %s', (path) => {
  expect(() => roots.allowed(at(path), 'problem')).toThrow(
    `problem: ${at(path)} is no path that a workflow may have read here`,
  );
});

test('the examples may be read, the rest of the checkout not', () => {
  const path = join(REPOSITORY, 'examples', 'setup-pypi.json');
  expect(roots.allowed(path, 'problem')).toBe(path);
  expect(() => roots.allowed(join(REPOSITORY, '.git', 'config'), 'problem')).toThrow('no path that');
});

test('what a command line was given is noted, and what lies below it', () => {
  const repository = at('named', 'repository');
  const allowed = (path: string) => {
    try {
      return roots.allowed(path, 'source') === path;
    } catch {
      return false;
    }
  };
  expect(allowed(repository)).toBe(false);
  nameRoots(at('home'), {
    repositories: [{ source: `dir:${repository}` }],
    statement: at('closed'),
    workdir: at('closed'),
    profile: { more: `dir:${at('gone')}` },
  });
  expect(allowed(repository)).toBe(true);
  expect(allowed(join(repository, 'src', 'a.py'))).toBe(true);
  expect(allowed(at('named', 'beside'))).toBe(false);
  expect(allowed(at('closed'))).toBe(false);
  expect(allowed(at('gone'))).toBe(false);

  const forms = {
    archive: `archive:${at('closed', 'secret')}#sha256=${'0'.repeat(64)}`,
    git: `git+file://${at('opener')}@v1`,
    problem: at('named', 'beside'),
  };
  nameRoots(at('home'), forms);
  for (const path of [at('closed', 'secret'), at('opener'), at('named', 'beside')]) expect(allowed(path)).toBe(true);
  expect(allowed(at('closed'))).toBe(false);
});
