import { createGunzip, inflateRawSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { isPointsmanError } from '../contract';
import { refused, type SourceTree, TreeBuilder } from './tree';

export type { SourceTree } from './tree';

/**
 * Reads a .tar, .tar.gz (.crate and npm's .tgz are such) or .zip into memory. The folder that distributions are wrapped
 * in is taken off. `notes` say what was left out: links that lead out of the tree, and names that are no text. Throws
 * `InvalidInput` for names that lead out of the tree, devices, damage, and more than 1 GiB.
 */
export async function readArchive(
  bytes: Buffer,
  source: string,
): Promise<{ readonly tree: SourceTree; readonly notes: readonly string[] }> {
  const into = new TreeBuilder(source);
  try {
    if (bytes.subarray(0, 2).toString('latin1') === 'PK') readZip(bytes, source, into);
    else await readTar(bytes, source, into);
  } catch (error) {
    throw isPointsmanError(error) ? error : refused(source, (error as Error).message);
  }
  const tree = into.finished();
  // What a guest script packed has no folder around it, and a repository may well hold one folder only.
  return { tree: factsIn(bytes) ? tree : unwrapped(tree), notes: into.notes };
}

/** What has to be taken off before `readArchive` can read it and Node.js cannot take off by itself. */
export function needsInflating(bytes: Buffer): boolean {
  return bytes.subarray(0, 3).toString('latin1') === 'BZh' || bytes.subarray(0, 6).toString('hex') === 'fd377a585a00';
}

/** Bytes of a tar's headers beside its entries' own, and of what was unpacked and not yet looked at. */
const HEADERS = 32 << 20;

async function readTar(bytes: Buffer, source: string, into: TreeBuilder): Promise<void> {
  const untar = extract();
  const gunzip = createGunzip({ chunkSize: 256 << 10 });
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    gunzip.on('error', (error) => untar.destroy(error));
    // Headers are as long as they say, and nobody counts them: a megabyte that is packed can hold one of a gigabyte.
    let inflated = 0;
    gunzip.on('data', (chunk: Buffer) => {
      inflated += chunk.length;
      if (inflated <= into.packedSize + HEADERS) return;
      gunzip.destroy();
      untar.destroy(refused(source, `its headers are longer than ${HEADERS >> 20} MiB`));
    });
    gunzip.pipe(untar);
    gunzip.end(bytes);
  } else untar.end(bytes);
  try {
    for await (const entry of untar) {
      const { name: path, type, linkname, mode, size = 0 } = entry.header;
      into.enter();
      // An entry has as many bytes as its header says, and none of them has come yet.
      into.count(size);
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
      if (type === 'file' || type === 'contiguous-file') {
        into.file(path, Buffer.concat(chunks), ((mode ?? 0) & 0o100) !== 0);
      } else if (type === 'symlink') into.link(path, linkname ?? '');
      else if (type === 'link') into.hardLink(path, linkname ?? '');
      else if (type !== 'directory') throw refused(source, `${path} is a ${type ?? 'special file'}`);
    }
  } finally {
    gunzip.destroy();
  }
}

/** Go wraps a module in `MODULE@VERSION/`, of several folders; others use one folder of any name. */
function unwrapped(tree: SourceTree): SourceTree {
  const [first] = tree.keys();
  const wrap = /^[^@]+@v[^/]+\//.exec(first!)?.[0] ?? first!.slice(0, first!.indexOf('/') + 1);
  if (wrap === '' || ![...tree.keys()].every((path) => path.startsWith(wrap))) return tree;
  return new Map([...tree].map(([path, file]) => [path.slice(wrap.length), file]));
}

/**
 * What a guest script wrote into the global header of a tar that it packed: the facts of a fetch that its bytes alone
 * would not tell. Undefined for archives of others.
 */
export function factsIn(tar: Buffer): Record<string, unknown> | undefined {
  if (tar.subarray(257, 262).toString('latin1') !== 'ustar' || tar[156] !== 0x67) return undefined;
  const size = Number.parseInt(tar.subarray(124, 135).toString('latin1'), 8);
  const comment = /^\d+ comment=pointsman (\{.*\})\n/.exec(tar.subarray(512, 512 + size).toString('utf8'))?.[1];
  try {
    return comment === undefined ? undefined : (JSON.parse(comment) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** Reads a zip by its central directory, which is what unzip programs believe. */
function readZip(bytes: Buffer, source: string, into: TreeBuilder): void {
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== 0x06054b50) end--;
  if (end < 0) throw refused(source, 'the zip file has no end');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const [method, packed, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
    ];
    const [nameBytes, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const mode = bytes.readUInt32LE(at + 38) >>> 16;
    const local = bytes.readUInt32LE(at + 42);
    const path = bytes.subarray(at + 46, at + 46 + nameBytes).toString('utf8');
    at += 46 + nameBytes + extra + comment;
    into.enter();
    if (path.endsWith('/')) continue;
    into.count(size);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + packed);
    // A directory that announces less than it packs is cut short by the inflater, and refused.
    const body = method === 0 ? Buffer.from(raw) : inflateRawSync(raw, { maxOutputLength: size + 1 });
    if (body.length !== size) throw refused(source, `${path} is not as long as the zip file announces`);
    if ((mode & 0o170000) === 0o120000) into.link(path, body.toString('utf8'));
    else into.file(path, body, (mode & 0o100) !== 0);
  }
}
