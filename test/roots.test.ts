import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labelOfSource, projectOfSource } from '../src/contract';
import { REPOSITORY } from '../src/home';
import { nameRoots, Roots, type Sender, sendPaths } from '../src/roots';

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

describe('where hosts share a store', () => {
  const kept = (path: string) => `blob:${'ab'.repeat(32)}${path}`;
  const sender: Sender = {
    isEverywhere: (path) => path.startsWith(at('open')),
    problem: (name) => (name === 'known' ? at('named') : undefined),
    send: async () => ({ sha256: 'ab'.repeat(32) }),
  };
  const fleet = new Roots(at('home'), [at('open')], {
    folder: at('home/cache/inputs'),
    fetch: async ({ sha256, path }, links) => `${sha256.slice(0, 2)}${path} ${links}`,
  });

  test('what an input names is sent along, whatever the field, and nothing else is touched', async () => {
    const input = {
      problem: at('closed/secret'),
      problems: ['known', 'unknown', at('not-there'), at('open/file')],
      source: `dir:${at('closed')}`,
      parts: [{ from: `archive:${at('closed/secret')}#sha256=${'0'.repeat(64)}` }, 'pypi:six==1.17.0', 7, null],
      statement: at('closed/secret'),
      sources: [{ rollouts: at('closed/secret') }, { rollouts: { sha256: 'x' } }],
    };
    expect(await sendPaths(input, sender)).toEqual({
      ...input,
      problem: kept(at('closed/secret')),
      problems: [kept(at('named')), 'unknown', at('not-there'), at('open/file')],
      source: `dir:${kept(at('closed'))}`,
      parts: [{ from: `archive:${kept(at('closed/secret'))}#sha256=${'0'.repeat(64)}` }, 'pypi:six==1.17.0', 7, null],
      sources: [{ rollouts: kept(at('closed/secret')) }, { rollouts: { sha256: 'x' } }],
    });
    const repository = `git+file://${at('named/repository')}@main`;
    await expect(sendPaths({ source: repository }, sender)).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  test('what was sent is a source of the same project and label', () => {
    for (const kind of ['dir', 'archive'] as const) {
      const [here, sent] = [`${kind}:/home/me/lib-1.2.tar.gz`, `${kind}:${kept('/home/me/lib-1.2.tar.gz')}`];
      expect(projectOfSource(sent)).toBe(projectOfSource(here));
      expect(labelOfSource(sent)).toBe(labelOfSource(here));
    }
  });

  test('a worker has what was sent, what all hosts have, and no other path, the home and what was named neither', async () => {
    expect(await fleet.here(kept('/p/x'), 'problem')).toBe('ab/p/x false');
    expect(await fleet.here(kept('/p/x'), 'source', { links: true })).toBe('ab/p/x true');
    for (const path of [at('open/file'), at('home/cache/inputs/ab/x')]) expect(await fleet.here(path, 'p')).toBe(path);
    for (const path of [at('home/problems/x'), at('closed/secret'), 'blob:x/y']) {
      await expect(fleet.here(path, 'problem')).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining('is a path of one host'),
      });
    }
    await expect(roots.here(kept('/p/x'), 'problem')).rejects.toMatchObject({ code: 'InvalidInput' });
  });
});
