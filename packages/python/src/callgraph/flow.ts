import type { Solver } from './solver';
import { Slot } from './values';

/**
 * What each name of a scope holds at one point of the program: the newest slot of each, so that an assignment hides the
 * one before. `paths` does the same for places inside of what names hold, like `d["a"]` and `self.run`.
 */
export class Flow {
  /** Nothing gets past this point: after `return` or `raise`. */
  dead = false;

  constructor(
    readonly names: Map<string, Slot> = new Map(),
    readonly paths: Map<string, Slot> = new Map(),
  ) {}

  fork(): Flow {
    const copy = new Flow(new Map(this.names), new Map(this.paths));
    copy.dead = this.dead;
    return copy;
  }

  /** Forgets what is known of places inside of what `root` holds. */
  forget(root: string): void {
    if (this.paths.size === 0) return;
    for (const path of this.paths.keys()) if (isInside(path, root)) this.paths.delete(path);
  }
}

/** Separates the steps of a path; no name and no key can hold it. */
export const STEP = '\u0000';

export function isInside(path: string, root: string): boolean {
  return path.startsWith(root) && path.charAt(root.length) === STEP;
}

/** Where two ways through the program meet again. */
export function joined(solver: Solver, ...ways: readonly Flow[]): Flow {
  const alive = ways.filter(({ dead }) => !dead);
  const [first, ...others] = alive;
  if (!first) {
    const rest = ways[0]?.fork() ?? new Flow();
    rest.dead = true;
    return rest;
  }
  let result = first;
  for (const other of others) result = joinedPair(solver, result, other);
  return result;
}

function joinedPair(solver: Solver, one: Flow, other: Flow): Flow {
  const names = new Map(one.names);
  for (const [name, slot] of other.names) {
    const own = names.get(name);
    names.set(name, own === undefined || own === slot ? slot : either(solver, own, slot));
  }
  const paths = new Map<string, Slot>();
  for (const [path, slot] of one.paths) {
    const its = other.paths.get(path);
    if (its !== undefined) paths.set(path, its === slot ? slot : either(solver, slot, its));
  }
  return new Flow(names, paths);
}

/** Holds what either of two slots holds. */
export function either(solver: Solver, one: Slot, other: Slot): Slot {
  const both = new Slot();
  both.ways = [one, other];
  solver.flow(one, both);
  solver.flow(other, both);
  return both;
}
