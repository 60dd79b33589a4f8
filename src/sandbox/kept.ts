import { PassThrough } from 'node:stream';

/** Keeps the first and the last bytes of a stream of any length. */
export class Kept {
  readonly sink = new PassThrough();
  private readonly head: Buffer[] = [];
  private tail: Buffer[] = [];
  private headBytes = 0;
  private tailBytes = 0;
  private lost = 0;

  constructor(private readonly keepBytes = 64 << 20) {
    this.sink.on('data', (chunk: Buffer) => this.take(chunk));
  }

  bytes(): Buffer {
    const note = this.lost > 0 ? [Buffer.from(`\n[${this.lost} bytes left out]\n`)] : [];
    return Buffer.concat([...this.head, ...note, ...this.tail]);
  }

  private take(chunk: Buffer): void {
    const half = this.keepBytes / 2;
    const room = half - this.headBytes;
    if (room > 0) {
      this.head.push(chunk.subarray(0, room));
      this.headBytes += Math.min(room, chunk.length);
    }
    const rest = chunk.subarray(Math.max(room, 0));
    if (rest.length === 0) return;
    this.tail.push(rest);
    this.tailBytes += rest.length;
    while (this.tailBytes - this.tail[0]!.length >= half) {
      const gone = this.tail.shift()!;
      this.tailBytes -= gone.length;
      this.lost += gone.length;
    }
  }
}
