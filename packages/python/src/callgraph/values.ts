import type { Argument, Expression, Parameter, Span } from '../syntax';
import type { ContainerValue } from './containers';
import type { Slot } from './slot';

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

export interface PartialValue {
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

export type { Argument };
