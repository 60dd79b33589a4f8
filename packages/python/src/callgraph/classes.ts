import type { Solver } from './solver';
import {
  type Ancestor,
  type BuiltinValue,
  type ClassValue,
  type ExternalValue,
  type InstanceValue,
  Slot,
  type Value,
} from './values';

interface Found {
  readonly slot: Slot;
  readonly in: ClassValue;
}

/** What a look-up through a linearization meets: a class that binds the name, or the first base that is read elsewhere. */
export type Lookup =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'foreign'; readonly base: ExternalValue | BuiltinValue }
  | { readonly kind: 'missing' };

/** Classes with their linearizations (C3, as CPython has it) and look-ups through them. */
export class Classes {
  readonly all: ClassValue[] = [];

  constructor(
    private readonly solver: Solver,
    /** Attributes that something sets on a class from outside of it: their look-ups are done again then. */
    private readonly patched: ReadonlySet<string>,
  ) {}

  define(about: Pick<ClassValue, 'name' | 'bases' | 'metaclass' | 'declaredFields' | 'recordFields'>): ClassValue {
    const made: Omit<ClassValue, 'instance'> & { instance?: InstanceValue } = {
      kind: 'class',
      ...about,
      fields: new Map(),
      linear: undefined,
      waiting: [],
      patches: new Map(),
    };
    const defined = made as ClassValue;
    made.instance = { kind: 'instance', class: defined, fields: new Map(), contents: undefined };
    this.all.push(defined);
    for (const base of about.bases) {
      this.solver.on(base, (value) => {
        if (value.kind === 'class' && value !== defined) this.whenLinear(value, () => this.tryLinearize(defined));
        else this.tryLinearize(defined);
      });
      this.solver.ifEmpty(base, () => this.linearize(defined));
    }
    if (about.bases.length === 0) this.linearize(defined);
    return defined;
  }

  /** `action` runs once all bases are known, or never will be. */
  whenLinear(cls: ClassValue, action: () => void): void {
    if (cls.linear) action();
    else cls.waiting.push(action);
  }

  /** Tells what `name` is on a class, by its linearization, behind `after` where that is given. */
  lookup(cls: ClassValue, name: string, tell: (lookup: Lookup) => void, after?: ClassValue): void {
    this.whenLinear(cls, () => {
      const linear = cls.linear!;
      const from = after ? linear.indexOf(after) + 1 : 0;
      let foreign: ExternalValue | BuiltinValue | undefined;
      for (const ancestor of linear.slice(from)) {
        if (ancestor.kind !== 'class') {
          foreign ??= isTransparent(ancestor) ? undefined : ancestor;
          continue;
        }
        const slot = ancestor.fields.get(name);
        if (slot) return tell({ kind: 'found', found: { slot, in: ancestor } });
        if (this.patched.has(name)) listenForPatch(ancestor, name, tell);
      }
      tell(foreign ? { kind: 'foreign', base: foreign } : { kind: 'missing' });
    });
  }

  /** Binds an attribute on a class after its body, and tells those that looked for it before. */
  patch(cls: ClassValue, name: string): Slot {
    const known = cls.fields.get(name);
    if (known) return known;
    const slot = new Slot();
    cls.fields.set(name, slot);
    for (const tell of cls.patches.get(name) ?? []) tell(slot);
    return slot;
  }

  /** False only where the linearization says so. */
  mayDerive({ linear }: ClassValue, from: Value): boolean {
    const ancestors: readonly Value[] | undefined = linear;
    return ancestors === undefined || ancestors.includes(from);
  }

  /** For those that derive from each other in a circle. True if there were any. */
  linearizeRest(): boolean {
    const rest = this.all.filter(({ linear }) => !linear);
    for (const each of rest) this.linearize(each);
    return rest.length > 0;
  }

  private tryLinearize(cls: ClassValue): void {
    const known = cls.bases.every(({ values }) => {
      const first = values.find((value) => value.kind === 'class') ?? values[0];
      return first !== undefined && (first.kind !== 'class' || first === cls || first.linear !== undefined);
    });
    if (known) this.linearize(cls);
  }

  private linearize(cls: ClassValue): void {
    if (cls.linear) return;
    // A base that several assignments may give counts with all of its classes, the first of them in its place.
    const bases = cls.bases.flatMap(({ values }): Ancestor[] => {
      const classes = values.filter((value): value is ClassValue => value.kind === 'class' && value !== cls);
      if (classes.length > 0) return classes;
      return values.filter((value) => value.kind === 'external' || value.kind === 'builtin').slice(0, 1);
    });
    const distinct = [...new Set(bases)];
    cls.linear = [cls, ...merged([...distinct.map((base) => linearOf(base)), distinct])];
    for (const action of cls.waiting.splice(0)) action();
  }
}

function linearOf(base: Ancestor): readonly Ancestor[] {
  return base.kind === 'class' ? (base.linear ?? [base]) : [base];
}

/** C3's merge. Where no order fits, which CPython refuses, the next head is taken all the same. */
function merged(lists: readonly (readonly Ancestor[])[]): Ancestor[] {
  const queues = lists.map((list) => [...list]);
  const result: Ancestor[] = [];
  for (;;) {
    const heads = queues.flatMap(([head]) => (head ? [head] : []));
    if (heads.length === 0) return result;
    const next = heads.find((head) => queues.every((queue) => queue.indexOf(head) < 1)) ?? heads[0]!;
    result.push(next);
    for (const queue of queues) {
      const at = queue.indexOf(next);
      if (at >= 0) queue.splice(at, 1);
    }
  }
}

function listenForPatch(cls: ClassValue, name: string, tell: (lookup: Lookup) => void): void {
  const listeners = cls.patches.get(name) ?? [];
  cls.patches.set(name, listeners);
  listeners.push((slot) => tell({ kind: 'found', found: { slot, in: cls } }));
}

/** Bases that lend their classes no method that anybody calls by name. */
const TRANSPARENT: ReadonlySet<string> = new Set([
  'object',
  'typing.Generic',
  'typing.Protocol',
  'typing_extensions.Protocol',
]);

function isTransparent({ name }: ExternalValue | BuiltinValue): boolean {
  return TRANSPARENT.has(name);
}
