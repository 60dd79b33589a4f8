import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ChatAnswer } from '../../model';
import type { CallKey, Ledger } from '../ledger';

const Entry = z.strictObject({
  key: z.strictObject({ run: z.string(), turn: z.int(), attempt: z.int() }),
  requestHash: z.string(),
  answer: ChatAnswer,
  recordedAt: z.string(),
});

/** A folder a run and a file a call: written beside and linked, so that it appears complete or not at all. */
export class FileLedger implements Ledger {
  private readonly folders = new Set<string>();

  constructor(
    private readonly directory: string,
    /** Wait for the disk on each answer: survives a power cut, not only a killed process. Costs a few ms a call. */
    private readonly options: { readonly fsync?: boolean } = {},
  ) {}

  async answered(key: CallKey, requestHash: string): Promise<ChatAnswer | undefined> {
    const text = await readFile(this.fileOf(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const entry = text === undefined ? undefined : entryOf(text);
    return entry?.requestHash === requestHash ? entry.answer : undefined;
  }

  async record(key: CallKey, requestHash: string, answer: ChatAnswer): Promise<ChatAnswer> {
    const entry: z.infer<typeof Entry> = { key, requestHash, answer, recordedAt: new Date().toISOString() };
    const file = this.fileOf(key);
    this.makeFolder(path.dirname(file));
    const temporary = `${file}.${randomUUID()}.tmp`;
    this.write(temporary, JSON.stringify(entry));
    try {
      if (linked(temporary, file)) return answer;
      const standing = await this.answered(key, requestHash);
      if (standing) return standing;
      // An answer to another question (the run was reset and went another way), or one that a disk spoiled.
      renameSync(temporary, file);
      return answer;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** At once and not through the thread pool, because a call waits for it. */
  private write(file: string, body: string): void {
    const handle = openSync(file, 'wx', 0o600);
    try {
      writeSync(handle, body);
      if (this.options.fsync) fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }

  private makeFolder(folder: string): void {
    if (this.folders.has(folder)) return;
    mkdirSync(folder, { recursive: true });
    this.folders.add(folder);
  }

  private fileOf({ run, turn, attempt }: CallKey): string {
    const folder = createHash('sha256').update(run).digest('hex').slice(0, 32);
    return path.join(this.directory, folder, `${turn}-${attempt}.json`);
  }
}

function entryOf(text: string): z.infer<typeof Entry> | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    // The name is taken, or the file system has no hard links: the caller looks which, and renames.
    return false;
  }
}
