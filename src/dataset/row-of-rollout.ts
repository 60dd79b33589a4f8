import type { Prompts } from '../agent/prompts';
import type { Author, RolloutRow, Transcript, View } from '../contract';
import { renderConversation } from './conversation';
import { lossOf } from './losses';
import { repetitionOf } from './repetition';
import type { DatasetRow } from './row';

/** What rows are rendered with. */
export interface Rendering {
  readonly view: View;
  readonly prompts: Prompts;
  /** Whose turns are trained, by method. */
  readonly train: Readonly<Record<string, readonly Author[]>>;
}

/** A rollout with what its chain holds. */
export interface LoadedRollout {
  readonly rollout: RolloutRow;
  readonly transcript: Transcript;
  /** Of the steps, in their order. */
  readonly hashes: readonly string[];
  readonly patch: string;
}

/** The expert's turns, unless the input says otherwise of the method (OEC, section 3.2: masking). */
const EXPERT: readonly Author[] = ['expert'];

/** A rollout that has a result as a row in the student's format. */
export function rowOfRollout({ rollout, transcript, hashes, patch }: LoadedRollout, rendering: Rendering): DatasetRow {
  const { id, instance, method, student, expert, licence } = rollout;
  const { status, resolved, handOver, head, grade, cost } = rollout.result!;
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
      status,
      patch,
      head,
      dialect: rendering.view.dialect,
      licence: licence ?? '',
      train,
      flags: flagsOf(rollout, transcript, conversation.marks),
    },
    trajectory: { transcript, hashes, view: rendering.view, status, cost },
  };
}

/** What the paper's filters would have dropped it for, where one was taken off, and what its texts hold. */
function flagsOf(rollout: RolloutRow, { steps }: Transcript, marks: readonly string[]): string[] {
  const reasons = [lossOf(rollout)?.reason, repetitionOf(steps)?.reason].filter((reason) => reason !== undefined);
  return [...reasons, ...marks];
}
