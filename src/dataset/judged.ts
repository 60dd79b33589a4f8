import type { LossReason } from '../contract';

/** What selection needs of a row that its own filters let through; small, because all of them are held at once. */
export interface Candidate {
  readonly id: string;
  /** Empty for rows that name none. */
  readonly instance: string;
  /** Method, or the name of an extra source. */
  readonly method: string;
  /** Whether it was not made by a rollout of ours: such rows are mixed in as they are. */
  readonly extra: boolean;
  /** Digest of what a model learns from it; see `trainedContent`. */
  readonly content: string;
  readonly tokens: number;
  /** Assistant turns. */
  readonly turns: number;
  /** Those of them that are trained, by number. */
  readonly trained: readonly number[];
}

/** A row that is not in the data set, and what shows it. */
export interface Lost {
  readonly id: string;
  readonly instance: string;
  readonly method: string;
  readonly reason: LossReason;
  readonly detail: string;
}
