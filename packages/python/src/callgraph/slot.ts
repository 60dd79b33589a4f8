import type { Value } from './values';

const NO_VALUES: readonly Value[] = [];
/** So long a list is made anew, with no place to spare, when it grows. */
const SHORT = 4;

/** What a name, an attribute or an expression may hold: grows until nothing in the program adds to it any more. */
export class Slot {
  values: readonly Value[] = NO_VALUES;
  /** Values that came before this index have gone on to targets and listeners. */
  copied = 0;
  heard = 0;
  targets: readonly Slot[] | undefined;
  listeners: readonly ((value: Value) => void)[] | undefined;
  /** Only where there are too many values or targets for a look at each. */
  known: Set<Value> | undefined;
  reached: Set<Slot> | undefined;
  /** More values came than are kept, here or further up. */
  full = false;
  /** Texts and numbers among the values. */
  constants = 0;
  carriers = 0;
  queued = false;
  heardQueued = false;
  /** Where two ways meet: what came along each. */
  ways: readonly Slot[] | undefined;
}

/** The slot of expressions that hold nothing that is followed, like numbers and comparisons. Nothing is ever added. */
export const NOTHING = new Slot();
Object.freeze(NOTHING);

/**
 * A list with one element more; the list given is not to be used after. An array reserves 17 places when it is first
 * pushed to, and of the millions of lists here most hold one or two.
 */
export function appended<T>(list: readonly T[] | undefined, element: T): readonly T[] {
  if (list === undefined || list.length === 0) return [element];
  if (list.length < SHORT) return [...list, element];
  (list as T[]).push(element);
  return list;
}
