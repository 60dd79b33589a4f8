import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip, inflateRawSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { SwitchyardError } from '../contract';

/** One file of a source tree. `link` is a symbolic link's target. */
export interface SourceFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
  readonly link?: string;
}

/** A source tree by path, relative to its top. */
export type SourceTree = Map<string, SourceFile>;

const LIMIT = 1 << 30;

/**
 * Reads a .tar.gz, .tar or .zip into memory. The single folder that distributions are wrapped in is taken off. Names that
 * lead out of the tree, links out of it, devices and more than 1 GiB are refused with `InvalidInput`.
 */
export async function readArchive(bytes: Buffer, name: string): Promise<SourceTree> {
  const tree: SourceTree =
    bytes.subarray(0, 2).toString('latin1') === 'PK' ? readZip(bytes, name) : await readTar(bytes, name);
  if (tree.size === 0) throw refused(name, 'it holds no file');
  return unwrapped(tree);
}

async function readTar(bytes: Buffer, name: string): Promise<SourceTree> {
  const tree: SourceTree = new Map();
  const untar = extract();
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  let total = 0;
  if (zipped) {
    const gunzip = createGunzip();
    gunzip.on('error', (error) => untar.destroy(error));
    gunzip.pipe(untar);
    gunzip.end(bytes);
  } else untar.end(bytes);
  try {
    for await (const entry of untar) {
      const { name: path, type, linkname, mode } = entry.header;
      const chunks: Buffer[] = [];
      for await (const chunk of entry as AsyncIterable<Buffer>) {
        total += chunk.length;
        if (total > LIMIT) throw refused(name, 'it unpacks to more than 1 GiB');
        chunks.push(chunk);
      }
      const at = safePath(path, name);
      const executable = ((mode ?? 0) & 0o100) !== 0;
      if (type === 'file' || type === 'contiguous-file') tree.set(at, { bytes: Buffer.concat(chunks), executable });
      else if (type === 'symlink')
        tree.set(at, { bytes: Buffer.alloc(0), executable: false, link: safeLink(at, linkname ?? '', name) });
      else if (type === 'link') {
        const target = tree.get(safePath(linkname ?? '', name));
        if (!target) throw refused(name, `${path} is a hard link to nothing`);
        tree.set(at, target);
      } else if (type !== 'directory') {
        throw refused(name, `${path} is a ${type ?? 'special file'}`);
      }
    }
  } catch (error) {
    if (error instanceof SwitchyardError) throw error;
    throw refused(name, (error as Error).message);
  }
  return tree;
}

/** By the central directory, which is what unzip programs believe. */
function readZip(bytes: Buffer, name: string): SourceTree {
  const tree: SourceTree = new Map();
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== 0x06054b50) end--;
  if (end < 0) throw refused(name, 'the zip file has no end');
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  let total = 0;
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
    if (path.endsWith('/')) continue;
    total += size;
    if (total > LIMIT) throw refused(name, 'it unpacks to more than 1 GiB');
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + packed);
    const body = method === 0 ? Buffer.from(raw) : inflateRawSync(raw, { maxOutputLength: size + 1 });
    const to = safePath(path, name);
    if ((mode & 0o170000) === 0o120000) {
      tree.set(to, { bytes: Buffer.alloc(0), executable: false, link: safeLink(to, body.toString('utf8'), name) });
    } else tree.set(to, { bytes: body, executable: (mode & 0o100) !== 0 });
  }
  return tree;
}

/** A folder of this host, without version control and what Python left behind. */
export async function readFolder(folder: string): Promise<SourceTree> {
  const tree: SourceTree = new Map();
  const visit = async (at: string): Promise<void> => {
    for (const name of (await readdir(join(folder, at))).sort()) {
      if (['.git', '__pycache__', '.venv', '.pytest_cache', 'node_modules'].includes(name)) continue;
      const path = at === '' ? name : `${at}/${name}`;
      const info = await lstat(join(folder, path));
      if (info.isDirectory()) await visit(path);
      else if (info.isSymbolicLink()) {
        const link = safeLink(path, await readlink(join(folder, path)), folder);
        tree.set(path, { bytes: Buffer.alloc(0), executable: false, link });
      } else if (info.isFile()) {
        tree.set(path, { bytes: await readFile(join(folder, path)), executable: (info.mode & 0o100) !== 0 });
      }
    }
  };
  await visit('');
  if (tree.size === 0) throw refused(folder, 'it holds no file');
  return tree;
}

function unwrapped(tree: SourceTree): SourceTree {
  const tops = new Set([...tree.keys()].map((path) => path.split('/')[0]!));
  const wrapped = tops.size === 1 && [...tree.keys()].every((path) => path.includes('/'));
  return wrapped ? new Map([...tree].map(([path, file]) => [path.slice(path.indexOf('/') + 1), file])) : tree;
}

function safePath(path: string, archive: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const hostile =
    path.startsWith('/') ||
    path.includes('\0') ||
    path.includes('\\') ||
    parts.includes('..') ||
    parts.includes('.git');
  if (hostile) throw refused(archive, `it holds the path ${JSON.stringify(path)}`);
  return parts.join('/');
}

function safeLink(path: string, target: string, archive: string): string {
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    depth += part === '..' ? -1 : part === '' || part === '.' ? 0 : 1;
    if (depth < 0 || target.startsWith('/')) throw refused(archive, `the link ${path} leads out of it, to ${target}`);
  }
  return target;
}

function refused(archive: string, why: string): SwitchyardError {
  return new SwitchyardError(
    'InvalidInput',
    `source ${archive}: ${why}`,
    'Give a source archive (.tar.gz, .tar, .zip) as its project publishes it.',
  );
}
