/** The same cases under two conditions: how often which of the two passed. */
export interface PairedCounts {
  readonly both: number;
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly neither: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Standard normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;

export function countPairs(pairs: readonly (readonly [first: boolean, second: boolean])[]): PairedCounts {
  const of = (first: boolean, second: boolean) => pairs.filter(([a, b]) => a === first && b === second).length;
  return {
    both: of(true, true),
    onlyFirst: of(true, false),
    onlySecond: of(false, true),
    neither: of(false, false),
  };
}

/**
 * Two-sided exact McNemar test: the probability of discordant pairs at least as one-sided as these where neither side is
 * better. 1 without discordant pairs.
 */
export function mcnemarExact({ onlyFirst, onlySecond }: PairedCounts): number {
  const n = onlyFirst + onlySecond;
  let tail = 0;
  // Logarithm of one binomial term after the other: thousands of pairs would overflow a plain product.
  for (let k = 0, term = -n * Math.LN2; k <= Math.min(onlyFirst, onlySecond); k++) {
    tail += Math.exp(term);
    term += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/** Wilson's score interval of one proportion, 95 %. Everything (0 to 1) without a case. */
export function wilson(successes: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 1 };
  const p = successes / n;
  const centre = p + Z ** 2 / (2 * n);
  const spread = Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2));
  const scale = 1 + Z ** 2 / n;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/**
 * Second minus first proportion with its 95 % interval: square-and-add of the two Wilson intervals, less what their
 * correlation takes away (Newcombe 1998, Statistics in Medicine 17:2635, method 10). −1 to 1 without a pair.
 */
export function pairedDifference(counts: PairedCounts): Interval & { readonly difference: number } {
  const { both, onlyFirst, onlySecond, neither } = counts;
  const n = both + onlyFirst + onlySecond + neither;
  if (n === 0) return { difference: 0, low: -1, high: 1 };
  const [first, second] = [both + onlyFirst, both + onlySecond];
  const [p, q] = [first / n, second / n];
  const [one, other] = [wilson(first, n), wilson(second, n)];
  const phi = correlation(counts);
  const side = (a: number, b: number) => Math.sqrt(Math.max(0, a ** 2 - 2 * phi * a * b + b ** 2));
  return {
    difference: q - p,
    low: Math.max(-1, q - p - side(q - other.low, one.high - p)),
    high: Math.min(1, q - p + side(other.high - q, p - one.low)),
  };
}

/** Phi of the two answers, corrected for continuity where it is positive; 0 where one side never varies. */
function correlation({ both, onlyFirst, onlySecond, neither }: PairedCounts): number {
  const n = both + onlyFirst + onlySecond + neither;
  const margins = (both + onlyFirst) * (onlySecond + neither) * (both + onlySecond) * (onlyFirst + neither);
  if (margins === 0) return 0;
  const excess = both * neither - onlyFirst * onlySecond;
  return (excess > 0 ? Math.max(0, excess - n / 2) : excess) / Math.sqrt(margins);
}
