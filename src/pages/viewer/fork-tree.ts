import type { ForkNode } from './payload';

export interface Branch {
  readonly id: string;
  /** Hashes of its steps from the first. */
  readonly hashes: readonly string[];
}

/**
 * Runs by the steps that they share with `id`: a step's hash names all steps before it, so two runs with the same hash at
 * turn n have the same n turns. Runs that share no step with it are left out; undefined when none is left.
 */
export function forkTree(id: string, branches: readonly Branch[]): ForkNode | undefined {
  const own = branches.find((branch) => branch.id === id);
  const first = own?.hashes[0];
  if (first === undefined) return undefined;
  const family = branches.filter(({ hashes }) => hashes[0] === first);
  return family.length < 2 ? undefined : node(family, 0);
}

/** `family` shares its first `depth` steps, and one more. */
function node(family: readonly Branch[], depth: number): ForkNode {
  let to = depth;
  while (family.every(({ hashes }) => hashes[to] !== undefined && hashes[to] === family[0]!.hashes[to])) to++;
  const groups = new Map<string, Branch[]>();
  for (const branch of family) {
    const next = branch.hashes[to];
    if (next !== undefined) groups.set(next, [...(groups.get(next) ?? []), branch]);
  }
  return {
    from: depth + 1,
    to,
    runs: family.filter(({ hashes }) => hashes.length === to).map(({ id }) => id),
    children: [...groups.values()].map((group) => node(group, to)),
  };
}
