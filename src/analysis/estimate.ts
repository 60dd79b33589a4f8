/** What one earlier rollout took. */
export interface Taken {
  readonly usd: number;
  /** Seconds from its start to its end, waiting included. */
  readonly seconds: number;
}

export interface CostEstimate {
  readonly rollouts: number;
  /** Earlier rollouts that it is made of. */
  readonly from: number;
  /** In all. `low` to `high` holds 95 of 100 times, if they are like the earlier ones. */
  readonly usd: { readonly mean: number; readonly low: number; readonly high: number };
  /** With so many at once as asked for. */
  readonly hours: number;
}

/** Two-sided, 95 %. */
const Z = 1.96;

/**
 * What so many rollouts will take, from earlier ones: a prediction interval of their sum, normal, that counts both the spread of
 * the new ones and how little the old ones say of the mean. Null without any.
 */
export function estimateOf(earlier: readonly Taken[], rollouts: number, concurrency: number): CostEstimate | null {
  const from = earlier.length;
  if (from === 0) return null;
  const mean = earlier.reduce((sum, { usd }) => sum + usd, 0) / from;
  const variance = earlier.reduce((sum, { usd }) => sum + (usd - mean) ** 2, 0) / Math.max(1, from - 1);
  const half = Z * Math.sqrt(variance * (rollouts + rollouts ** 2 / from));
  const seconds = earlier.reduce((sum, each) => sum + each.seconds, 0) / from;
  const total = rollouts * mean;
  return {
    rollouts,
    from,
    usd: { mean: total, low: Math.max(0, total - half), high: total + half },
    hours: (seconds * Math.ceil(rollouts / concurrency)) / 3600,
  };
}
