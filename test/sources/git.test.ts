import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_IMAGE } from '../../src/machine/image';
import { Roots } from '../../src/roots';
import { fetchSource } from '../../src/sources/fetch';
import { fetchInGuest } from '../../src/sources/guest';
import { FULL } from '../support/counts';
import { Fetcher, type Site, siteForContainers } from '../support/sources';

// Containers and packages: seconds on a quiet machine, minutes on a busy one.
jest.setTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'pointsman-git-'));
const fetcher = new Fetcher();
const others = new Fetcher();
const project = join(folder, 'project');
const source = (revision: string) => `git+file://${project}@${revision}`;
const ids: Record<string, string> = {};

function git(cwd: string, ...words: string[]): string {
  const settings = ['user.name=t', 'user.email=t@localhost', 'protocol.file.allow=always', 'commit.gpgsign=false'];
  return execFileSync('git', [...settings.flatMap((each) => ['-c', each]), ...words], { cwd, encoding: 'utf8' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

function repository(name: string, files: Record<string, string>): string {
  const at = join(folder, name);
  mkdirSync(at);
  git(at, 'init', '-q', '-b', 'main');
  for (const [path, text] of Object.entries(files)) write(join(at, path), text);
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', name);
  return at;
}

const POINTER = `version https://git-lfs.example/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 123456\n`;

beforeAll(() => {
  repository('inner', { 'deep.txt': 'deep\n' });
  const part = repository('part', { 'part.txt': 'first\n' });
  git(part, 'submodule', '-q', 'add', '../inner', 'inner');
  git(part, 'commit', '-qm', 'with inner');
  repository('project', {
    'src/a.py': 'a = 1\n',
    'data/model.bin': POINTER,
    'pyproject.toml': '[project]\nlicense = "MIT"\n',
  });
  write(join(project, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(project, 'run.sh'), 0o755);
  symlinkSync('src/a.py', join(project, 'link.py'));
  git(project, 'submodule', '-q', 'add', '../part', 'vendor/part');
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'all');
  git(project, 'tag', '-a', 'v1.2.0', '-m', 'release');
  git(project, 'tag', 'nightly');
  ids.tagged = git(project, 'rev-parse', 'HEAD');
  // The submodule goes on; the project's commit still names its old one.
  write(join(part, 'part.txt'), 'second\n');
  git(part, 'commit', '-qam', 'more');
  write(join(project, 'src/a.py'), 'a = 2\n');
  git(project, 'commit', '-qam', 'more');
  ids.head = git(project, 'rev-parse', 'HEAD');
  git(project, 'branch', 'feature/x', ids.tagged);
  // As a repository is after maintenance: every reference in one file, every object in one pack.
  git(project, 'gc', '-q');
});
afterAll(() => {
  fetcher.close();
  others.close();
  rmSync(folder, { recursive: true, force: true });
});

it('gives the tree of a tag with its submodules, its version and what is missing', async () => {
  const got = await fetcher.fetch(source('v1.2.0'));
  expect(Object.fromEntries([...got.tree].map(([path, file]) => [path, file.link ?? String(file.bytes)]))).toEqual({
    '.gitmodules': expect.stringContaining('vendor/part'),
    'data/model.bin': POINTER,
    'link.py': 'src/a.py',
    'pyproject.toml': expect.any(String),
    'run.sh': '#!/bin/sh\n',
    'src/a.py': 'a = 1\n',
    'vendor/part/.gitmodules': expect.any(String),
    'vendor/part/inner/deep.txt': 'deep\n',
    'vendor/part/part.txt': 'first\n',
  });
  expect(got.tree.get('run.sh')!.executable).toBe(true);
  expect(got.tree.get('src/a.py')!.executable).toBe(false);
  expect(got).toMatchObject({
    licence: 'MIT',
    resolved: { kind: 'git', name: `file://${project}`, revision: ids.tagged, version: '1.2.0' },
    released: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    notes: ['submodules in the tree: 2', '1 file is a Git LFS pointer, the contents were not fetched: data/model.bin'],
  });
});

it('keeps what it fetched: the same without a container, with everything that is known of it', async () => {
  const first = await fetcher.fetch(source('v1.2.0'));
  const { started } = fetcher.sandboxes;
  const again = await fetcher.fetch(source('v1.2.0'), first.sha256);
  expect(again).toEqual(first);
  expect(fetcher.sandboxes.started).toBe(started);
});

it('has one digest for one commit, wherever and by whatever name it is fetched', async () => {
  const digests = new Set<string>();
  for (const revision of ['feature/x', ids.tagged!.slice(0, 9), ...(FULL ? ['nightly', ids.tagged!] : [])]) {
    const { sha256, resolved } = await others.fetch(source(revision));
    expect(resolved.revision).toBe(ids.tagged);
    digests.add(sha256);
  }
  digests.add((await fetcher.fetch(source('v1.2.0'))).sha256);
  expect(digests.size).toBe(1);
});

it('pins a branch to the commit that it is at, and refuses another for a known digest', async () => {
  const before = await fetcher.fetch(source('main'));
  expect(before.resolved).toEqual({ kind: 'git', name: `file://${project}`, revision: ids.head });
  expect(before.notes).toContainEqual(expect.stringMatching(/^no tag with a version points at the commit/));
  expect(String(before.tree.get('src/a.py')!.bytes)).toBe('a = 2\n');
  write(join(project, 'src/a.py'), 'a = 3\n');
  git(project, 'commit', '-qam', 'moved');
  expect((await fetcher.fetch(source('main'), before.sha256)).resolved.revision).toBe(ids.head);
  await expect(others.fetch(source('main'), before.sha256)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(/sha256 is \w+, expected/),
  });
});

it.each([
  ['a revision that is not there', () => source('v9'), /no commit, tag or branch v9; the repository has: .*v1\.2\.0/],
  ['a commit that is not there', () => source('0'.repeat(40)), /no commit, tag or branch 0{40}/],
  ['a folder that is not there', () => `git+file://${folder}/gone@v1`, /no git repository on this host/],
  ['a folder that is no repository', () => `git+file://${project}/src@v1`, /no git repository on this host/],
])('refuses %s', async (_, name, message) => {
  await expect(fetcher.fetch(name())).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringMatching(message),
  });
});

describe('a repository of this host gives away what is its own, and no more', () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'pointsman-elsewhere-'));
  const fetchFrom = (name: string, roots: Roots) => {
    const owner = { workflowId: `test-sources-${process.pid}`, firstRunId: `own-${name}` };
    const deps = { sandboxes: fetcher.sandboxes, blobs: fetcher.blobs, roots };
    const source = `git+file://${join(folder, name)}@main`;
    return fetchSource(deps, owner, source, undefined, BASE_IMAGE, new AbortController().signal);
  };

  beforeAll(() => {
    mkdirSync(join(elsewhere, 'secret'));
    git(join(elsewhere, 'secret'), 'init', '-q', '-b', 'main');
    write(join(elsewhere, 'secret', 'key.txt'), 'secret\n');
    git(join(elsewhere, 'secret'), 'add', '-A');
    git(join(elsewhere, 'secret'), 'commit', '-qm', 'secret');
    const greedy = repository('greedy', { 'a.txt': 'a\n' });
    git(greedy, 'submodule', '-q', 'add', `file://${elsewhere}/secret`, 'secret');
    git(greedy, 'commit', '-qm', 'with what is not its own');
    const borrower = repository('borrower', { 'a.txt': 'a\n' });
    write(join(borrower, '.git/objects/info/alternates'), `${elsewhere}/secret/.git/objects\n`);
    symlinkSync(elsewhere, join(repository('linked', { 'a.txt': 'a\n' }), '.git/refs/elsewhere'));
    symlinkSync('/etc/hostname', join(repository('pointing', { 'a.txt': 'a\n' }), '.git/description-too'));
    const usual = repository('usual', { 'a.txt': 'a\n' });
    rmSync(join(usual, '.git/hooks'), { recursive: true, force: true });
    symlinkSync(elsewhere, join(usual, '.git/hooks'));
    symlinkSync('config', join(usual, '.git/config-too'));
    const parent = repository('parent', { 'a.txt': 'a\n' });
    git(parent, 'submodule', '-q', 'add', '../inner', 'inner');
    git(parent, 'commit', '-qm', 'with inner');
    symlinkSync(join(elsewhere, 'secret'), join(folder, 'disguised'));
    const sly = repository('sly', { 'a.txt': 'a\n' });
    git(sly, 'submodule', '-q', 'add', `file://${folder}/disguised`, 'inner');
    git(sly, 'commit', '-qm', 'by a link');
  });
  afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

  const both = () => new Roots('', [folder, elsewhere]);
  it.each([
    ['a submodule elsewhere', 'greedy', both, /its submodule \S+secret is not below/],
    [
      'the same, where its whole account may be read',
      'greedy',
      () => Roots.any,
      /its submodule \S+secret is not below/,
    ],
    ['a submodule elsewhere by a link', 'sly', both, /its submodule \S+disguised is not below/],
    ['a submodule beside what alone may be read', 'parent', () => new Roots('', [join(folder, 'parent')]), /inner/],
    ['objects of another', 'borrower', both, /it borrows objects of another repository/],
    ['a folder behind a link', 'linked', both, /refs\/elsewhere leads out of it/],
    ['a file behind a link', 'pointing', both, /description-too leads out of it/],
  ])('not %s', async (_, name, roots, message) => {
    await expect(fetchFrom(name, roots())).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(message),
    });
  });

  it('links of its own and to hooks are no harm, and submodules below the same root are read', async () => {
    expect([...(await fetchFrom('usual', both())).tree.keys()]).toEqual(['a.txt']);
    expect([...(await fetchFrom('parent', both())).tree.keys()]).toContain('inner/deep.txt');
  });
});

describe('a repository of a server', () => {
  let site: Site;
  let near: Fetcher;
  const remote = async (path: string, revision: string) =>
    fetchInGuest(near, {
      owner: { workflowId: `test-sources-${process.pid}`, firstRunId: 'remote' },
      base: BASE_IMAGE,
      network: 'bridge',
      script: 'git',
      args: [`${site.url}/${path}`, revision],
      source: path,
      signal: new AbortController().signal,
    });

  beforeAll(async () => {
    site = await siteForContainers((request, response) => {
      const path = join(folder, decodeURIComponent(request.url!.split('?')[0]!));
      const there = existsSync(path);
      response.writeHead(there ? 200 : 404).end(there ? readFileSync(path) : undefined);
    });
    near = new Fetcher(new URL(site.url).host);
    const spy = repository('spy', { 'a.txt': 'a\n' });
    git(spy, 'submodule', '-q', 'add', `file://${folder}/inner`, 'inner');
    git(spy, 'commit', '-qm', 'all');
    for (const name of ['inner', 'spy']) git(join(folder, name), 'update-server-info');
  });
  afterAll(async () => {
    near.close();
    await site.close();
  });

  it('that gives no single commits away is fetched whole', async () => {
    const id = git(join(folder, 'inner'), 'rev-parse', 'HEAD');
    expect(await remote('inner/.git', id.slice(0, 10))).toMatchObject({ facts: { revision: id } });
  });

  it('cannot make a worker give its own folders away', async () => {
    await expect(remote('spy/.git', 'main')).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(/transport 'file' not allowed/),
    });
  });

  it('that does not answer is not our mistake', async () => {
    await expect(remote('nothing/.git', 'main')).rejects.toMatchObject({ code: 'Unavailable' });
  });
});
