import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { PointsmanError, parseInput, type Ref } from '../contract';
import type { BlobStore } from './blobs';

/** A name within a folder that cannot lead out of it. Empty where the tree is a single file. */
const Inside = z
  .string()
  .refine((path) => path === '' || path.split('/').every((part) => !['', '.', '..'].includes(part)), 'a path inside');

const Entry = z.strictObject({
  path: Inside,
  /** Bodies one after the other: a large file is cut, so that none has to fit in memory. */
  parts: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  executable: z.literal(true).optional(),
  /** Where it leads: a link has no body. */
  link: z.string().optional(),
});
type Entry = z.infer<typeof Entry>;

const Tree = z.strictObject({ kind: z.literal('tree'), entries: z.array(Entry) });

const PART_BYTES = 32 << 20;
const FILES_AT_ONCE = 8;

export interface KeepOptions {
  /** Names of files and folders that are left behind, wherever they are. */
  readonly leave?: readonly string[];
  /** Links stay links; else what they lead to is kept in their place. */
  readonly links?: boolean;
}

/**
 * Keeps a file or all of a folder as blobs, and their list as one more, whose digest names all of it. The same files give the
 * same digest, so keeping it again is safe. Throws what the file system says of what cannot be read.
 */
export async function keepTree(blobs: BlobStore, root: string, options: KeepOptions = {}): Promise<Ref> {
  const paths = (await stat(root)).isFile() ? [''] : await pathsIn(root, options);
  const entries = await sideBySide(paths, (path) => keepEntry(blobs, join(root, path), path, options));
  return blobs.put(JSON.stringify({ kind: 'tree', entries } satisfies z.infer<typeof Tree>));
}

/**
 * Writes a tree that was kept, whole or not at all; one that is there already stays. Links are refused unless they are asked
 * for: what reads the files would follow them. Throws `NotFound` where a blob is missing, `InvalidInput` for what is no tree.
 */
export async function writeTree(
  blobs: BlobStore,
  { sha256 }: Pick<Ref, 'sha256'>,
  to: string,
  { links = false }: Pick<KeepOptions, 'links'> = {},
): Promise<void> {
  if (await isThere(to)) return;
  const { entries } = await treeOf(blobs, sha256, links ? Tree : WithoutLinks);
  const draft = `${to}.${randomBytes(6).toString('hex')}.draft`;
  try {
    await mkdir(entries[0]?.path === '' ? dirname(draft) : draft, { recursive: true });
    await sideBySide(
      entries.filter(({ link }) => link === undefined),
      (entry) => writeFileOf(blobs, entry, join(draft, entry.path)),
    );
    // Last: nothing is written through one.
    for (const { path, link } of entries) {
      if (link === undefined) continue;
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await symlink(link, join(draft, path));
    }
    await rename(draft, to).catch(async (error: unknown) => {
      // Somebody else was quicker with the same.
      if (!(await isThere(to))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** One file of a tree; undefined where it has none of that name. For what fits in memory. */
export async function readFromTree(
  blobs: BlobStore,
  { sha256 }: Pick<Ref, 'sha256'>,
  path: string,
): Promise<Buffer | undefined> {
  const { entries } = await treeOf(blobs, sha256, WithoutLinks);
  const found = entries.find((entry) => entry.path === path);
  return found && Buffer.concat(await Promise.all(found.parts.map((part) => blobs.get(part))));
}

async function treeOf(blobs: BlobStore, sha256: string, form: typeof Tree): Promise<z.infer<typeof Tree>> {
  return parseInput(form, jsonOrNull((await blobs.get(sha256)).toString('utf8')), `blob ${sha256}, a tree`);
}

const WithoutLinks = Tree.extend({
  entries: z.array(Entry.refine(({ link }) => link === undefined, 'no link: what is there must be in it')),
});

/** Files and links below a folder, sorted; empty folders are none. Throws `InvalidInput` for a link that leads back up. */
async function pathsIn(root: string, { leave = [], links = false }: KeepOptions): Promise<string[]> {
  const found: string[] = [];
  const visit = async (at: string, above: readonly string[]): Promise<void> => {
    const here = await realpath(join(root, at));
    if (above.includes(here)) {
      throw new PointsmanError(
        'InvalidInput',
        `${join(root, at)} leads back to ${here}, which it lies in`,
        'Take that link away: what it leads to would be kept without an end.',
      );
    }
    for (const name of await readdir(join(root, at))) {
      if (leave.includes(name)) continue;
      const path = at === '' ? name : `${at}/${name}`;
      const info = await (links ? lstat : stat)(join(root, path));
      if (info.isDirectory()) await visit(path, [...above, here]);
      else if (info.isFile() || info.isSymbolicLink()) found.push(path);
    }
  };
  await visit('', []);
  return found.sort();
}

async function keepEntry(blobs: BlobStore, from: string, path: string, { links }: KeepOptions): Promise<Entry> {
  if (links && (await lstat(from)).isSymbolicLink()) return { path, parts: [], link: await readlink(from) };
  const { size, mode } = await stat(from);
  const parts: string[] = [];
  const highWaterMark = Math.min(PART_BYTES, Math.max(1, size));
  for await (const part of createReadStream(from, { highWaterMark })) {
    parts.push((await blobs.put(part as Buffer)).sha256);
  }
  return { path, parts, ...((mode & 0o100) === 0 ? {} : { executable: true as const }) };
}

async function writeFileOf(blobs: BlobStore, { parts, executable }: Entry, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const file = await open(to, 'wx', executable ? 0o755 : 0o644);
  try {
    for (const part of parts) await file.appendFile(await blobs.get(part));
  } finally {
    await file.close();
  }
}

async function sideBySide<T, R>(all: readonly T[], each: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let from = 0; from < all.length; from += FILES_AT_ONCE) {
    done.push(...(await Promise.all(all.slice(from, from + FILES_AT_ONCE).map(each))));
  }
  return done;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
