import { workflowInfo } from '@temporalio/workflow';
import type { RolloutState } from './rollout-state';

/**
 * Markdown for the Temporal UI's "Current Details". Turns are a code block, because the UI sets tables without space
 * between columns and turns `--` into a dash.
 */
export function details(state: RolloutState, note?: string): string {
  const { spent, draw, phase } = state;
  const reason = note?.replace(/^(paused|parked: )/, '');
  const turns = state.recent
    .slice(-8)
    .map(
      ({ turn, author, action, exitCode }) =>
        `${String(turn).padStart(4)}  ${author.padEnd(7)}  ${String(exitCode ?? '-').padStart(4)}  ${short(action)}`,
    );
  return [
    `**${state.problemId}** — ${phase}${reason ? `: ${reason}` : ''}`,
    ...(WAITING[phase] ? ['', WAITING[phase]] : []),
    '',
    `Turn ${spent.steps} of at most ${state.limits.steps}; switch index k = ${draw.studentTurns ?? 'per turn'}${state.expertFrom ? `, expert since turn ${state.expertFrom}` : ''}${draw.forcedAt ? ' (handed over by a person)' : ''}.`,
    '',
    `$${spent.costUsd.toFixed(4)}, ${spent.tokens} tokens, ${state.formatRetries} malformed ${state.formatRetries === 1 ? 'reply' : 'replies'} sent back.`,
    '',
    ...(turns.length > 0 ? ['```', 'turn  author   exit  action', ...turns, '```', ''] : []),
    ...(state.lease && phase !== 'Done' ? [`Container \`${state.lease.container}\`.`, ''] : []),
    `Every turn in full: \`pointsman rollout show ${workflowInfo().workflowId}\`, also by the head of its chain, \`${state.head}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function short(action: string): string {
  return action.length > 52 ? `${action.slice(0, 51)}…` : action;
}

/** What a person who finds the run waiting can do. */
const WAITING: Readonly<Record<string, string>> = {
  Paused: 'The update `resume` goes on; `abandon` ends it and keeps its work.',
  Parked: 'Mend it, then send the update `resume`; `abandon` ends the run and keeps its work.',
};
