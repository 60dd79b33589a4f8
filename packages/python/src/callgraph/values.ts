import type { Expression, Parameter, Span } from '../syntax';

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

/** Abstract values, each made once: equal ones are the same object. */
export type Value =
  | FunctionValue
  | ClassValue
  | InstanceValue
  | BoundValue
  | ModuleValue
  | ExternalValue
  | BuiltinValue
  | TypeMethodValue
  | ConstantValue
  | ContainerValue
  | GeneratorValue
  | CoroutineValue
  | DescriptorValue
  | SuperValue
  | PartialValue
  | NativeValue;

/** Attributes that are stored on a value, by name. */
export type Fields = Map<string, Slot>;

export function fieldOf(fields: Fields, name: string): Slot {
  let slot = fields.get(name);
  if (!slot) {
    slot = new Slot();
    fields.set(name, slot);
  }
  return slot;
}

export interface ParameterSlot {
  readonly name: string;
  readonly form: Parameter['form'];
  readonly slot: Slot;
  readonly default: Slot | undefined;
  /** Some call leaves it out. */
  omitted: boolean;
}

export interface FunctionValue {
  readonly kind: 'function';
  /** With its module, like `pkg.mod.f.inner`. */
  readonly name: string;
  readonly parameters: readonly ParameterSlot[];
  /** Those of them that an argument without a name can fill, in order. */
  readonly positional: readonly ParameterSlot[];
  /** What `*args` and `**kwargs` collect. */
  readonly rest: ContainerValue | undefined;
  readonly keywordRest: ContainerValue | undefined;
  readonly returned: Slot;
  readonly yielded: Slot;
  readonly isGenerator: boolean;
  readonly isAsync: boolean;
  /** Parameters that are returned as they came: each call gets its own argument back, not everybody's. */
  readonly givenBack: Set<ParameterSlot>;
  /** Class in whose body it stands. */
  readonly owner: ClassValue | undefined;
  /** Attributes of the first parameter that every run assigns. */
  readonly assignedAlways: ReadonlySet<string>;
  readonly fields: Fields;
  called: boolean;
}

export interface ClassValue {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Slot[];
  readonly metaclass: Slot | undefined;
  /** Names bound in its body, and those that others set on it. */
  readonly fields: Fields;
  readonly instance: InstanceValue;
  /** Fields in order, where calls fill them without an `__init__` of its own: dataclasses and named tuples. */
  recordFields: readonly string[] | undefined;
  readonly declaredFields: readonly string[];
  /** Linearization, once all bases have a value. */
  linear: readonly Ancestor[] | undefined;
  waiting: (() => void)[];
  readonly patches: Map<string, ((slot: Slot) => void)[]>;
}

/** Of a class's linearization: a class of the repository, or one that is read elsewhere. */
export type Ancestor = ClassValue | ExternalValue | BuiltinValue;

export interface InstanceValue {
  readonly kind: 'instance';
  readonly class: ClassValue;
  readonly fields: Fields;
  /** What it holds as a `dict`, `list` or another container that its class derives from. */
  contents: ContainerValue | undefined;
}

export interface BoundValue {
  readonly kind: 'bound';
  readonly callee: Value;
  readonly receiver: Value;
}

export interface ModuleValue {
  readonly kind: 'module';
  readonly name: string;
  readonly fields: Fields;
}

/** Something that is imported from outside of the files given. */
export interface ExternalValue {
  readonly kind: 'external';
  readonly name: string;
  /** Attributes taken of what a call of it gave: 0 for the import itself. Behind the first, no call is followed. */
  readonly depth: number;
  readonly isResult: boolean;
}

export interface BuiltinValue {
  readonly kind: 'builtin';
  readonly name: string;
}

/** Types as they are named in the graph, after CPython's C names. */
export type TypeName = 'PyStr' | 'PyBytes' | 'PyNum' | 'PyList' | 'PyTuple' | 'PyDict' | 'PySet' | 'PyIterator';

export interface TypeMethodValue {
  readonly kind: 'typeMethod';
  readonly type: TypeName;
  readonly name: string;
  /** Undefined where it is taken from the type itself, like `str.upper`. */
  readonly receiver: Value | undefined;
}

/** A text or a number: `constant` is undefined where it can be any. */
export interface ConstantValue {
  readonly kind: 'constant';
  readonly type: 'PyStr' | 'PyBytes' | 'PyNum';
  readonly constant: string | number | undefined;
  /** Of a text put together at run time: how it begins and ends. */
  readonly affixes: readonly [prefix: string, suffix: string] | undefined;
}

export interface GeneratorValue {
  readonly kind: 'generator';
  readonly yielded: Slot;
  readonly returned: Slot;
  /** What `send` gives to it is not followed. */
  readonly name: string;
}

export interface CoroutineValue {
  readonly kind: 'coroutine';
  readonly returned: Slot;
}

export interface DescriptorValue {
  readonly kind: 'descriptor';
  readonly type: 'property' | 'staticmethod' | 'classmethod';
  readonly getter: Slot;
  readonly setter: Slot;
}

export interface SuperValue {
  readonly kind: 'super';
  readonly after: ClassValue;
  readonly receiver: Value;
}

interface PartialValue {
  readonly kind: 'partial';
  readonly callee: Slot;
  readonly given: Arguments;
}

/** A call whose effect is modelled here: what `functools.wraps(f)` gives back, for one. */
export interface NativeValue {
  readonly kind: 'native';
  readonly name: string;
  readonly call: (site: Site, given: Arguments, result: Slot) => void;
}

/** Where something happens: who does it, and how to show it. */
export interface Site {
  readonly caller: string;
  readonly module: SourceModule;
  readonly span: Span;
  readonly callee: Expression | undefined;
  resolved: boolean;
}

export interface SourceModule {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** Arguments of a call: `spread` ones are `*x` and, without a name, `**x`. */
export interface Arguments {
  readonly positional: readonly { readonly slot: Slot; readonly spread: boolean }[];
  readonly keywords: readonly { readonly name: string | undefined; readonly slot: Slot }[];
}

export const NO_ARGUMENTS: Arguments = { positional: [], keywords: [] };

/** A key that is known, such that `1`, `1.0` and `True` are the same and `'1'` is another. */
type Key = `s:${string}` | `i:${number}`;

export function keyOf({ constant }: ConstantValue): Key | undefined {
  if (constant === undefined) return undefined;
  return typeof constant === 'number' ? `i:${constant}` : `s:${constant}`;
}

/** Longer literals are kept as one heap of elements: nobody calls the 65th by its index. */
export const MAX_ITEMS = 64;

/** The one thing that containers ask of the solver: everything that `from` holds, now and later, `to` holds too. */
interface Flowing {
  flow(from: Slot, to: Slot): void;
}

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
    private readonly solver: Flowing,
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
