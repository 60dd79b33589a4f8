import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ChatAnswer } from './answer';

/** One call of one run. `attempt` counts the format retries of a turn, not Temporal's attempts at the activity. */
export interface CallKey {
  readonly run: string;
  readonly turn: number;
  readonly attempt: number;
}

const Entry = z.strictObject({
  key: z.strictObject({ run: z.string(), turn: z.int(), attempt: z.int() }),
  requestHash: z.string(),
  answer: ChatAnswer,
  recordedAt: z.string(),
});

/**
 * Answered model calls, a file each, so that a retried activity finds the answer that was already paid for.
 *
 * An answer appears under its name complete or not at all: it is written to a temporary file and linked. The
 * first writer wins, so an attempt that Temporal gave up on and that answers late cannot change what its successor
 * already used. A file that cannot be read (a disk's fault, not ours) counts as absent: that costs one call made again,
 * while an error would stop the run for good.
 */
export class Ledger {
  constructor(
    private readonly directory: string,
    /** Wait for the disk on each answer: survives a power cut, not only a killed process. Costs a few ms a call. */
    private readonly options: { readonly fsync?: boolean } = {},
  ) {}

  /** The answer of this call, if one is stored and it answers the same question. */
  async answered(key: CallKey, requestHash: string): Promise<ChatAnswer | undefined> {
    const text = await readFile(this.fileOf(key), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const entry = text === undefined ? undefined : entryOf(text);
    return entry?.requestHash === requestHash ? entry.answer : undefined;
  }

  /** Stores an answer and returns the one that stands: an earlier one to the same question stays. Safe to repeat. */
  async record(key: CallKey, requestHash: string, answer: ChatAnswer): Promise<ChatAnswer> {
    const file = this.fileOf(key);
    await mkdir(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.tmp`;
    const entry: z.infer<typeof Entry> = { key, requestHash, answer, recordedAt: new Date().toISOString() };
    try {
      await writeNew(temporary, JSON.stringify(entry), this.options.fsync ?? false);
      if (await linked(temporary, file)) return answer;
      const standing = await this.answered(key, requestHash);
      if (standing) return standing;
      await rename(temporary, file);
      return answer;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  private fileOf({ run, turn, attempt }: CallKey): string {
    const name = createHash('sha256')
      .update(JSON.stringify([run, turn, attempt]))
      .digest('hex');
    return path.join(this.directory, name.slice(0, 2), `${name}.json`);
  }
}

function entryOf(text: string): z.infer<typeof Entry> | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function writeNew(file: string, text: string, fsync: boolean): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    if (fsync) await handle.sync();
  } finally {
    await handle.close();
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch {
    // The name is taken, or the file system has no hard links: the caller looks which, and renames.
    return false;
  }
}
