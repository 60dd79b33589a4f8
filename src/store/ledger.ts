import { createHash } from 'node:crypto';
import type { ModelProfile } from '../contract';
import type { ChatAnswer, Embedded } from '../model';

/** One call of one run. `attempt` counts the format retries of a turn, not Temporal's attempts at the activity. */
export interface CallKey {
  readonly run: string;
  readonly turn: number;
  readonly attempt: number;
}

/**
 * Answered model calls, so that a retried activity finds what was already paid for. An answer is there complete or not at
 * all. The first writer wins, so an attempt that Temporal gave up on and that answers late cannot change what its successor
 * already used. An answer that cannot be read counts as absent: that costs one call made again, while an error would stop the
 * run for good.
 */
export interface Ledger {
  /** The answer of this call, if one is stored and it answers the same question. */
  answered(key: CallKey, requestHash: string): Promise<ChatAnswer | undefined>;
  /**
   * Stores an answer and returns the one that stands: an earlier one to the same question stays, one to another question (the
   * run was reset and went another way) is replaced. Safe to repeat.
   */
  record(key: CallKey, requestHash: string, answer: ChatAnswer): Promise<ChatAnswer>;
}

export interface PaidEmbedding extends Embedded {
  /** First execution's run id of the workflow that paid. */
  readonly paidBy: string;
}

/**
 * Embeddings that were paid for, by what was asked: neither a retried activity nor another analysis of the same trajectories
 * asks again. The first writer wins here too, and what cannot be read counts as absent.
 */
export interface EmbeddingLedger {
  /** `request` is of `embeddingRequest`. */
  found(request: string): Promise<PaidEmbedding | undefined>;
  /** Keeps vectors and returns those that stand. */
  record(request: string, given: PaidEmbedding): Promise<PaidEmbedding>;
}

/** Names what is asked: the same model with the same texts. */
export function embeddingRequest({ model, baseUrl, extraBody }: ModelProfile, texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify({ model, baseUrl, extraBody, texts })).digest('hex');
}
