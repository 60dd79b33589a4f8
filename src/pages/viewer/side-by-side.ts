import { count } from '../figures';
import type { RunPage, TurnView } from './payload';

/** A row of two runs side by side: a step that both have, or a turn of each as far as it goes. */
export type PairRow =
  | { readonly kind: 'shared'; readonly left: TurnView; readonly right: TurnView }
  | { readonly kind: 'apart'; readonly left: TurnView | null; readonly right: TurnView | null };

/**
 * Two runs turn by turn. Steps from the first with the same hash are the same steps, since a hash names all steps before
 * it: a fork shares those that it kept. From there on, the nth turn of one stands beside the nth of the other.
 */
export function alignTurns(left: readonly TurnView[], right: readonly TurnView[]): PairRow[] {
  const shared = sharedTurns(left, right);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at): PairRow => {
    const [one, other] = [left[at] ?? null, right[at] ?? null];
    return at < shared ? { kind: 'shared', left: one!, right: other! } : { kind: 'apart', left: one, right: other };
  });
}

/** How many turns from the first are the same steps. */
function sharedTurns(left: readonly TurnView[], right: readonly TurnView[]): number {
  const parted = left.findIndex(({ hash }, at) => hash !== right[at]?.hash);
  return parted < 0 ? left.length : parted;
}

/** What two runs have to do with each other, in words. */
export function pairLede(left: RunPage, right: RunPage): string {
  if (left.line.id === right.line.id) return 'Both sides are the same run.';
  const shared = sharedTurns(left.turns, right.turns);
  const problem =
    left.line.instance === right.line.instance
      ? 'Two runs of one problem.'
      : 'These are runs of two problems: their turns stand side by side by number only.';
  if (shared === 0) return `${problem} They share no step; turns stand side by side by number.`;
  return `${problem} They share the first ${count(shared, 'turn')}, shown once; ${afterShared(left, right, shared)}.`;
}

function afterShared(left: RunPage, right: RunPage, shared: number): string {
  const [leftGoesOn, rightGoesOn] = [left.turns.length > shared, right.turns.length > shared];
  if (leftGoesOn && rightGoesOn) return `they part at turn ${shared + 1}`;
  if (!leftGoesOn && !rightGoesOn) return 'neither goes on from there';
  return leftGoesOn ? 'B has no more, and A goes on' : 'A has no more, and B goes on';
}
