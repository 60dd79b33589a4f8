import type { Ending } from '../../activities/campaign-endings';
import type { CampaignCarry, CampaignInput, PlannedRollout } from '../../contract';
import { spend } from './campaign-gate';

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
