import { workflowInfo } from '@temporalio/workflow';
import type { Settled } from '../../activities/evaluation';
import type { EvaluationInput, EvaluationProgress, EvaluationResult } from '../../contract';

export interface ShownEvaluation {
  readonly input: EvaluationInput;
  readonly progress: EvaluationProgress;
  /** The last outcomes. */
  readonly recent: readonly Settled[];
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
  readonly result?: EvaluationResult;
}

/** Markdown for the Temporal UI's "Current Details". */
export function evaluationDetails({ input, progress, recent, waiting, result }: ShownEvaluation): string {
  const { phase, candidates, toRepair, done, passed, inFlight, cost } = progress;
  const share = result?.passAtK.map(({ k, estimate }) => `PASS@${k} ${percent(estimate.value)}`).join(', ');
  return [
    `**${input.solver}** — ${result ? `${result.status}: ${share}` : (waiting ?? phase)}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${done} candidates done, ${passed} of them passed; ${candidates} first answers are asked for` +
      `${toRepair === null ? '' : `, then ${toRepair} problems are repaired`}. ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(recent.length > 0 ? ['```', ...recent.map(line), '```', ''] : []),
    `In full: \`pointsman evaluation show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function line({ verdict, problem }: Settled): string {
  return `${verdict.replaceAll('_', ' ').padEnd(11)} ${problem.length > 60 ? `…${problem.slice(-59)}` : problem}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
