import type { DatasetInput, LossReason } from '../contract';
import type { Candidate, Lost } from './judged';
import { mixtureCounts } from './mixture';
import { shuffled } from './order';

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
