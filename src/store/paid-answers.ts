import { z } from 'zod';
import type { Scored } from '../model';
import type { PaidEmbedding } from './ledger';

/** How an answer is kept as JSON. */
export interface AnswerForm<Answer> {
  readonly toJson: (answer: Answer) => unknown;
  /** Undefined for what is none. */
  readonly fromJson: (json: unknown) => Answer | undefined;
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

export const EMBEDDINGS: AnswerForm<PaidEmbedding> = {
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
};

const Score = z.strictObject({
  logprobs: z.array(z.number()),
  texts: z.array(z.string()),
  model: z.string(),
  tokens: z.int(),
  costUsd: z.number(),
});

export const SCORES: AnswerForm<Scored> = {
  toJson: (score) => score,
  fromJson: (json) => Score.safeParse(json).data,
};
