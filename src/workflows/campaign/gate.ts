import type { CampaignBudget, CampaignCarry, SetCampaignBudget } from '../../contract';
import type { Hold } from '../durable/sliding-window';

type Spending = Pick<CampaignCarry, 'cost' | 'today' | 'budget' | 'total' | 'startsPerMinute' | 'nextStart'>;

const DAY_MS = 86_400_000;

/** Why no rollout may be begun now, by what was spent and by the rate. `now` is in milliseconds since the epoch. */
export function holdOf(spending: Spending, now: number): Hold | undefined {
  const { totalUsd, dailyUsd } = spending.budget;
  if (totalUsd !== undefined && (spending.total.spent || spending.cost.usd >= totalUsd))
    return { reason: `the budget of $${totalUsd} is used up`, final: true };
  if (dailyUsd !== undefined && spentToday(spending, now) >= dailyUsd) {
    const until = nextMidnight(now);
    return { reason: `today's $${dailyUsd} are used up; goes on at ${dayOf(until)} 00:00 UTC`, until };
  }
  if (spending.startsPerMinute !== null && now < spending.nextStart) return { until: spending.nextStart };
  return undefined;
}

/** Puts a rollout's cost on the account of the day on which it ended, which may be a day that is over. */
export function spend(spending: Spending, cost: { usd: number; tokens: number }, endedAt: number, now: number): void {
  spending.cost.usd += cost.usd;
  spending.cost.tokens += cost.tokens;
  spending.today = { day: dayOf(now), usd: spentToday(spending, now) + (dayOf(endedAt) === dayOf(now) ? cost.usd : 0) };
}

/** A rollout is begun: the next one waits its turn. */
export function paced(spending: Spending, now: number): void {
  if (spending.startsPerMinute !== null)
    spending.nextStart = Math.max(now, spending.nextStart) + 60_000 / spending.startsPerMinute;
}

/** The caps after a change: what is not named stays. */
export function changedBudget(budget: CampaignBudget, change: SetCampaignBudget): CampaignBudget {
  const totalUsd = change.totalUsd === undefined ? budget.totalUsd : change.totalUsd;
  const dailyUsd = change.dailyUsd === undefined ? budget.dailyUsd : change.dailyUsd;
  return { ...(totalUsd ? { totalUsd } : {}), ...(dailyUsd ? { dailyUsd } : {}) };
}

export function spentToday({ today }: Pick<Spending, 'today'>, now: number): number {
  return today.day === dayOf(now) ? today.usd : 0;
}

/** `2026-03-01`, in UTC. */
function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}

function nextMidnight(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
