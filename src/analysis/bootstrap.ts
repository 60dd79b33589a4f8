import type { Estimate } from '../contract';
import { countPairs, pairedDifference, wilson } from './paired';

/** Resamples behind each interval: the ends then move by less than half a percentage point with the seed. */
const RESAMPLES = 2_000;

/**
 * Mean of one value a problem with its 95 % percentile interval over resampled problems. `uniform` gives numbers in [0, 1).
 * Where all values are 0, or all are 1, resampling knows no spread and would claim certainty: Wilson's interval stands there
 * instead. Without a value: 0, from 0 to 1.
 */
export function meanOver(values: readonly number[], uniform: () => number): Estimate {
  const n = values.length;
  if (n === 0) return { value: 0, low: 0, high: 1, n };
  const value = mean(values);
  const [first] = values;
  if ((first === 0 || first === 1) && values.every((each) => each === first))
    return { value, ...wilson(first * n, n), n };
  return { value, ...percentiles(values, uniform), n };
}

/**
 * Second minus first, averaged over pairs, with the interval over resampled pairs. Pairs of which every value is 0 or 1 have
 * an interval in closed form that also holds where all agree. −1 to 1 without a pair.
 */
export function meanDifference(pairs: readonly (readonly [number, number])[], uniform: () => number): Estimate {
  const n = pairs.length;
  if (pairs.flat().every((value) => value === 0 || value === 1)) {
    const { difference, low, high } = pairedDifference(countPairs(pairs.map(([a, b]) => [a === 1, b === 1])));
    return { value: difference, low, high, n };
  }
  const differences = pairs.map(([first, second]) => second - first);
  return { value: mean(differences), ...percentiles(differences, uniform), n };
}

function percentiles(values: readonly number[], uniform: () => number): { low: number; high: number } {
  const n = values.length;
  const means = new Float64Array(RESAMPLES);
  for (let at = 0; at < RESAMPLES; at++) {
    let sum = 0;
    for (let drawn = 0; drawn < n; drawn++) sum += values[Math.floor(uniform() * n)]!;
    means[at] = sum / n;
  }
  means.sort();
  return { low: means[Math.floor(RESAMPLES * 0.025)]!, high: means[Math.ceil(RESAMPLES * 0.975) - 1]! };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
