import { bindMember } from './attributes';
import { callBuiltin } from './builtins';
import { ContainerValue, indexOf } from './containers';
import { elementsOf } from './items';
import { callExternal } from './library';
import type { Program } from './program';
import { NOTHING, Slot } from './slot';
import { callTypeMethod } from './type-methods';
import type { Arguments, ClassValue, FunctionValue, ParameterSlot, Site, Value } from './values';
import { NO_ARGUMENTS } from './values';

/** `callee(given)`, its result into `result`. */
export function call(program: Program, site: Site, callee: Slot, given: Arguments, result: Slot): void {
  program.solver.on(callee, (value) => invoke(program, site, value, given, result));
}

export function invoke(program: Program, site: Site, callee: Value, given: Arguments, result: Slot): void {
  const { solver } = program;
  switch (callee.kind) {
    case 'function':
      invokeFunction(program, site, callee, given, result);
      return;
    case 'bound':
      invoke(program, site, callee.callee, withReceiver(program, callee.receiver, given), result);
      return;
    case 'class':
      instantiate(program, site, callee, given, result);
      return;
    case 'instance':
      callMethod(program, site, callee, '__call__', given, result);
      return;
    case 'external':
      program.edge(site, callee.name);
      callExternal(program, site, callee, given, result);
      return;
    case 'builtin':
      program.edge(site, `<builtin>.${callee.name}`);
      callBuiltin(program, site, callee.name, given, result);
      return;
    case 'typeMethod':
      callTypeMethod(program, site, callee, given, result);
      return;
    case 'partial':
      call(program, site, callee.callee, together(callee.given, given), result);
      return;
    case 'native':
      site.resolved = true;
      callee.call(site, given, result);
      return;
    case 'descriptor':
      // `staticmethod` objects can be called in the class body that made them.
      if (callee.type === 'staticmethod') call(program, site, callee.getter, given, result);
      return;
    case 'module':
    case 'super':
    case 'constant':
    case 'container':
    case 'generator':
    case 'coroutine':
      solver.flow(NOTHING, result);
      return;
    default:
      callee satisfies never;
      return;
  }
}

/** `receiver.name(given)` as Python calls special methods: looked up on the class only. */
export function callMethod(
  program: Program,
  site: Site,
  receiver: Value,
  name: string,
  given: Arguments | readonly Slot[],
  result: Slot,
  missing: () => void = () => {},
): void {
  if (receiver.kind !== 'instance' || !program.memberNames.has(name)) {
    missing();
    return;
  }
  program.classes.lookup(receiver.class, name, (lookup) => {
    if (lookup.kind !== 'found') return missing();
    const method = new Slot();
    program.solver.on(lookup.found.slot, (member) => bindMember(program, site, member, receiver, method));
    call(program, site, method, isArguments(given) ? given : plain(...given), result);
  });
}

/** Arguments by position. */
export function plain(...slots: readonly Slot[]): Arguments {
  return { positional: slots.map((slot) => ({ slot, spread: false })), keywords: [] };
}

/** The argument at a position or of a name, where the call spells it out. */
export function argument(given: Arguments, at: number, name?: string): Slot | undefined {
  const upTo = given.positional.slice(0, at + 1);
  const positional = upTo.length > at && !upTo.some(({ spread }) => spread) ? upTo[at]!.slot : undefined;
  return positional ?? given.keywords.find((each) => name !== undefined && each.name === name)?.slot;
}

function isArguments(given: Arguments | readonly Slot[]): given is Arguments {
  return !Array.isArray(given);
}

function withReceiver(program: Program, receiver: Value, given: Arguments): Arguments {
  return {
    positional: [{ slot: program.slotFor(receiver), spread: false }, ...given.positional],
    keywords: given.keywords,
  };
}

function together(first: Arguments, then: Arguments): Arguments {
  return {
    positional: [...first.positional, ...then.positional],
    keywords: [...first.keywords, ...then.keywords],
  };
}

function instantiate(program: Program, site: Site, cls: ClassValue, given: Arguments, result: Slot): void {
  const { solver, classes } = program;
  site.resolved = true;
  solver.add(result, cls.instance);
  const receiver = program.slotFor(cls);
  if (cls.metaclass && program.memberNames.has('__call__'))
    solver.on(cls.metaclass, (meta) => {
      if (meta.kind !== 'class') return;
      classes.lookup(meta, '__call__', ({ kind, ...rest }) => {
        if (kind !== 'found' || !('found' in rest)) return;
        call(program, site, rest.found.slot, withReceiver(program, cls, given), result);
      });
    });
  if (program.memberNames.has('__new__'))
    classes.lookup(cls, '__new__', (lookup) => {
      if (lookup.kind !== 'found') return;
      const made = { positional: [{ slot: receiver, spread: false }, ...given.positional], keywords: given.keywords };
      call(program, site, lookup.found.slot, made, result);
    });
  classes.lookup(cls, '__init__', (lookup) => {
    if (lookup.kind === 'found') {
      const initializer = new Slot();
      solver.on(lookup.found.slot, (member) => bindMember(program, site, member, cls.instance, initializer));
      call(program, site, initializer, given, new Slot());
    } else if (lookup.kind === 'foreign' && lookup.base.kind === 'external')
      program.edge(site, `${lookup.base.name}.__init__`);
    if (lookup.kind !== 'found') fillRecord(program, site, cls, given);
  });
}

/** Dataclasses and named tuples: arguments become fields, in the order of the declarations. */
function fillRecord(program: Program, site: Site, cls: ClassValue, given: Arguments): void {
  const { solver } = program;
  const ancestors = (cls.linear ?? [cls]).filter((each): each is ClassValue => each.kind === 'class').reverse();
  const names = [...new Set(ancestors.flatMap(({ recordFields }) => recordFields ?? []))];
  if (names.length === 0) return;
  const { fields } = cls.instance;
  const field = (name: string): Slot => {
    const slot = fields.get(name) ?? new Slot();
    fields.set(name, slot);
    return slot;
  };
  for (const [at, { slot, spread }] of given.positional.entries()) {
    const name = names[at];
    if (!spread && name !== undefined) solver.flow(slot, field(name));
  }
  for (const { name, slot } of given.keywords)
    if (name !== undefined && names.includes(name)) solver.flow(slot, field(name));
  callMethod(program, site, cls.instance, '__post_init__', [], new Slot());
}

function invokeFunction(program: Program, site: Site, callee: FunctionValue, given: Arguments, result: Slot): void {
  const { solver } = program;
  program.edge(site, callee.name);
  callee.called = true;
  bind(program, site, callee, given, result);
  if (callee.isGenerator) solver.add(result, program.generatorOf(callee));
  else if (callee.isAsync) solver.add(result, program.coroutineOf(callee));
  else solver.flow(callee.returned, result);
}

/** Arguments to parameters. What a function returns of its arguments unchanged goes straight to `result`. */
function bind(program: Program, site: Site, callee: FunctionValue, given: Arguments, result: Slot): void {
  const { solver } = program;
  const { positional, rest, keywordRest } = callee;
  const filled = new Set<ParameterSlot>();
  const direct = !callee.isGenerator && !callee.isAsync;
  const pass = (parameter: ParameterSlot, slot: Slot): void => {
    filled.add(parameter);
    solver.flow(slot, parameter.slot);
    if (direct && callee.givenBack.has(parameter)) solver.flow(slot, result);
  };
  let certain = true;
  for (const [at, { slot, spread }] of given.positional.entries()) {
    if (spread) {
      spreadOver(program, site, slot, at, certain, positional, rest, (parameter, from) => {
        solver.flow(from, parameter.slot);
        if (direct && callee.givenBack.has(parameter)) solver.flow(from, result);
      });
      certain = false;
    } else if (!certain) {
      for (const parameter of positional.slice(at)) solver.flow(slot, parameter.slot);
      if (rest) solver.flow(slot, rest.rest);
    } else if (at < positional.length) pass(positional[at]!, slot);
    else rest?.store(`i:${at - positional.length}`, slot);
  }
  for (const { name, slot } of given.keywords) {
    if (name === undefined) {
      spreadByName(program, slot, callee, filled);
      certain = false;
      continue;
    }
    const parameter = callee.parameters.find((each) => each.name === name && each.form !== 'positionalOnly');
    if (parameter) pass(parameter, slot);
    else keywordRest?.store(`s:${name}`, slot);
  }
  for (const parameter of callee.parameters) {
    if (filled.has(parameter) || !parameter.default) continue;
    parameter.omitted = true;
    solver.flow(parameter.default, parameter.slot);
    if (direct && callee.givenBack.has(parameter)) solver.flow(parameter.default, result);
  }
}

/** `f(*slot)`: elements with a known index reach their parameter, the others each from `at` on. */
function spreadOver(
  program: Program,
  site: Site,
  slot: Slot,
  at: number,
  certain: boolean,
  positional: readonly ParameterSlot[],
  rest: ContainerValue | undefined,
  pass: (parameter: ParameterSlot, from: Slot) => void,
): void {
  const { solver } = program;
  solver.on(slot, (value) => {
    if (certain && value instanceof ContainerValue && value.length !== undefined) {
      value.onItem((key, element) => {
        const index = indexOf(key);
        if (index === undefined) return;
        const target = positional[at + index];
        if (target) pass(target, element);
        else rest?.store(`i:${at + index - positional.length}`, element);
      });
      const others = program.merged(value.rest, value.tail);
      for (const parameter of positional.slice(at)) pass(parameter, others);
      if (rest) solver.flow(others, rest.rest);
      return;
    }
    const element = new Slot();
    elementsOf(program, site, value, element);
    for (const parameter of positional.slice(at)) pass(parameter, element);
    if (rest) solver.flow(element, rest.rest);
  });
}

/** `f(**slot)`. */
function spreadByName(program: Program, slot: Slot, callee: FunctionValue, filled: ReadonlySet<ParameterSlot>): void {
  program.solver.on(slot, (value) => {
    if (!(value instanceof ContainerValue)) return;
    for (const parameter of callee.parameters)
      if (parameter.form !== 'positionalOnly' && !filled.has(parameter))
        value.load(`s:${parameter.name}`, parameter.slot);
    callee.keywordRest?.include(value);
  });
}

/** Calls that something makes on its own, like `map`: the callee with values by position. */
export function callBack(program: Program, site: Site, callee: Slot | undefined, ...slots: readonly Slot[]): Slot {
  const result = new Slot();
  if (callee) call(program, site, callee, slots.length > 0 ? plain(...slots) : NO_ARGUMENTS, result);
  return result;
}
