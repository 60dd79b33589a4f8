import type { Rejected, Step } from '../../contract';
import { replyText } from '../../rollout/summary';
import type { ShownSetupStep } from '../shown-setup';
import { actionView, moveView } from './action-view';
import { clip, EMPTY } from './clip';
import type { RefusedView, TurnView } from './payload';

/** What lies beside a step of a rollout. */
export interface BesideStep {
  readonly hash: string;
  /** The observation as text, whole. */
  readonly observation: string;
  readonly durationMs: number | null;
  readonly redone: number;
  readonly trained: boolean;
  /** Tree id of the work directory after the step, null where it is not known. */
  readonly after: string | null;
}

/** A step of a rollout as a page shows it, each text cut to `limit` units. */
export function turnView({ turn, ...step }: Step, beside: BesideStep, limit: number): TurnView {
  const { observation, edit, workspace } = step;
  return {
    turn: turn.turn,
    who: turn.author,
    profile: turn.profile,
    model: turn.model,
    ...(turn.person === undefined ? {} : { person: turn.person }),
    ...(turn.agent === undefined ? {} : { agent: turn.agent }),
    reasoning: clip(turn.reasoning ?? '', limit),
    thought: clip(turn.thought, limit),
    action: actionView(turn.action, limit),
    observation: clip(beside.observation, limit, observation.text.sha256),
    bytes: observation.text.bytes,
    exitCode: observation.exitCode,
    timedOutAfter: observation.timedOutAfter,
    elidedBytes: observation.elidedBytes,
    trained: beside.trained,
    unfaithful: turn.unfaithful ?? false,
    lenient: (turn.lenient ?? []).map((kind) => kind.replaceAll('_', ' ')),
    refused: turn.rejected.map((rejected) => refusedView(rejected, limit)),
    usage: turn.usage,
    durationMs: beside.durationMs,
    redone: beside.redone,
    hash: beside.hash,
    edit: edit ?? null,
    // An edit changes the work directory as well: only without one is a change unseen.
    unseen: edit ? false : workspace === null || beside.after === null ? null : workspace !== beside.after,
    notes: [],
    undoes: [],
    undoneBy: null,
  };
}

/** The same of a step in a set-up, whoever's it is. */
export function setupTurnView(step: ShownSetupStep, limit: number): TurnView {
  const { turn, observation } = step;
  return {
    turn: turn.turn,
    who: turn.role,
    profile: turn.policy,
    model: turn.model,
    reasoning: EMPTY,
    thought: clip(String(turn.move.thought ?? ''), limit),
    action: moveView(turn.move, limit),
    observation: clip(step.output, limit, observation.text.sha256),
    bytes: observation.text.bytes,
    exitCode: observation.exitCode,
    timedOutAfter: observation.timedOutAfter,
    elidedBytes: observation.elidedBytes,
    trained: false,
    unfaithful: false,
    lenient: [],
    refused: turn.rejected.map((rejected) => refusedView(rejected, limit)),
    usage: turn.usage,
    durationMs: null,
    redone: 0,
    hash: step.hash,
    edit: null,
    unseen: false,
    notes: step.notes,
    undoes: step.undoes,
    undoneBy: step.undoneBy,
  };
}

/** A reply that could not be read, and what its author was told. */
export function refusedView({ reply, error, author }: Rejected, limit: number): RefusedView {
  return {
    author: author ?? null,
    code: error.code,
    reply: clip(replyText(reply), limit),
    told: clip(error.observation, limit),
  };
}
