import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { EmbeddingLedger, PaidEmbedding } from '../ledger';

const Entry = z.strictObject({
  /** First execution's run id of the workflow that paid. */
  paidBy: z.string(),
  dimensions: z.int().min(1),
  tokens: z.int(),
  costUsd: z.number(),
  /** Float32, little-endian. */
  vectors: z.base64(),
});

/** A file a request. */
export class FileEmbeddingLedger implements EmbeddingLedger {
  constructor(private readonly directory: string) {}

  async found(request: string): Promise<PaidEmbedding | undefined> {
    const text = await readFile(this.fileOf(request), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? undefined : read(text);
  }

  async record(request: string, given: PaidEmbedding): Promise<PaidEmbedding> {
    const { vectors, ...about } = given;
    const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
    const file = this.fileOf(request);
    mkdirSync(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.tmp`;
    writeFileSync(temporary, JSON.stringify({ ...about, vectors: bytes.toString('base64') }), { mode: 0o600 });
    try {
      linkSync(temporary, file);
      return given;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await this.found(request)) ?? given;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  private fileOf(request: string): string {
    return path.join(this.directory, request.slice(0, 2), `${request}.json`);
  }
}

function read(text: string): PaidEmbedding | undefined {
  try {
    const entry = Entry.safeParse(JSON.parse(text)).data;
    if (!entry) return undefined;
    const bytes = Buffer.from(entry.vectors, 'base64');
    return {
      ...entry,
      vectors: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
    };
  } catch {
    return undefined;
  }
}
