import type { Author, DialectName, ExitStatus, RolloutRow, SampledTokens, Transcript, View } from '../contract';
import type { Prompts } from '../rollout/prompts';
import { type Conversation, renderConversation } from './conversation';
import { isUnproved, lossOf } from './losses';
import type { ModelCall } from './model-calls';
import { repetitionOf } from './repetition';
import { validityOf } from './validity';

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

export interface TrajectoryCall extends ModelCall {
  readonly tokens?: SampledTokens;
}

interface Trajectory {
  readonly transcript: Transcript;
  /** The view that `conversation` was rendered in. */
  readonly view: View;
  /** Of the steps, in their order. */
  readonly hashes: readonly string[];
  readonly prompts: Prompts;
  readonly status: ExitStatus;
  /** Steps that a fork took over from another run. */
  readonly copied: number;
  /** The answered calls with what could be read of their tokens; empty unless the format reads them. */
  readonly calls: readonly TrajectoryCall[];
  readonly cost: { readonly usd: number; readonly tokens: number };
  /** What a teacher said of the sequences that the trained calls make, in their order; undefined for those that it did not score. */
  readonly scores?: readonly (TeacherScore | undefined)[];
}

export interface TeacherScore {
  readonly model: string;
  /** Of the ids behind the first prompt. */
  readonly logprobs: readonly number[];
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
  /** Share of FAIL_TO_PASS that passed times that of PASS_TO_PASS; -1 where it is not valid. */
  readonly graded_reward: number;
  /**
   * Whether its end says something about its model: false after an outage, a lost environment, or a judge that could not
   * judge. Then `resolved` is no reward.
   */
  readonly valid: boolean;
  /** Why it is not valid; empty where it is. */
  readonly reason: string;
  /** The k-th pass over the instance, from 0; -1 for rows of no rollout. */
  readonly pass: number;
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

/** What rows are rendered with. */
interface Rendering {
  readonly view: View;
  readonly prompts: Prompts;
  /** Whose turns are trained, by method. */
  readonly train: Readonly<Record<string, readonly Author[]>>;
}

/** A rollout with what its chain holds. */
interface LoadedRollout {
  readonly rollout: RolloutRow;
  readonly transcript: Transcript;
  /** Of the steps, in their order. */
  readonly hashes: readonly string[];
  readonly patch: string;
  /** Its answered calls with their tokens, for formats that read them. */
  readonly calls?: readonly TrajectoryCall[];
}

/** The expert's turns, unless the input says otherwise of the method (OEC, section 3.2: masking). */
const EXPERT: readonly Author[] = ['expert'];

/** Without the turns that a review declared invalid, and all behind them. */
function withoutInvalid(loaded: LoadedRollout): LoadedRollout {
  const kept = (loaded.rollout.review?.invalidFrom ?? Number.POSITIVE_INFINITY) - 1;
  const { opening, steps } = loaded.transcript;
  if (kept >= steps.length) return loaded;
  return {
    ...loaded,
    transcript: { opening, steps: steps.slice(0, kept) },
    hashes: loaded.hashes.slice(0, kept),
    calls: loaded.calls?.filter(({ step }) => step !== null && step < kept),
  };
}

/** A rollout that has a result as a row in the student's format. */
export function rowOfRollout(loaded: LoadedRollout, rendering: Rendering): DatasetRow {
  const { rollout, transcript, hashes, patch, calls = [] } = withoutInvalid(loaded);
  const { id, instance, method, student, expert, licence } = rollout;
  const { status, resolved, handOver, head, grade, cost } = rollout.result!;
  const { valid, reason, graded } = validityOf(rollout);
  const train = rendering.train[method] ?? EXPERT;
  const conversation = renderConversation(transcript, { ...rendering, train, hashes });
  return {
    id,
    conversation,
    metadata: {
      instance_id: instance,
      rollout_id: id,
      method,
      switch: handOver.sampled ?? -1,
      expert_from: handOver.expertFrom ?? -1,
      student: student ?? '',
      expert: expert ?? '',
      resolved: resolved === true,
      graded: grade !== null,
      graded_reward: graded ?? -1,
      valid,
      reason,
      pass: rollout.pass,
      status,
      patch,
      head,
      dialect: rendering.view.dialect,
      licence: licence ?? '',
      train,
      flags: [...flagsOf(rollout, transcript, conversation.marks), ...(byPerson(transcript, train) ? [HUMAN] : [])],
    },
    trajectory: {
      transcript,
      hashes,
      view: rendering.view,
      prompts: rendering.prompts,
      status,
      copied: rollout.copiedSteps ?? 0,
      calls,
      cost,
    },
  };
}

/** Mark of rows in which a turn that is trained was made by a person. Who that was stays in the chain. */
export const HUMAN = 'human';

function byPerson({ steps }: Transcript, train: readonly Author[]): boolean {
  return steps.some(({ turn }) => turn.person !== undefined && train.includes(turn.author));
}

/**
 * What the paper's filters would have dropped it for, where one was taken off; `no_control` where no wrong expectation stands
 * behind its pass; a switch that nobody drew; and what its texts hold.
 */
function flagsOf(rollout: RolloutRow, { steps }: Transcript, marks: readonly string[]): string[] {
  const { grade, handOver } = rollout.result!;
  const reasons = [lossOf(rollout)?.reason, repetitionOf(steps)?.reason].filter((reason) => reason !== undefined);
  const unproved = grade?.resolved && isUnproved(grade) ? ['no_control'] : [];
  const switched = (handOver.reason ?? 'policy') === 'policy' ? [] : [`handed_over_${handOver.reason}`];
  return [...reasons, ...unproved, ...switched, ...marks];
}
