import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { FileBlobs } from '../../src/store/local/blobs';
import { keepTree, readFromTree, writeTree } from '../../src/store/trees';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-trees-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const blobs = new FileBlobs(join(folder, 'blobs'));
let made = 0;
const fresh = () => join(folder, `place-${made++}`);

function write(root: string, files: Readonly<Record<string, string | Buffer>>): string {
  mkdirSync(root, { recursive: true });
  for (const [path, body] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), body);
  }
  return root;
}

test('whatever a folder holds is elsewhere as it was, under the same digest', async () => {
  const name = fc.stringMatching(/^[a-c ä.]{1,3}$/).filter((each) => !/^\.{1,2}$/.test(each));
  const tree = fc.dictionary(name, fc.string(), { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(tree, tree, async (top, below) => {
      const root = write(fresh(), top);
      write(join(root, 'sub folder'), below);
      const to = fresh();
      const ref = await keepTree(blobs, root);
      await writeTree(blobs, ref, to);
      for (const [path, body] of Object.entries(top)) expect(readFileSync(join(to, path), 'utf8')).toBe(body);
      expect(readdirSync(to, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())).toHaveLength(
        Object.keys(top).length + Object.keys(below).length,
      );
      expect(await keepTree(blobs, to)).toEqual(ref);
    }),
    { numRuns: 20 },
  );
});

test('a large file goes in parts, a single file is a tree too, and one can be read alone', async () => {
  const large = Buffer.alloc(33 << 20, 'abcdefg');
  const root = write(fresh(), { 'large.bin': large, 'a/small.txt': 'small' });
  const ref = await keepTree(blobs, root);
  const to = fresh();
  await writeTree(blobs, ref, to);
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  expect(digest(readFileSync(join(to, 'large.bin')))).toBe(digest(large));
  expect((await readFromTree(blobs, ref, 'a/small.txt'))?.toString()).toBe('small');
  expect(await readFromTree(blobs, ref, 'a')).toBeUndefined();

  const single = fresh();
  await writeTree(blobs, await keepTree(blobs, join(root, 'a/small.txt')), single);
  expect(readFileSync(single, 'utf8')).toBe('small');
});

test('programs stay programs, what is left behind is, and links are kept or followed as is asked', async () => {
  const root = write(fresh(), { 'run.sh': '#!/bin/sh', '.git/HEAD': 'ref', 'real.txt': 'text' });
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('real.txt', join(root, 'link.txt'));
  const kept = await keepTree(blobs, root, { leave: ['.git'], links: true });
  const to = fresh();
  await expect(writeTree(blobs, kept, to)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining('no link'),
  });
  expect(existsSync(to)).toBe(false);
  await writeTree(blobs, kept, to, { links: true });
  expect(readdirSync(to).sort()).toEqual(['link.txt', 'real.txt', 'run.sh']);
  expect(lstatSync(join(to, 'run.sh')).mode & 0o100).toBe(0o100);
  expect(readlinkSync(join(to, 'link.txt'))).toBe('real.txt');
  const followed = fresh();
  await writeTree(blobs, await keepTree(blobs, root), followed);
  expect(lstatSync(join(followed, 'link.txt')).isFile()).toBe(true);
});

test.each(['../out', '/etc/out', 'a/../../out', 'a//b', '.', 'a/.'])(
  'no tree leads out of its place: %j',
  async (path) => {
    const body = await blobs.put('x');
    const tree = { kind: 'tree', entries: [{ path, parts: [body.sha256] }] };
    const ref = await blobs.put(JSON.stringify(tree));
    await expect(writeTree(blobs, ref, fresh())).rejects.toMatchObject({ code: 'InvalidInput' });
  },
);

test('nothing is written through a link, and what was begun is gone', async () => {
  const body = await blobs.put('x');
  const outside = write(fresh(), {});
  const entries = [
    { path: 'a', parts: [], link: outside },
    { path: 'a/b', parts: [body.sha256] },
  ];
  const ref = await blobs.put(JSON.stringify({ kind: 'tree', entries }));
  const to = fresh();
  await expect(writeTree(blobs, ref, to, { links: true })).rejects.toThrow();
  expect(readdirSync(outside)).toEqual([]);
  expect(existsSync(to)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.endsWith('.draft'))).toEqual([]);
});

test('many who write the same at once have it whole, and a missing part leaves nothing', async () => {
  const ref = await keepTree(blobs, write(fresh(), { a: 'a', 'b/c': 'c' }));
  const to = fresh();
  await Promise.all(Array.from({ length: 6 }, () => writeTree(blobs, ref, to)));
  expect(readFileSync(join(to, 'b/c'), 'utf8')).toBe('c');

  const missing = 'ab'.repeat(32);
  const broken = await blobs.put(JSON.stringify({ kind: 'tree', entries: [{ path: 'a', parts: [missing] }] }));
  const nowhere = fresh();
  await expect(writeTree(blobs, broken, nowhere)).rejects.toMatchObject({ code: 'NotFound' });
  expect(existsSync(nowhere)).toBe(false);
  const none = await blobs.put('no tree');
  await expect(writeTree(blobs, none, nowhere)).rejects.toMatchObject({ code: 'InvalidInput' });
});

test('a link is followed where what it leads to is to be kept, but not back up', async () => {
  const root = write(fresh(), { 'sub/a.txt': 'a' });
  symlinkSync('sub', join(root, 'twice'));
  const to = fresh();
  await writeTree(blobs, await keepTree(blobs, root), to);
  expect(readFileSync(join(to, 'twice/a.txt'), 'utf8')).toBe('a');
  symlinkSync('..', join(root, 'sub', 'up'));
  await expect(keepTree(blobs, root)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: expect.stringContaining(`sub/up leads back to ${root}`),
  });
  await keepTree(blobs, root, { links: true });
});
