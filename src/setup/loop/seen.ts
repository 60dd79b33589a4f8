import type { SetupAction, SetupMoment, SetupStep, TrialRecord } from '../../contract';
import type { Seen, SeenAction } from '../roles/role';

/** Bodies by sha256, read before: this room reads nothing. */
export type Bodies = ReadonlyMap<string, string>;

/** A role's own moves with what each of them met, oldest first. */
export function seenMoves<Move>(steps: readonly SetupStep[], bodies: Bodies): Seen<Move>[] {
  return steps.map(({ turn, observation }) => ({
    // Validated when the turn was made.
    move: turn.move as Move,
    observed: {
      exitCode: observation.exitCode,
      output: bodies.get(observation.text.sha256) ?? '',
      timedOut: observation.timedOutAfter !== null,
    },
  }));
}

/** The agent's steps; those that a later rollback took back are marked. */
export function seenActions(steps: readonly SetupStep[], bodies: Bodies): SeenAction[] {
  const undone = new Set(steps.flatMap(({ undoes }) => undoes));
  return seenMoves<SetupAction>(steps, bodies).map((seen, at) => {
    const { turn, notes } = steps[at]!;
    return { ...seen, turn: turn.turn, undone: undone.has(turn.turn), notes };
  });
}

/**
 * The agent's steps as experience sees them. A trial is that of the unit that stands, and has the agent's own command only
 * where that is what ran: a rival may have overtaken it.
 */
export function momentsOf(seen: readonly SeenAction[], trials: readonly TrialRecord[]): SetupMoment[] {
  return seen.map(({ move, observed, turn, undone }) => {
    const stands = trials.find((trial) => trial.turn === turn && trial.kept)?.unit;
    const { exitCode, output } = observed;
    const moment = { turn, action: move.action, command: commandOf(move), exitCode, output, undone };
    if (move.action !== 'try_experience') return moment;
    const overtaken = stands !== undefined && stands !== move.unit;
    return { ...moment, unit: stands ?? move.unit, ...(overtaken ? { command: null } : {}) };
  });
}

function commandOf(move: SetupAction): string | null {
  if ('command' in move) return move.command ?? null;
  return move.action === 'set_env' ? `export ${move.key}=${move.value}` : null;
}
