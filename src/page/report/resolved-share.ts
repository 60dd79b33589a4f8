import { hashKey, uniformUnit } from '../../agent/random';
import { wilson } from '../../analysis/paired';
import type { RolloutRow } from '../../contract';

export interface Share {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly resolved: number;
  readonly n: number;
}

const RESAMPLES = 2_000;

/**
 * Share of the rollouts that ended by themselves whose tests pass. Its 95 % interval comes from resampling instances, because
 * rollouts of one instance are alike. Few instances make that too narrow, so it is never narrower than Wilson's.
 * Undefined without a rollout.
 */
export function resolvedShare(rows: readonly RolloutRow[]): Share | undefined {
  const byInstance = new Map<string, { resolved: number; n: number }>();
  for (const { instance, outcome, result } of rows) {
    if (outcome !== 'finished' || !result) continue;
    const tally = byInstance.get(instance) ?? { resolved: 0, n: 0 };
    byInstance.set(instance, { resolved: tally.resolved + (result.resolved ? 1 : 0), n: tally.n + 1 });
  }
  const clusters = [...byInstance].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tally]) => tally);
  const [resolved, n] = [sum(clusters.map((each) => each.resolved)), sum(clusters.map((each) => each.n))];
  if (n === 0) return undefined;
  const [drawn, single] = [percentiles(clusters), wilson(resolved, n)];
  const ends = { low: Math.min(drawn.low, single.low), high: Math.max(drawn.high, single.high) };
  return { value: resolved / n, resolved, n, ...ends };
}

function percentiles(clusters: readonly { resolved: number; n: number }[]): { low: number; high: number } {
  const stream = hashKey('report: instances');
  const shares = Array.from({ length: RESAMPLES }, () => {
    let [resolved, n] = [0, 0];
    for (let drawn = 0; drawn < clusters.length; drawn++) {
      const cluster = clusters[Math.floor(uniformUnit(stream) * clusters.length)]!;
      resolved += cluster.resolved;
      n += cluster.n;
    }
    return resolved / n;
  }).sort((a, b) => a - b);
  return { low: shares[Math.floor(RESAMPLES * 0.025)]!, high: shares[Math.ceil(RESAMPLES * 0.975) - 1]! };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
