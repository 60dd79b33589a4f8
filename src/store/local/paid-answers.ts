import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Scored } from '../../model';
import type { EmbeddingLedger, PaidAnswers, PaidEmbedding, ScoreLedger } from '../ledger';

/** How an answer lies in its file. */
interface Form<Answer> {
  readonly toJson: (answer: Answer) => unknown;
  /** Undefined for what is none. */
  readonly fromJson: (json: unknown) => Answer | undefined;
}

/** A file a request. */
class FileAnswers<Answer> implements PaidAnswers<Answer> {
  constructor(
    private readonly directory: string,
    private readonly form: Form<Answer>,
  ) {}

  async found(request: string): Promise<Answer | undefined> {
    const text = await readFile(this.fileOf(request), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    try {
      return text === undefined ? undefined : this.form.fromJson(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  async record(request: string, given: Answer): Promise<Answer> {
    const file = this.fileOf(request);
    mkdirSync(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.tmp`;
    writeFileSync(temporary, JSON.stringify(this.form.toJson(given)), { mode: 0o600 });
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

const Embedding = z.strictObject({
  /** First execution's run id of the workflow that paid. */
  paidBy: z.string(),
  dimensions: z.int().min(1),
  tokens: z.int(),
  costUsd: z.number(),
  /** Float32, little-endian. */
  vectors: z.base64(),
});

export function fileEmbeddings(directory: string): EmbeddingLedger {
  return new FileAnswers<PaidEmbedding>(directory, {
    toJson: ({ vectors, ...about }) => {
      const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
      return { ...about, vectors: bytes.toString('base64') };
    },
    fromJson: (json) => {
      const entry = Embedding.safeParse(json).data;
      if (!entry) return undefined;
      const bytes = Buffer.from(entry.vectors, 'base64');
      const vectors = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      return { ...entry, vectors };
    },
  });
}

const Score = z.strictObject({
  logprobs: z.array(z.number()),
  texts: z.array(z.string()),
  model: z.string(),
  tokens: z.int(),
  costUsd: z.number(),
});

export function fileScores(directory: string): ScoreLedger {
  return new FileAnswers<Scored>(directory, {
    toJson: (score) => score,
    fromJson: (json) => Score.safeParse(json).data,
  });
}
