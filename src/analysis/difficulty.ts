import type { RolloutRow } from '../contract';
import { validityOf } from '../dataset/validity';
import { wilson } from './paired';

/** How hard a problem is to those who tried it. */
export interface Difficulty {
  readonly instance: string;
  /** Rollouts that say something of it: no outage, no lost sandbox, a judge that could judge. */
  readonly runs: number;
  readonly resolved: number;
  /** 0 to 1; null without a run. */
  readonly rate: number | null;
  /** 95 %, Wilson. */
  readonly interval: readonly [low: number, high: number];
}

/** Of each problem in the rows, the hardest first, then by id. */
export function difficulties(rows: readonly RolloutRow[]): Difficulty[] {
  const rewards = new Map<string, number[]>();
  for (const row of rows) {
    const { reward } = validityOf(row);
    const known = rewards.get(row.instance) ?? [];
    rewards.set(row.instance, reward === null ? known : [...known, reward]);
  }
  return Array.from(rewards, ([instance, each]): Difficulty => {
    const resolved = each.reduce((sum, reward) => sum + reward, 0);
    const { low, high } = wilson(resolved, each.length);
    const rate = each.length === 0 ? null : resolved / each.length;
    return { instance, runs: each.length, resolved, rate, interval: [low, high] };
  }).sort((one, other) => (one.rate ?? 0) - (other.rate ?? 0) || (one.instance < other.instance ? -1 : 1));
}

/** Whether a pass rate lies there; what nobody tried does. */
export function isBetween(
  { rate, interval }: Pick<Difficulty, 'rate' | 'interval'>,
  [low, high]: readonly [number, number],
  by: 'rate' | 'interval',
): boolean {
  if (rate === null) return true;
  return by === 'rate' ? low <= rate && rate <= high : interval[0] <= high && low <= interval[1];
}
