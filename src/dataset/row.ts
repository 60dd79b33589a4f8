import type { Author, DialectName, ExitStatus, Transcript, View } from '../contract';
import type { Conversation } from './conversation';

/** One row of a data set before it is written in any format. */
export interface DatasetRow {
  /** Unique in the data set: the rollout's workflow id, or the name that an extra source gives. */
  readonly id: string;
  /** In the view that is trained. */
  readonly conversation: Conversation;
  readonly metadata: RowMetadata;
  /** What the row was made of; null for rows that no rollout of ours made. */
  readonly trajectory: Trajectory | null;
}

export interface Trajectory {
  readonly transcript: Transcript;
  /** The view that `conversation` was rendered in. */
  readonly view: View;
  /** Of the steps, in their order. */
  readonly hashes: readonly string[];
  readonly status: ExitStatus;
  readonly cost: { readonly usd: number; readonly tokens: number };
}

/**
 * Where a row comes from, as files hold it. No value is ever null: loaders infer a column's type from the first rows, and
 * one that has seen only nulls refuses the text that comes later. What is not there is `''`, or -1 for a number.
 */
export interface RowMetadata {
  readonly instance_id: string;
  readonly rollout_id: string;
  readonly method: string;
  /** Student turns that were drawn (k); -1 where the policy has no single switch. */
  readonly switch: number;
  /** First turn that the expert made, from 1; -1 when it made none. */
  readonly expert_from: number;
  readonly student: string;
  readonly expert: string;
  readonly resolved: boolean;
  /** Whether a grade is behind `resolved`. */
  readonly graded: boolean;
  readonly status: string;
  readonly patch: string;
  /** Hash of the chain's last step. */
  readonly head: string;
  readonly dialect: DialectName | '';
  readonly licence: string;
  /** Whose turns are trained. */
  readonly train: readonly Author[];
  /** Marks of filters that were taken off and of texts: see `TextMark`. */
  readonly flags: readonly string[];
}
