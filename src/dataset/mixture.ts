import type { Mixture } from '../contract';

/**
 * Rows that a mixture takes of each name. A ratio is as large as the scarcest allows: that one is used up, and the others
 * are within a row of their share. Counts are what was asked, or what there is.
 */
export function mixtureCounts(mixture: Mixture, available: ReadonlyMap<string, number>): Map<string, number> {
  const has = (name: string) => available.get(name) ?? 0;
  if ('counts' in mixture) {
    return new Map(Object.entries(mixture.counts).map(([name, asked]) => [name, Math.min(asked, has(name))]));
  }
  const shares = Object.entries(mixture.ratio);
  const unit = Math.min(...shares.map(([name, share]) => has(name) / share));
  // A hair more than the product, which may come out just below the whole number that it is.
  return new Map(shares.map(([name, share]) => [name, Math.min(has(name), Math.floor(unit * share * (1 + 1e-12)))]));
}

/** Names that a mixture asks for. */
export function mixtureNames(mixture: Mixture): string[] {
  return Object.keys('counts' in mixture ? mixture.counts : mixture.ratio);
}
