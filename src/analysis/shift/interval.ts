import type { Interval } from '../../contract';
import { type Stream, uniformBelow } from '../../rollout/random';

/** Figures of all pairs of replicates: student replicates down, expert replicates across. */
export interface PairMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

const RESAMPLES = 500;

/**
 * Mean over the matrices' means with its 95 % percentile interval. Pairs that share a replicate depend on each other, so
 * replicates are resampled on both sides and not pairs; where there are several matrices (one an instance) those are resampled
 * first. Null without a matrix.
 */
export function intervalOf(matrices: readonly PairMatrix[], stream: Stream): Interval | null {
  if (matrices.length === 0) return null;
  const once = (n: number) => new Float64Array(n).fill(1);
  const mean = average(matrices.map((each) => weighted(each, once(each.rows), once(each.columns))));
  const means = new Float64Array(RESAMPLES);
  for (let at = 0; at < RESAMPLES; at++) {
    let sum = 0;
    for (let drawn = 0; drawn < matrices.length; drawn++) {
      const matrix = matrices.length === 1 ? matrices[0]! : matrices[uniformBelow(stream, matrices.length)]!;
      sum += weighted(matrix, counts(matrix.rows, stream), counts(matrix.columns, stream));
    }
    means[at] = sum / matrices.length;
  }
  means.sort();
  return {
    mean,
    low: Math.min(mean, means[Math.floor(RESAMPLES * 0.025)]!),
    high: Math.max(mean, means[Math.ceil(RESAMPLES * 0.975) - 1]!),
  };
}

function counts(n: number, stream: Stream): Float64Array {
  const drawn = new Float64Array(n);
  for (let at = 0; at < n; at++) drawn[uniformBelow(stream, n)]! += 1;
  return drawn;
}

/** Mean of a matrix whose rows and columns count so many times. */
function weighted({ rows, columns, values }: PairMatrix, down: Float64Array, across: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    if (down[i] === 0) continue;
    let row = 0;
    for (let j = 0; j < columns; j++) row += values[i * columns + j]! * across[j]!;
    sum += row * down[i]!;
  }
  return sum / (rows * columns);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
