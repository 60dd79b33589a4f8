import type { BlobStore } from '../store/blobs';
import type { SourceTree } from './tree';

/**
 * Keeps the files of a folder as blobs and their list as one more, whose digest names the folder: what was built from it
 * can be built again after it has changed, or where it is not. Safe to repeat: content-addressed.
 */
export async function keepFolder(blobs: BlobStore, tree: SourceTree): Promise<string> {
  const lines: string[] = [];
  for (const [path, { bytes, link, executable }] of tree) {
    const body = link === undefined ? await blobs.put(bytes) : await blobs.put(link);
    lines.push(`${path}\0${link === undefined ? '' : 'link'}${executable}\0${body.sha256}\n`);
  }
  return (await blobs.put(lines.join(''))).sha256;
}

/** The folder of that name as it was kept; undefined where this store has none. */
export async function keptFolder(blobs: BlobStore, sha256: string): Promise<SourceTree | undefined> {
  if (!(await blobs.has(sha256))) return undefined;
  const tree: SourceTree = new Map();
  for (const [, path, link, executable, body] of (await blobs.get(sha256)).toString('utf8').matchAll(LINE)) {
    const bytes = await blobs.get(body!);
    const kept = link ? { bytes: Buffer.alloc(0), link: bytes.toString('utf8') } : { bytes };
    tree.set(path!, { ...kept, executable: executable === 'true' });
  }
  return tree;
}

/** A name may hold anything but NUL, a line break too. */
const LINE = /([^\0]+)\0(link)?(true|false)\0([0-9a-f]{64})\n/g;
