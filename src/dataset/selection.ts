import type { DatasetInput, LossReason, Mixture } from '../contract';
import { hashKey, uniformUnit } from '../rollout/random';
import type { Candidate, Lost } from './judge';

export type SelectionOptions = Pick<DatasetInput, 'perInstance' | 'deduplicate' | 'mixture' | 'validation' | 'seed'>;

export type Split = 'train' | 'validation';

export interface Selection {
  /** In the order of the files. */
  readonly kept: readonly (Candidate & { readonly split: Split })[];
  readonly lost: readonly Lost[];
}

/**
 * Which candidates become rows, in which split and order: duplicates go, then what an instance has too much of, then what
 * the mixture has no room for. The seed and the candidates decide, never their order.
 */
export function select(candidates: readonly Candidate[], options: SelectionOptions): Selection {
  const { seed } = options;
  const lost: Lost[] = [];
  const drop = ({ id, instance, method }: Candidate, reason: LossReason, detail: string) =>
    lost.push({ id, instance, method, reason, detail });

  let left = shuffled(candidates, ({ id }) => id, seed, 'rows');
  if (options.deduplicate) left = withoutDuplicates(left, drop);
  if (options.perInstance !== null) left = capped(left, options.perInstance, drop);
  if (options.mixture) left = mixed(left, options.mixture, drop);
  const validation = validationInstances(left, options.validation, seed);
  const kept = left.map((row) => ({
    ...row,
    split: validation.has(row.instance) ? ('validation' as const) : ('train' as const),
  }));
  return { kept, lost: lost.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

type Drop = (candidate: Candidate, reason: LossReason, detail: string) => void;

/** Of rows that teach the same, the one with the first name stays. */
function withoutDuplicates(rows: readonly Candidate[], drop: Drop): Candidate[] {
  const first = new Map<string, string>();
  for (const { id, content } of rows) {
    const known = first.get(content);
    if (known === undefined || id < known) first.set(content, id);
  }
  return rows.filter((row) => {
    const same = first.get(row.content)!;
    if (same !== row.id) drop(row, 'duplicate', `the trained turns are those of ${same}`);
    return same === row.id;
  });
}

/** Too many trajectories of one instance harm (OEC, section 3; SWE-smith takes three). Extra rows are not counted. */
function capped(rows: readonly Candidate[], cap: number, drop: Drop): Candidate[] {
  const taken = new Map<string, number>();
  return rows.filter((row) => {
    if (row.extra) return true;
    const before = taken.get(row.instance) ?? 0;
    taken.set(row.instance, before + 1);
    if (before >= cap) drop(row, 'kept_enough_of_instance', `${cap} other rows of ${row.instance} were drawn`);
    return before < cap;
  });
}

function mixed(rows: readonly Candidate[], mixture: NonNullable<SelectionOptions['mixture']>, drop: Drop): Candidate[] {
  const available = new Map<string, number>();
  for (const { method } of rows) available.set(method, (available.get(method) ?? 0) + 1);
  const wanted = mixtureCounts(mixture, available);
  const taken = new Map<string, number>();
  return rows.filter((row) => {
    const room = wanted.get(row.method);
    const before = taken.get(row.method) ?? 0;
    taken.set(row.method, before + 1);
    if (room === undefined) drop(row, 'mixture', `the mixture does not name ${row.method}`);
    else if (before >= room)
      drop(row, 'mixture', `the mixture takes ${room} of ${available.get(row.method)} rows of ${row.method}`);
    return room !== undefined && before < room;
  });
}

/** At least one instance where a share is asked for and one can be spared; rows that name no instance are never in it. */
function validationInstances(rows: readonly Candidate[], share: number, seed: number): Set<string> {
  const instances = [...new Set(rows.map(({ instance }) => instance))].filter((instance) => instance !== '');
  if (share === 0 || instances.length < 2) return new Set();
  const count = Math.min(instances.length - 1, Math.max(1, Math.round(share * instances.length)));
  return new Set(shuffled(instances, (instance) => instance, seed, 'validation').slice(0, count));
}

/**
 * `items` in an order that the seed and their names alone decide, whatever order they came in. `what` tells one use of the
 * seed from another, so that a cap does not take the same rows as a mixture.
 */
function shuffled<T>(items: readonly T[], nameOf: (item: T) => string, seed: number, what: string): T[] {
  return items
    .map((item) => {
      const name = nameOf(item);
      return { item, name, rank: uniformUnit(hashKey(`${what} ${seed} ${name}`)) };
    })
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .map(({ item }) => item);
}

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
