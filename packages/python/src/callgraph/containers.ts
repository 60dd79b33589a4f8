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

/**
 * A list, tuple, dict, set or iterator, one for each place that makes one. Elements under known keys are kept apart.
 * Its slots are made when somebody asks for them: most literals are stored and never looked into.
 */
export class ContainerValue {
  readonly kind = 'container';
  private items: Map<Key, Slot> | undefined;
  private unknown: Slot | undefined;
  private appended: Slot | undefined;
  private every: Slot | undefined;
  private keySlot: Slot | undefined;
  /** Told of every element under a known key, those too that come later. */
  private listeners: ((key: Key, slot: Slot) => void)[] | undefined;
  private copied: Set<ContainerValue> | undefined;
  /** Elements changed their places: a known index says nothing any more. */
  private shuffled = false;

  constructor(
    private readonly solver: Solver,
    readonly type: TypeName,
    /** Elements of the literal, where they are known and few. */
    readonly length: number | undefined,
    /** `*args`: how many there are, each call decides. */
    readonly isOpen = false,
  ) {}

  /** Elements of which the key is not known. */
  get rest(): Slot {
    if (this.unknown) return this.unknown;
    this.unknown = new Slot();
    if (this.every) this.solver.flow(this.unknown, this.every);
    return this.unknown;
  }

  /** What was appended behind the elements of the literal. */
  get tail(): Slot {
    if (this.appended) return this.appended;
    this.appended = new Slot();
    if (this.every) this.solver.flow(this.appended, this.every);
    if (this.shuffled) this.solver.flow(this.appended, this.rest);
    return this.appended;
  }

  /** Every element. */
  get all(): Slot {
    if (this.every) return this.every;
    this.every = new Slot();
    for (const slot of [this.unknown, this.appended, ...(this.items?.values() ?? [])])
      if (slot) this.solver.flow(slot, this.every);
    return this.every;
  }

  /** Keys of a dict. */
  get keys(): Slot {
    this.keySlot ??= new Slot();
    return this.keySlot;
  }

  /** The slot behind one key. */
  item(key: Key): Slot {
    this.items ??= new Map();
    const known = this.items.get(key);
    if (known) return known;
    if (this.items.size >= MAX_ITEMS) return this.rest;
    const slot = new Slot();
    this.items.set(key, slot);
    if (this.every) this.solver.flow(slot, this.every);
    if (this.shuffled) this.solver.flow(slot, this.rest);
    if (this.listeners) for (const listener of this.listeners) listener(key, slot);
    return slot;
  }

  get known(): readonly Key[] {
    return [...(this.items?.keys() ?? [])];
  }

  /** Calls `listener` with each element under a known key, now and later. */
  onItem(listener: (key: Key, slot: Slot) => void): void {
    this.listeners ??= [];
    this.listeners.push(listener);
    if (this.items) for (const [key, slot] of [...this.items]) listener(key, slot);
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
    if (this.items) for (const slot of this.items.values()) this.solver.flow(slot, this.rest);
    if (this.appended) this.solver.flow(this.appended, this.rest);
  }

  /** `this` gets all elements of `other` under their own keys, those too that come later. */
  include(other: ContainerValue): void {
    if (other === this || this.copied?.has(other)) return;
    this.copied ??= new Set();
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
