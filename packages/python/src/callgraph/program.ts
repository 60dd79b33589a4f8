import { Classes } from './classes';
import { Solver } from './solver';
import {
  type Arguments,
  type BoundValue,
  type BuiltinValue,
  type ConstantValue,
  ContainerValue,
  type CoroutineValue,
  type ExternalValue,
  type FunctionValue,
  type GeneratorValue,
  type ModuleValue,
  type Site,
  Slot,
  type SuperValue,
  type TypeMethodValue,
  type TypeName,
  type Value,
} from './values';

/**
 * What calls do of things that the program does not define. Handed in, because a model of `map` or `functools.reduce` calls
 * what it is given.
 */
export interface Models {
  builtin(program: Program, site: Site, callee: BuiltinValue, given: Arguments, result: Slot): void;
  external(program: Program, site: Site, callee: ExternalValue, given: Arguments, result: Slot): void;
  typeMethod(program: Program, site: Site, callee: TypeMethodValue, given: Arguments, result: Slot): void;
}

/** One analysis: its constraints, its abstract values (each made once) and the edges found so far. */
export class Program {
  readonly solver: Solver;
  readonly classes: Classes;
  /** Callees by caller. */
  readonly edges = new Map<string, Set<string>>();
  /** Names that some class binds in its body: what none binds need not be looked up on instances. */
  readonly memberNames = new Set<string>();
  private readonly externals = new Map<string, ExternalValue>();
  private readonly builtins = new Map<string, BuiltinValue>();
  private readonly constants = new Map<string, ConstantValue>();
  private readonly bounds = new Map<Value, Map<Value, BoundValue>>();
  private readonly methods = new Map<Value | undefined, Map<string, TypeMethodValue>>();
  private readonly supers = new Map<Value, Map<Value, SuperValue>>();
  private readonly namespaces = new Map<string, ModuleValue>();
  private readonly singles = new Map<Value, Slot>();
  private readonly generators = new Map<FunctionValue, GeneratorValue>();
  private readonly coroutines = new Map<FunctionValue, CoroutineValue>();
  private readonly derived = new Map<object, Map<unknown, ContainerValue>>();

  constructor(
    readonly models: Models,
    maxValues: number,
    patched: ReadonlySet<string>,
  ) {
    this.solver = new Solver(maxValues, (value) => (value.kind === 'constant' ? this.any(value.type) : value));
    this.classes = new Classes(this.solver, patched);
  }

  edge(site: Site, callee: string): void {
    site.resolved = true;
    const callees = this.edges.get(site.caller);
    if (callees) callees.add(callee);
    else this.edges.set(site.caller, new Set([callee]));
  }

  external(name: string, depth = 0, isResult = false): ExternalValue {
    return intern(this.externals, `${name} ${depth} ${isResult}`, () => ({ kind: 'external', name, depth, isResult }));
  }

  builtin(name: string): BuiltinValue {
    return intern(this.builtins, name, () => ({ kind: 'builtin', name }));
  }

  constant(type: ConstantValue['type'], constant: string | number): ConstantValue {
    return intern(this.constants, `${type} ${constant}`, () => ({
      kind: 'constant',
      type,
      constant,
      affixes: undefined,
    }));
  }

  /** Any text, or any number. */
  any(type: ConstantValue['type']): ConstantValue {
    return intern(this.constants, type, () => ({ kind: 'constant', type, constant: undefined, affixes: undefined }));
  }

  /** Text that begins and ends in a known way. */
  pattern(prefix: string, suffix: string): ConstantValue {
    return intern(this.constants, `pattern ${prefix} ${suffix}`, () => ({
      kind: 'constant',
      type: 'PyStr',
      constant: undefined,
      affixes: [prefix, suffix],
    }));
  }

  bound(callee: Value, receiver: Value): BoundValue {
    const of = intern(this.bounds, callee, () => new Map<Value, BoundValue>());
    return intern(of, receiver, () => ({ kind: 'bound', callee, receiver }));
  }

  typeMethod(type: TypeName, name: string, receiver?: Value): TypeMethodValue {
    const of = intern(this.methods, receiver, () => new Map<string, TypeMethodValue>());
    return intern(of, `${type} ${name}`, () => ({ kind: 'typeMethod', type, name, receiver }));
  }

  superOf(after: SuperValue['after'], receiver: Value): SuperValue {
    const of = intern(this.supers, after, () => new Map<Value, SuperValue>());
    return intern(of, receiver, () => ({ kind: 'super', after, receiver }));
  }

  /** A package that is a folder and no file. */
  namespaceOf(name: string): ModuleValue {
    return intern(this.namespaces, name, () => ({ kind: 'module', name, fields: new Map() }));
  }

  generatorOf(of: FunctionValue): GeneratorValue {
    const { name, yielded, returned } = of;
    return intern(this.generators, of, () => ({ kind: 'generator', name, yielded, returned }));
  }

  coroutineOf(of: FunctionValue): CoroutineValue {
    return intern(this.coroutines, of, () => ({ kind: 'coroutine', returned: of.returned }));
  }

  /** A slot that holds just this. */
  slotFor(value: Value): Slot {
    return intern(this.singles, value, () => this.solver.slotOf(value));
  }

  container(type: TypeName, length?: number, isOpen = false): ContainerValue {
    return new ContainerValue(this.solver, type, length, isOpen);
  }

  /** The container that the place `where` makes out of `from`: the same one each time. */
  containerOf(where: object, from: unknown, make: () => ContainerValue): ContainerValue {
    const of = intern(this.derived, where, () => new Map<unknown, ContainerValue>());
    return intern(of, from, make);
  }

  merged(...slots: readonly Slot[]): Slot {
    const result = new Slot();
    for (const slot of slots) this.solver.flow(slot, result);
    return result;
  }
}

function intern<K, V>(table: Map<K, V>, key: K, make: () => V): V {
  let value = table.get(key);
  if (value === undefined) {
    value = make();
    table.set(key, value);
  }
  return value;
}
