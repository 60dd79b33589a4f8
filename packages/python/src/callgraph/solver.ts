import { appended, NOTHING as NONE, Slot, type Value } from './values';

/** Different texts and numbers that one slot keeps apart, before it holds just "some text". */
const MAX_CONSTANTS = 6;
/** Copies between slots from which on memory is short: a slot then takes only its first value. */
const PLENTY = 2_500_000;
/** A name of this file's own: where modules are CommonJS, each use of an imported one is a call. */
const NOTHING = NONE;
/** Up to here a look at each is quicker than a set. */
const FEW = 12;

/**
 * Inclusion constraints between slots, solved by propagating differences (Andersen 1994). Plain copies run before
 * anything listens, so that classes know their bases before their attributes are looked up. What is added in the same
 * order gives the same result.
 */
export class Solver {
  private readonly copies: Slot[] = [];
  private readonly hearings: Slot[] = [];
  private idle: { readonly slot: Slot; readonly action: () => void }[] = [];
  private flows = 0;

  /** Lists, generators and methods of builtin types: they carry values, and are seldom called themselves. */
  private readonly maxCarriers: number;

  constructor(
    private readonly maxValues: number,
    private readonly anyConstant: (value: Value) => Value,
  ) {
    this.maxCarriers = Math.max(2, Math.ceil(maxValues / 5));
  }

  slotOf(...values: readonly Value[]): Slot {
    const slot = new Slot();
    for (const value of values) this.add(slot, value);
    return slot;
  }

  add(slot: Slot, value: Value): void {
    if (slot === NOTHING || holds(slot, value)) return;
    if (value.kind === 'constant') {
      const widest = slot.constants < MAX_CONSTANTS ? value : this.anyConstant(value);
      if (widest !== value && holds(slot, widest)) return;
      slot.constants++;
      this.append(slot, widest);
    } else if (this.hasRoom(slot, value)) {
      if (CARRIERS.has(value.kind)) slot.carriers++;
      this.append(slot, value);
    } else overflow(slot);
  }

  /** Everything that `from` holds, now and later, `to` holds too. */
  flow(from: Slot, to: Slot): void {
    if (from === to || from === NOTHING || to === NOTHING) return;
    if (from.reached ? from.reached.has(to) : from.targets?.includes(to)) return;
    this.flows++;
    from.targets = appended(from.targets, to);
    if (from.reached) from.reached.add(to);
    else if (from.targets.length > FEW) from.reached = new Set(from.targets);
    if (from.full) overflow(to);
    for (let at = 0; at < from.copied; at++) this.add(to, from.values[at]!);
  }

  /** Calls `listener` once for each value that the slot holds, now and later. */
  on(slot: Slot, listener: (value: Value) => void): void {
    if (slot === NOTHING) return;
    slot.listeners = appended(slot.listeners, listener);
    for (let at = 0; at < slot.heard; at++) listener(slot.values[at]!);
  }

  /** `action` is done if the slot is still empty when nothing else moves. */
  ifEmpty(slot: Slot, action: () => void): void {
    if (slot === NOTHING) action();
    else this.idle.push({ slot, action });
  }

  /** Runs until nothing changes, and what was asked for with `ifEmpty` too. */
  settle(): void {
    this.drain();
    while (this.idle.length > 0) {
      const waiting = this.idle;
      this.idle = [];
      for (const { slot, action } of waiting) if (slot.values.length === 0) action();
      this.drain();
    }
  }

  drain(): void {
    for (;;) {
      this.copy();
      const slot = this.hearings.pop();
      if (!slot) return;
      slot.heardQueued = false;
      // A listener may add more listeners, which have been told already of what came before `heard`.
      while (slot.heard < slot.values.length) {
        const value = slot.values[slot.heard]!;
        const { listeners } = slot;
        slot.heard++;
        if (!listeners) continue;
        const count = listeners.length;
        for (let at = 0; at < count; at++) listeners[at]!(value);
      }
    }
  }

  private copy(): void {
    for (let slot = this.copies.pop(); slot; slot = this.copies.pop()) {
      slot.queued = false;
      for (; slot.copied < slot.values.length; slot.copied++) {
        const value = slot.values[slot.copied]!;
        if (slot.targets) for (const target of slot.targets) this.add(target, value);
      }
      if (slot.heard < slot.values.length && !slot.heardQueued) {
        slot.heardQueued = true;
        this.hearings.push(slot);
      }
    }
  }

  private hasRoom(slot: Slot, value: Value): boolean {
    const isShort = this.flows > PLENTY;
    if (CARRIERS.has(value.kind)) return slot.carriers < (isShort ? 1 : this.maxCarriers);
    return slot.values.length - slot.constants - slot.carriers < (isShort ? 1 : this.maxValues);
  }

  private append(slot: Slot, value: Value): void {
    slot.values = appended(slot.values, value);
    if (slot.known) slot.known.add(value);
    else if (slot.values.length > FEW) slot.known = new Set(slot.values);
    if (slot.queued) return;
    slot.queued = true;
    this.copies.push(slot);
  }
}

const CARRIERS: ReadonlySet<Value['kind']> = new Set([
  'container',
  'generator',
  'coroutine',
  'typeMethod',
  'native',
  'partial',
]);

function holds(slot: Slot, value: Value): boolean {
  return slot.known ? slot.known.has(value) : slot.values.includes(value);
}

/** What a slot could not take is missing from everything behind it. */
function overflow(slot: Slot): void {
  const ahead = [slot];
  for (let next = ahead.pop(); next; next = ahead.pop()) {
    if (next.full) continue;
    next.full = true;
    if (next.targets) for (const target of next.targets) if (!target.full) ahead.push(target);
  }
}
