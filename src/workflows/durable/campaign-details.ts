import { workflowInfo } from '@temporalio/workflow';
import type { Ending } from '../../activities/campaign-endings';
import type { CampaignInput, CampaignProgress, CampaignResult } from '../../contract';

export interface ShownCampaign {
  readonly input: CampaignInput;
  readonly progress: CampaignProgress;
  /** The last that ended. */
  readonly recent: readonly Ending[];
  readonly result?: CampaignResult;
}

/** Rollouts in flight that are named; a page of hundreds is not read. */
const NAMED = 12;

/** Markdown for the Temporal UI's "Current Details". */
export function campaignDetails({ input, progress, recent, result }: ShownCampaign): string {
  const { phase, planned, begun, counts, inFlight, concurrency, startsPerMinute, cost, waiting } = progress;
  const { finished, resolved, failed, cancelled, skipped } = counts;
  const methods = input.methods.map(({ name }) => name).join(', ');
  const rate = startsPerMinute === null ? '' : `, at most ${startsPerMinute} a minute`;
  return [
    `**${methods}** — ${result ? result.status.replaceAll('_', ' ') : (waiting ?? phase)}`,
    ...(waiting ? ['', 'Updates: `resume`, `setBudget`, `setRate`, `setConcurrency`; `abandon` ends it.'] : []),
    '',
    `${begun} of ${planned} rollouts begun, ${inFlight.length} in flight of ${concurrency}${rate}.`,
    '',
    `${finished} finished, ${resolved} of them resolved; ${failed} failed, ${cancelled} cancelled, ${skipped} skipped.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens; $${progress.todayUsd.toFixed(4)} today${caps(progress)}.`,
    '',
    ...(recent.length > 0 ? ['```', ...recent.map(line), '```', ''] : []),
    ...inFlight.slice(0, NAMED).map(({ id }) => `- \`${id}\``),
    ...(inFlight.length > NAMED ? [`- and ${inFlight.length - NAMED} more`] : []),
    '',
    `In full: \`pointsman campaign show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

function caps({ budget }: CampaignProgress): string {
  const { totalUsd, dailyUsd } = budget;
  const said = [
    ...(totalUsd === undefined ? [] : [`$${totalUsd} in all`]),
    ...(dailyUsd === undefined ? [] : [`$${dailyUsd} a day`]),
  ];
  return said.length === 0 ? '' : ` (at most ${said.join(', ')})`;
}

/** The UI cuts long lines of a code block off without a sign. */
function line({ id, outcome, status, resolved }: Ending): string {
  const how = resolved === null ? (status ?? outcome) : resolved ? 'resolved' : 'unresolved';
  return `${how.replaceAll('_', ' ').padEnd(16)} ${id.length > 56 ? `…${id.slice(-55)}` : id}`;
}
