import { workflowInfo } from '@temporalio/workflow';
import type { SetupVerdictResult } from '../../contract';
import type { Phase } from '../durable/phase';
import type { SetupState } from './state';

/** Markdown for the Temporal UI's "Current Details" of a set-up. */
export function describeSetup(state: SetupState, phase: Phase, frames: readonly string[], outcome?: string): string {
  const note = phase.reason ?? outcome;
  const steps = state.recent
    .slice(-10)
    .map(
      ({ turn, line, exitCode, undone }) =>
        `${String(turn).padStart(4)}  ${String(exitCode ?? '-').padStart(4)}  ${undone ? '(undone) ' : ''}${short(line)}`,
    );
  return [
    `**${state.source}** — ${phase.shown}${note ? `: ${note}` : ''}`,
    '',
    ...(state.failure ? [`In the way: \`${state.failure.signature.replaceAll('`', "'").slice(0, 200)}\``, ''] : []),
    `Turn ${state.turn}, ${frames.length} frames (${frames.map((label) => label.slice(0, 40)).join(' › ')}), $${state.purse.usd.toFixed(4)}.`,
    '',
    ...(steps.length > 0 ? ['```', 'turn  exit  action', ...steps, '```', ''] : []),
    `Every step in full: \`pointsman setup show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

export function describeVerdict({ verdict, charges, findings, detail }: SetupVerdictResult): string {
  const lines = charges.map(({ id, claim }) => {
    const found = findings.find(({ charge }) => charge === id);
    return `- ${found ? (found.upheld ? '**upheld**' : `dismissed (${found.ground})`) : 'no finding'}: ${claim.slice(0, 300)}`;
  });
  return [
    `**${verdict}**${detail ? ` — ${detail}` : ''}`,
    '',
    ...(lines.length > 0 ? lines : ['No charge was brought.']),
  ].join('\n');
}

function short(line: string): string {
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}
