import { workflowInfo } from '@temporalio/workflow';
import type { Ending } from '../../activities/campaign/endings';
import type { CampaignCarry, CampaignInput, CampaignProgress, CampaignResult, PlannedRollout } from '../../contract';
import { spend } from './gate';

export type BegunRollout = CampaignCarry['inFlight'][number];

/** A campaign of which nothing is begun. */
export function emptyState({ concurrency, startsPerMinute, budget }: CampaignInput): CampaignCarry {
  return {
    set: null,
    window: { next: 0, concurrency, paused: false },
    inFlight: [],
    pages: [],
    counts: { finished: 0, resolved: 0, failed: 0, cancelled: 0, skipped: 0 },
    cost: { usd: 0, tokens: 0 },
    today: { day: '', usd: 0 },
    resolvedOf: null,
    startsPerMinute: startsPerMinute ?? null,
    nextStart: 0,
    budget,
    total: { setAt: 0, spent: false },
  };
}

/** Counts a rollout that has ended, and what it cost. `now` is in milliseconds since the epoch. */
export function countIn(state: CampaignCarry, { startedAt }: BegunRollout, ending: Ending, now: number): void {
  const { counts, total } = state;
  counts[ending.outcome] += 1;
  counts.resolved += ending.resolved ? 1 : 0;
  if (ending.outcome !== 'skipped') spend(state, ending.cost, ending.endedAt, now);
  // One that was begun under a lower cap says nothing of this one.
  if (ending.status === 'budget_exhausted' && startedAt >= total.setAt) total.spent = true;
}

export function endedOf({ counts }: Pick<CampaignCarry, 'counts'>): number {
  const { finished, failed, cancelled, skipped } = counts;
  return finished + failed + cancelled + skipped;
}

/** What a cap on resolved rollouts counts by. */
export function pairOf({ method, instance }: Pick<PlannedRollout, 'method' | 'instance'>): string {
  return `${method} ${instance}`;
}

interface ShownCampaign {
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
