import { createHash } from 'node:crypto';
import type { DatasetInput, LossReason } from '../contract';
import type { ChatTokenizer } from './chat-tokenizer';
import type { Conversation } from './conversation';
import { repetitionOf } from './repetition';
import { type DatasetRow, HUMAN } from './row';
import { countOf } from './tokens';

interface JudgeOptions extends Pick<DatasetInput, 'filters' | 'maxTokens'> {
  /** Without it lengths are estimated. */
  readonly tokenizer?: ChatTokenizer;
}

/** What a row is by itself: a candidate, or lost for the first reason that applies. */
export function judge(row: DatasetRow, { filters, maxTokens, tokenizer }: JudgeOptions): Candidate | Lost {
  const { id, conversation, metadata, trajectory } = row;
  const about = { id, instance: metadata.instance_id, method: metadata.method };
  const lose = (reason: LossReason, detail: string): Lost => ({ ...about, reason, detail });

  const repetition = trajectory && repetitionOf(trajectory.transcript.steps, filters);
  if (repetition) return lose(repetition.reason, repetition.detail);
  const trained = conversation.turns.filter((turn) => turn.trained);
  if (trained.length === 0) return lose('nothing_trained', `no turn of ${metadata.train.join(' or ')} in it`);
  const human = metadata.flags.includes(HUMAN);
  if (filters.human === 'none' && human) return lose('human', 'a person made a turn that is trained');
  // Extra rows are mixed in as they are.
  if (filters.human === 'only' && !human && trajectory)
    return lose('not_human', 'a model made every turn that is trained');
  const unfaithful = trained.find((turn) => !turn.faithful);
  if (unfaithful) {
    return lose('unfaithful', `turn ${unfaithful.turn} would be read back as another action in ${metadata.dialect}`);
  }
  const tokens = countOf(conversation, tokenizer);
  if (tokens > maxTokens)
    return lose('too_long', `${tokens} tokens${tokenizer ? '' : ' (estimated)'}, at most ${maxTokens}`);
  return {
    ...about,
    extra: trajectory === null,
    content: trainedContent(conversation),
    tokens,
    turns: conversation.turns.length,
    trained: trained.map(({ turn }) => turn),
    ...(human ? { human } : {}),
  };
}

/**
 * Digest of what a model learns from a conversation: the prompt, and what assistants said with the mask over it. What
 * commands printed is left out, because the time that tests took makes no other row.
 */
export function trainedContent({ messages, turns }: Conversation): string {
  const masked = new Map(turns.map(({ message, trained }) => [message, trained]));
  const first = turns[0]?.message ?? messages.length;
  const hash = createHash('sha256');
  messages.forEach((message, i) => {
    if (i >= first && message.role !== 'assistant') return;
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []).map((call) => call.function) : [];
    hash.update(`${JSON.stringify([message.role, message.content, calls, masked.get(i) ?? false])}\n`);
  });
  return hash.digest('hex');
}

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
  /** A person made one of them. */
  readonly human?: true;
}

/** A row that is not in the data set, and what shows it. */
export interface Lost {
  readonly id: string;
  readonly instance: string;
  readonly method: string;
  readonly reason: LossReason;
  readonly detail: string;
}
