import { hashKey, uniformUnit } from '../agent/random';

/**
 * `items` in an order that the seed and their names alone decide, whatever order they came in. `what` tells one use of the
 * seed from another, so that a cap does not take the same rows as a mixture.
 */
export function shuffled<T>(items: readonly T[], nameOf: (item: T) => string, seed: number, what: string): T[] {
  return items
    .map((item) => {
      const name = nameOf(item);
      return { item, name, rank: uniformUnit(hashKey(`${what} ${seed} ${name}`)) };
    })
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ item }) => item);
}
