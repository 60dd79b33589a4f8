import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Documents } from '../documents';
import { entryName, nameOfEntry } from '../entry-name';

/** A file a text, in a folder. `end` is what stands behind the name: `.json`, or a file in a folder of that name. */
export class FileDocuments implements Documents {
  constructor(
    private readonly folder: string,
    private readonly end: string,
  ) {}

  async get(name: string): Promise<string | undefined> {
    return readFile(this.addressOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
  }

  /** For this account alone: some of them are keys. */
  async put(name: string, text: string): Promise<void> {
    const file = this.addressOf(name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, file);
  }

  async remove(name: string): Promise<void> {
    await rm(this.addressOf(name), { force: true });
  }

  async names(): Promise<string[]> {
    const entries = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    const end = this.end.startsWith('/') ? '' : this.end;
    return entries
      .filter((entry) => entry.endsWith(end))
      .map((entry) => nameOfEntry(entry.slice(0, entry.length - end.length)));
  }

  addressOf(name: string): string {
    return join(this.folder, `${entryName(name)}${this.end}`);
  }
}
