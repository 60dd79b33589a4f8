import { workflowInfo } from '@temporalio/workflow';
import type { FailureAnalysisCarry, FailureAnalysisInput, FailureAnalysisProgress } from '../../contract';

export interface ShownFailures {
  readonly input: FailureAnalysisInput;
  readonly progress: FailureAnalysisProgress;
  /** Verdicts so far. */
  readonly counts: FailureAnalysisCarry['counts'];
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
}

/** Markdown for the Temporal UI's "Current Details". */
export function failureDetails({ input, progress, counts, waiting }: ShownFailures): string {
  const { phase, unresolved, judged, inFlight, cost } = progress;
  const ordered = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return [
    `**Failures, judged by \`${input.judge}\`** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${judged} of ${unresolved} unresolved rollouts judged, ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(ordered.length > 0
      ? [
          '| category | rollouts |',
          '|---|---|',
          ...ordered.map(([name, n]) => `| ${name.replaceAll('_', ' ')} | ${n} |`),
          '',
        ]
      : []),
    `In full: \`pointsman failures show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}
