import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PointsmanError, Ref } from '../contract';
import type { BlobStore } from './blobs';
import type { Documents } from './documents';
import { entryName, nameOfEntry } from './entry-name';
import { keepTree, readFromTree, writeTree } from './trees';

const DRAFT = /\.[0-9a-f]{8}\.draft(\.old)?$/;
const ABANDONED_MS = 3_600_000;

export type ResultRoom = 'datasets' | 'analyses' | 'reports';

export interface WrittenFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Where hosts share results: folders as blobs, and where each is among documents. */
interface Published {
  readonly blobs: BlobStore;
  readonly pointers: Documents;
}

/**
 * Folders of results in the home: each appears whole or not at all, and writing one again replaces it. Where hosts share
 * results, a folder is a list of blobs instead, from which any host makes it; so are its drafts.
 */
export class ResultFolders {
  constructor(
    private readonly home: string,
    private readonly published?: Published,
  ) {}

  pathOf(room: ResultRoom, name: string): string {
    return join(this.home, room, entryName(name));
  }

  /** The folder of a result as it was written last, on whatever host; undefined where there is none. */
  async find(room: ResultRoom, name: string): Promise<string | undefined> {
    const own = this.pathOf(room, name);
    if (!this.published) return existsSync(own) ? own : undefined;
    const ref = await this.pointer(keyOf(room, name));
    // Under its digest: what was fetched once is what it was.
    return ref && this.fetched(ref, join(this.home, 'cache', room, ref.sha256, entryName(name)));
  }

  /** Puts the folder of a result in a new place. Throws `NotFound` where there is none, `InvalidInput` where something is. */
  async copy(room: ResultRoom, name: string, to: string): Promise<void> {
    const from = await this.find(room, name);
    if (from === undefined) {
      throw new PointsmanError(
        'NotFound',
        `there is nothing under ${room}/${name}`,
        'It is there once its run has ended.',
      );
    }
    if (existsSync(to))
      throw new PointsmanError('InvalidInput', `${to} is there already`, 'Name a new folder with --to.');
    const draft = `${to}.${randomBytes(4).toString('hex')}.draft`;
    try {
      await cp(from, draft, { recursive: true });
      await rename(draft, to);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /** One file of a result, without the rest of it; undefined where there is none. */
  async read(room: ResultRoom, name: string, path: string): Promise<Buffer | undefined> {
    if (!this.published) {
      return readFile(join(this.pathOf(room, name), path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return undefined;
      });
    }
    const ref = await this.pointer(keyOf(room, name));
    return ref && readFromTree(this.published.blobs, ref, path);
  }

  /** Where a person finds it, whether or not it is there. */
  addressOf(room: ResultRoom, name: string): string {
    return this.published ? SHARED + keyOf(room, name) : this.pathOf(room, name);
  }

  /** Where this host has a folder that a result names: it may be that of another. Throws `NotFound` where nobody has it. */
  async here(folder: string): Promise<string> {
    if (!this.published || !folder.startsWith(SHARED)) return folder;
    const [room = '', entry = ''] = folder.slice(SHARED.length).split('/');
    const found = await this.find(room as ResultRoom, nameOfEntry(entry));
    if (found) return found;
    throw new PointsmanError('NotFound', `there is nothing at ${folder}`, 'It was removed, or is in another store.');
  }

  async names(room: ResultRoom): Promise<string[]> {
    if (this.published) {
      const names = await this.published.pointers.names();
      return names.filter((key) => key.startsWith(`${room}/`)).map((key) => nameOfEntry(key.slice(room.length + 1)));
    }
    const entries = await readdir(join(this.home, room)).catch(() => []);
    return entries.filter((entry) => !entry.startsWith('.') && !DRAFT.test(entry)).map(nameOfEntry);
  }

  /** Where a run puts what it writes on the way: no name of a result begins with a point. */
  draftOf(room: ResultRoom, run: string): string {
    return join(this.home, room, '.drafts', entryName(run));
  }

  /** Whoever goes on with a draft may be another host: it finds what was kept. Safe to repeat. */
  async keepDraft(room: ResultRoom, run: string, paths: readonly string[]): Promise<void> {
    if (!this.published) return;
    for (const path of paths) {
      const ref = await keepTree(this.published.blobs, join(this.draftOf(room, run), path));
      await this.published.pointers.put(draftName(room, run) + path, JSON.stringify(ref));
    }
  }

  /** Lets `use` work on a folder with these parts of a draft, from whatever host they are. */
  async withDraft<T>(
    room: ResultRoom,
    run: string,
    paths: readonly string[],
    use: (folder: string) => Promise<T>,
  ): Promise<T> {
    if (!this.published) return use(this.draftOf(room, run));
    const folder = `${this.draftOf(room, run)}.${randomBytes(4).toString('hex')}`;
    try {
      for (const path of paths) {
        const ref = await this.pointer(draftName(room, run) + path);
        // A folder's name ends in a slash.
        if (ref) await this.fetched(ref, resolve(folder, path));
      }
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes what a run wrote on the way. Safe to repeat. */
  async dropDraft(room: ResultRoom, run: string): Promise<void> {
    await rm(this.draftOf(room, run), { recursive: true, force: true });
    const names = (await this.published?.pointers.names()) ?? [];
    for (const name of names) if (name.startsWith(draftName(room, run))) await this.published?.pointers.remove(name);
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
      if (this.published) {
        const kept = await keepTree(this.published.blobs, draft);
        await this.published.pointers.put(keyOf(room, name), JSON.stringify(kept));
      } else await putInPlace(draft, folder);
      return { folder: this.addressOf(room, name), written, files };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  private async pointer(name: string): Promise<Ref | undefined> {
    const text = await this.published?.pointers.get(name);
    return text === undefined ? undefined : Ref.parse(JSON.parse(text));
  }

  private async fetched(ref: Ref, to: string): Promise<string> {
    if (this.published) await writeTree(this.published.blobs, ref, to);
    return to;
  }
}

/** In front of what stands for a folder in a result: which host has it, nobody needs to know. */
const SHARED = 'shared:';
const keyOf = (room: ResultRoom, name: string) => `${room}/${entryName(name)}`;
/** No result's name begins so: rooms are words. */
const draftName = (room: ResultRoom, run: string) => `.drafts/${room}/${run}/`;

async function putInPlace(draft: string, folder: string): Promise<void> {
  const old = `${draft}.old`;
  await rename(folder, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(draft, folder);
  await rm(old, { recursive: true, force: true });
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
