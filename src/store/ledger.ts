import { createHash } from 'node:crypto';
import type { ModelProfile } from '../contract';
import type { ChatAnswer, Embedded, GivenIds, Scored } from '../model';

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

/**
 * Answers that were paid for, by what was asked: neither a retried activity nor another run that asks the same asks again. The
 * first writer wins here too, and what cannot be read counts as absent.
 */
export interface PaidAnswers<Answer> {
  found(request: string): Promise<Answer | undefined>;
  /** Keeps an answer and returns the one that stands. */
  record(request: string, given: Answer): Promise<Answer>;
}

export interface PaidEmbedding extends Embedded {
  /** First execution's run id of the workflow that paid. */
  readonly paidBy: string;
}
/** Requests are of `embeddingRequest`. */
export type EmbeddingLedger = PaidAnswers<PaidEmbedding>;

/** Requests are of `scoreRequest`. */
export type ScoreLedger = PaidAnswers<Scored>;

/** Names what is asked: the same model with the same texts. */
export function embeddingRequest({ model, baseUrl, extraBody }: ModelProfile, texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify({ model, baseUrl, extraBody, texts })).digest('hex');
}

/** Names what is asked: the same model with the same ids. */
export function scoreRequest({ model, baseUrl, extraBody }: ModelProfile, { ids, from }: GivenIds): string {
  return createHash('sha256').update(JSON.stringify({ model, baseUrl, extraBody, ids, from })).digest('hex');
}
