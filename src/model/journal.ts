import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 256 * 1024;

/**
 * A file of JSON lines that many processes of one host append to and read as it grows. A line is one `write` with
 * O_APPEND, which the kernel puts behind everything written before, so all readers see the same lines in the same order.
 * Every line starts with a line break too: half a line left by a killed writer spoils itself and not its successor.
 * Local file systems only: NFS does not append atomically.
 */
export class Journal {
  private readonly fd: number;
  private position = 0;

  constructor(file: string) {
    this.fd = openSync(file, 'a+', 0o600);
  }

  append(entry: unknown): void {
    const line = Buffer.from(`\n${JSON.stringify(entry)}\n`);
    const written = writeSync(this.fd, line);
    if (written !== line.length) throw new Error(`the disk took ${written} of ${line.length} bytes of the journal`);
  }

  /** The entries since the last call; lines that are not JSON objects are passed over. */
  *unread(): Generator<unknown> {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    let carried: Buffer = Buffer.alloc(0);
    for (let at = this.position; ; ) {
      const bytes = readSync(this.fd, buffer, 0, buffer.length, at);
      if (bytes === 0) return;
      at += bytes;
      const text = Buffer.concat([carried, buffer.subarray(0, bytes)]);
      const end = text.lastIndexOf(0x0a) + 1;
      carried = text.subarray(end);
      this.position = at - carried.length;
      for (const line of text.subarray(0, end).toString('utf8').split('\n')) {
        const entry = objectIn(line);
        if (entry !== undefined) yield entry;
      }
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

function objectIn(line: string): object | undefined {
  if (line === '') return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}
