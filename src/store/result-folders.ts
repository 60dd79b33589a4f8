import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { entryName } from './entry-name';

const DRAFT = /\.[0-9a-f]{8}\.draft(\.old)?$/;
const ABANDONED_MS = 3_600_000;

export type ResultRoom = 'datasets' | 'analyses' | 'reports';

export interface WrittenFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Folders of results in the home: each appears whole or not at all, and writing one again replaces it. */
export class ResultFolders {
  constructor(private readonly home: string) {}

  pathOf(room: ResultRoom, name: string): string {
    return join(this.home, room, entryName(name));
  }

  /** Where a run puts what it writes on the way: no name of a result begins with a point. */
  draftOf(room: ResultRoom, run: string): string {
    return join(this.home, room, '.drafts', entryName(run));
  }

  /** Lets `write` fill a new folder, then puts it in the place of the old one. What fails leaves the old one as it was. */
  async replace<T>(
    room: ResultRoom,
    name: string,
    write: (folder: string) => Promise<T>,
  ): Promise<{ folder: string; written: T; files: WrittenFile[] }> {
    const folder = this.pathOf(room, name);
    await sweep(folder);
    const draft = `${folder}.${randomBytes(4).toString('hex')}.draft`;
    await mkdir(draft, { recursive: true });
    try {
      const written = await write(draft);
      const files = await filesIn(draft);
      const old = `${draft}.old`;
      await rename(folder, old).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      await rename(draft, folder);
      await rm(old, { recursive: true, force: true });
      return { folder, written, files };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
}

/** Drafts of processes that were killed over them. A younger one may still be written to, by a try before this one. */
async function sweep(folder: string): Promise<void> {
  const parent = dirname(folder);
  const names = await readdir(parent).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(`${basename(folder)}.`) && DRAFT.test(each))) {
    const path = join(parent, name);
    const touched = await stat(path).catch(() => undefined);
    if (touched && Date.now() - touched.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

async function filesIn(folder: string): Promise<WrittenFile[]> {
  const names = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    names.sort().map(async (path) => {
      const stats = await stat(join(folder, path));
      return stats.isFile() ? [{ path, sha256: await digestOf(join(folder, path)), bytes: stats.size }] : [];
    }),
  );
  return found.flat();
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
