import { type Expression, isBuiltin, type Python, type Span, type Statement } from '../syntax';
import { Flow, isInside, STEP } from './flow';
import type { Module, ModuleTable } from './modules';
import type { Program } from './program';
import type { Scope } from './scopes';
import { type ClassValue, type Fields, type FunctionValue, fieldOf, type Site, type Slot } from './values';

interface FrameOptions {
  readonly kind: 'module' | 'class' | 'function';
  /** Dotted, with the module. */
  readonly name: string;
  readonly module: Module;
  readonly scope: Scope;
  readonly parent: Frame | undefined;
  readonly function?: FunctionValue;
  /** The class in whose body, or in a method of which, this is. */
  readonly class?: ClassValue;
}

/**
 * One scope while it is read, statement by statement: what each name holds at this point (`flow`), and what inner scopes
 * may see of it at any time (`cells`).
 */
export class Frame {
  readonly kind: FrameOptions['kind'];
  readonly name: string;
  readonly module: Module;
  readonly scope: Scope;
  readonly parent: Frame | undefined;
  readonly function: FunctionValue | undefined;
  readonly class: ClassValue | undefined;
  flow = new Flow();
  /** Loops around the statement that is read. */
  readonly loops: { readonly breaks: Flow[]; readonly continues: Flow[] }[] = [];
  /** What handlers see of names that a `try` body binds. */
  readonly observers: Map<string, Slot>[] = [];
  lambdas = 0;
  private readonly cells: Fields;
  /** Bindings and stores that nobody else can have seen yet: the next one to the same place replaces them. */
  private readonly pending = new Map<string, () => void>();
  private readonly escaped = new Set<string>();

  constructor(
    readonly analysis: Analysis,
    { kind, name, module, scope, parent, function: fn, class: cls }: FrameOptions,
  ) {
    this.kind = kind;
    this.name = name;
    this.module = module;
    this.scope = scope;
    this.parent = parent;
    this.function = fn;
    this.class = cls;
    this.cells = kind === 'module' ? module.value.fields : new Map();
  }

  get program() {
    return this.analysis.program;
  }

  get solver() {
    return this.analysis.program.solver;
  }

  /** What an expression may hold, after the constraints of everything in it were set up. */
  evaluate(expression: Expression): Slot {
    return this.analysis.interpreter.evaluate(this, expression);
  }

  /** The object of an attribute or a subscript: looking into it hands it to nobody. */
  evaluateInside(object: Expression): Slot {
    return object.kind === 'name' ? this.lookup(object.id) : this.evaluate(object);
  }

  run(block: readonly Statement[]): void {
    this.analysis.interpreter.run(this, block);
  }

  site(span: Span, callee?: Expression): Site {
    return { caller: this.name, module: this.module, span, callee, resolved: false };
  }

  /** What a name holds here. */
  lookup(name: string): Slot {
    if (!this.declaredOutside(name)) {
      const slot = this.flow.names.get(name);
      if (slot) return this.isRebound(name) ? this.cell(name) : slot;
      if (this.kind === 'function' && this.scope.bound.has(name)) return this.cell(name);
    }
    return this.outer(name);
  }

  /** What inner scopes see under a name, at whatever time. */
  cell(name: string): Slot {
    return fieldOf(this.cells, name);
  }

  bind(name: string, slot: Slot): void {
    if (this.declaredOutside(name)) {
      this.solver.flow(slot, this.outer(name));
      return;
    }
    this.publishInside(name);
    this.flow.names.set(name, slot);
    this.flow.forget(name);
    this.escaped.delete(name);
    for (const observer of this.observers) {
      const seen = observer.get(name);
      if (seen) this.solver.flow(slot, seen);
    }
    if (this.kind !== 'class' && this.isSeenOutside(name))
      this.later(name, () => this.solver.flow(slot, this.cell(name)));
    if (this.isRebound(name)) this.publish();
  }

  unbind(name: string): void {
    this.publish();
    this.flow.names.delete(name);
    this.flow.forget(name);
  }

  /** Something runs that may look at everything, and change what it can reach. */
  othersRun(): void {
    this.publish();
    for (const path of [...this.flow.paths.keys()]) if (!this.isPrivate(rootOf(path))) this.flow.paths.delete(path);
  }

  /** Makes what was bound visible to others. */
  publish(): void {
    if (this.pending.size === 0) return;
    const actions = [...this.pending.values()];
    this.pending.clear();
    for (const action of actions) action();
  }

  /** Does `action` when others may look, unless something else is put to the same place before. */
  later(place: string, action: () => void): void {
    this.pending.set(place, action);
  }

  /** The value of a name goes where it can be changed under another name. */
  escape(name: string): void {
    this.escaped.add(name);
  }

  /** A new value at a path: older knowledge about places that may be the same is dropped. */
  put(path: string, slot: Slot): void {
    const last = lastStep(path);
    for (const other of [...this.flow.paths.keys()])
      if (other !== path && (isInside(other, path) || (lastStep(other) === last && !this.areApart(path, other))))
        this.flow.paths.delete(other);
    this.flow.paths.set(path, slot);
  }

  /** Something is stored at a place that is not known exactly. */
  blur(): void {
    this.publish();
    this.flow.paths.clear();
  }

  /** Whether a name of this scope means a container that only this scope can reach. */
  isPrivate(name: string): boolean {
    const slot = this.flow.names.get(name);
    if (!slot || !this.analysis.allocated.has(slot) || this.escaped.has(name)) return false;
    return !this.scope.wantedInside.has(name) && !this.isRebound(name);
  }

  private areApart(one: string, other: string): boolean {
    const [first, second] = [rootOf(one), rootOf(other)];
    const shallow = one.split(STEP).length === 2 && other.split(STEP).length === 2;
    return first !== second && shallow && this.isPrivate(first) && this.isPrivate(second);
  }

  private publishInside(root: string): void {
    for (const [place, action] of [...this.pending])
      if (isInside(place, root)) {
        this.pending.delete(place);
        action();
      }
  }

  private isSeenOutside(name: string): boolean {
    return this.kind === 'module' || this.scope.wantedInside.has(name);
  }

  private isRebound(name: string): boolean {
    return this.kind !== 'class' && this.isSeenOutside(name) && this.module.rebound.has(name);
  }

  private declaredOutside(name: string): boolean {
    return this.kind !== 'module' && (this.scope.globals.has(name) || this.scope.nonlocals.has(name));
  }

  private outer(name: string): Slot {
    if (!this.scope.globals.has(name))
      for (let frame = this.parent; frame; frame = frame.parent) {
        if (frame.kind !== 'function' || frame.scope.globals.has(name)) continue;
        if (frame.scope.bound.has(name) || frame.scope.inner.has(name)) return frame.cell(name);
      }
    const { fields } = this.module.value;
    const isGlobal = fields.has(name) || this.module.scopes.get('module')!.bound.has(name);
    if (!isGlobal && isBuiltin(name)) return this.program.slotFor(this.program.builtin(name));
    return fieldOf(fields, name);
  }
}

function rootOf(path: string): string {
  return path.slice(0, path.indexOf(STEP));
}

function lastStep(path: string): string {
  return path.slice(path.lastIndexOf(STEP));
}

export type DefinitionKind = 'module' | 'function' | 'class' | 'lambda';

/** Where a name of the graph is defined. */
export interface Definition {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly file: string;
  readonly line: number;
  readonly endLine: number;
}

/**
 * How expressions and blocks are read. Handed in, because what expressions hold (lambdas, calls that import, targets) is
 * read in files of its own, which need them in turn.
 */
interface Interpreter {
  evaluate(frame: Frame, expression: Expression): Slot;
  run(frame: Frame, block: readonly Statement[]): void;
}

/** What reading the modules gathers, beside the constraints. */
export interface Analysis {
  readonly interpreter: Interpreter;
  readonly program: Program;
  readonly modules: ModuleTable;
  readonly python: Python;
  readonly definitions: Map<string, Definition>;
  readonly functions: FunctionValue[];
  /** Every call that is written down, with what is called. */
  readonly calls: { readonly site: Site; readonly callee: Slot }[];
  /** Bodies of functions, read when all that stands around them was. */
  readonly bodies: (() => void)[];
  /** Slots of containers that were made right there, so that no other name can mean them yet. */
  readonly allocated: WeakSet<Slot>;
  /** Keys of dict literals, where all are known. */
  readonly shapes: WeakMap<Slot, readonly string[]>;
  /** Any function may be called from outside, with instances of its class and with its defaults. */
  readonly open: boolean;
}

export function define(analysis: Analysis, name: string, kind: DefinitionKind, file: string, span: Span): void {
  if (!analysis.definitions.has(name))
    analysis.definitions.set(name, { name, kind, file, line: span.line, endLine: span.endLine });
}
