import { Slot } from './slot';
import type { Solver } from './solver';
import type { ConstantValue, TypeName } from './values';

/** A key that is known, such that `1`, `1.0` and `True` are the same and `'1'` is another. */
export type Key = `s:${string}` | `i:${number}`;

export function keyOf({ constant }: ConstantValue): Key | undefined {
  if (constant === undefined) return undefined;
  return typeof constant === 'number' ? `i:${constant}` : `s:${constant}`;
}

/** Longer literals are kept as one heap of elements: nobody calls the 65th by its index. */
export const MAX_ITEMS = 64;

/** A list, tuple, dict, set or iterator, one for each place that makes one. Elements under known keys are kept apart. */
export class ContainerValue {
  readonly kind = 'container';
  private readonly items = new Map<Key, Slot>();
  /** Elements of which the key is not known. */
  readonly rest = new Slot();
  /** What was appended behind the elements of the literal. */
  readonly tail = new Slot();
  /** Every element. */
  readonly all = new Slot();
  /** Keys of a dict. */
  readonly keys = new Slot();
  /** Told of every element under a known key, those too that come later. */
  private readonly listeners: ((key: Key, slot: Slot) => void)[] = [];
  private readonly copied = new Set<ContainerValue>();
  /** Elements changed their places: a known index says nothing any more. */
  private shuffled = false;

  constructor(
    private readonly solver: Solver,
    readonly type: TypeName,
    /** Elements of the literal, where they are known and few. */
    readonly length: number | undefined,
    /** `*args`: how many there are, each call decides. */
    readonly isOpen = false,
  ) {
    solver.flow(this.rest, this.all);
    solver.flow(this.tail, this.all);
  }

  /** The slot behind one key. */
  item(key: Key): Slot {
    const known = this.items.get(key);
    if (known) return known;
    if (this.items.size >= MAX_ITEMS) return this.rest;
    const slot = new Slot();
    this.items.set(key, slot);
    this.solver.flow(slot, this.all);
    if (this.shuffled) this.solver.flow(slot, this.rest);
    for (const listener of this.listeners) listener(key, slot);
    return slot;
  }

  get known(): readonly Key[] {
    return [...this.items.keys()];
  }

  /** Calls `listener` with each element under a known key, now and later. */
  onItem(listener: (key: Key, slot: Slot) => void): void {
    this.listeners.push(listener);
    for (const [key, slot] of [...this.items]) listener(key, slot);
  }

  /** What `x[key]` gives, into `result`. */
  load(key: Key, result: Slot): void {
    const index = this.type === 'PyDict' ? undefined : indexOf(key);
    this.solver.flow(this.rest, result);
    if (index === undefined) this.solver.flow(this.item(key), result);
    else if (this.length === undefined) this.solver.flow(this.all, result);
    else if (index >= this.length) {
      this.solver.flow(this.item(key), result);
      this.solver.flow(this.tail, result);
    } else if (index >= 0) this.solver.flow(this.item(key), result);
    else {
      this.solver.flow(this.tail, result);
      if (index + this.length >= 0) this.solver.flow(this.item(`i:${index + this.length}`), result);
    }
  }

  store(key: Key, value: Slot): void {
    const index = this.type === 'PyDict' ? undefined : indexOf(key);
    if (index === undefined) this.solver.flow(value, this.item(key));
    else if (this.length === undefined) this.solver.flow(value, this.rest);
    else this.solver.flow(value, this.item(`i:${index < 0 ? index + this.length : index}`));
  }

  /** Any element may now be anywhere: after `insert`, `sort`, `reverse`, `pop(0)`. */
  shuffle(): void {
    if (this.shuffled) return;
    this.shuffled = true;
    for (const slot of this.items.values()) this.solver.flow(slot, this.rest);
    this.solver.flow(this.tail, this.rest);
  }

  /** `this` gets all elements of `other` under their own keys, those too that come later. */
  include(other: ContainerValue): void {
    if (other === this || this.copied.has(other)) return;
    this.copied.add(other);
    other.onItem((key, slot) => this.solver.flow(slot, this.item(key)));
    this.solver.flow(other.rest, this.rest);
    this.solver.flow(other.tail, this.tail);
    this.solver.flow(other.keys, this.keys);
  }

  /** Elements of `other` from `lower` to before `upper`, moved to the front. */
  takeRange(other: ContainerValue, lower: number, upper: number): void {
    other.onItem((key, slot) => {
      const index = indexOf(key);
      if (index !== undefined && index >= lower && index < upper)
        this.solver.flow(slot, this.item(`i:${index - lower}`));
    });
    this.solver.flow(other.rest, this.rest);
    this.solver.flow(other.tail, this.tail);
  }

  /** The elements at these places of `other`, in this order. */
  takeEach(other: ContainerValue, places: readonly number[]): void {
    for (const [to, from] of places.entries()) this.solver.flow(other.item(`i:${from}`), this.item(`i:${to}`));
    this.solver.flow(other.rest, this.rest);
    this.solver.flow(other.tail, this.tail);
  }
}

export function indexOf(key: Key): number | undefined {
  return key.startsWith('i:') ? Number(key.slice(2)) : undefined;
}
