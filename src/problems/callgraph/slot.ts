import type { Value } from './values';

/** What a name, an attribute or an expression may hold: grows until nothing in the program adds to it any more. */
export class Slot {
  readonly values: Value[] = [];
  /** Values that came before this index have gone on to targets and listeners. */
  copied = 0;
  heard = 0;
  targets: Slot[] | undefined;
  listeners: ((value: Value) => void)[] | undefined;
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
