import { hasAttribute, TYPE_NAMES } from './builtin-types';
import type { Program } from './program';
import {
  type Arguments,
  type ClassValue,
  ContainerValue,
  type FunctionValue,
  fieldOf,
  type InstanceValue,
  indexOf,
  NO_ARGUMENTS,
  NOTHING,
  type ParameterSlot,
  type Site,
  Slot,
  type TypeName,
  type Value,
} from './values';

/** `callee(given)`, its result into `result`. */
export function call(program: Program, site: Site, callee: Slot, given: Arguments, result: Slot): void {
  program.solver.on(callee, (value) => invoke(program, site, value, given, result));
}

function invoke(program: Program, site: Site, callee: Value, given: Arguments, result: Slot): void {
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
      program.models.external(program, site, callee, given, result);
      return;
    case 'builtin':
      program.edge(site, `<builtin>.${callee.name}`);
      program.models.builtin(program, site, callee, given, result);
      return;
    case 'typeMethod':
      program.models.typeMethod(program, site, callee, given, result);
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

/** Attributes that are followed behind what a call outside gave. In a loop like `node = node.parent` they never end. */
const MAX_CHAIN = 3;

/** `object.name`, into `result`. Properties are called by `site`. */
export function loadAttribute(program: Program, site: Site, object: Slot, name: string, result: Slot): void {
  program.solver.on(object, (value) => attributeOf(program, site, value, name, result));
}

export function attributeOf(program: Program, site: Site, value: Value, name: string, result: Slot): void {
  const { solver } = program;
  switch (value.kind) {
    case 'instance':
      attributeOfInstance(program, site, value, name, result);
      return;
    case 'class':
      attributeOfClass(program, site, value, name, result);
      return;
    case 'module':
      solver.flow(fieldOf(value.fields, name), result);
      return;
    case 'external':
      if (value.depth < MAX_CHAIN)
        solver.add(
          result,
          program.external(`${value.name}.${name}`, value.isResult || value.depth > 0 ? value.depth + 1 : 0),
        );
      return;
    case 'function':
      if (name === '__wrapped__' || name === '__func__') solver.add(result, value);
      solver.flow(fieldOf(value.fields, name), result);
      return;
    case 'bound':
      if (name === '__self__') solver.add(result, value.receiver);
      else if (name === '__func__') solver.add(result, value.callee);
      else attributeOf(program, site, value.callee, name, result);
      return;
    case 'super':
      attributeBehind(program, site, value.after, value.receiver, name, result);
      return;
    case 'descriptor':
      if (name === 'setter' || name === 'getter' || name === 'deleter')
        solver.add(result, {
          kind: 'native',
          name,
          call: (_, given, out) => rebuilt(program, value, name, given.positional[0]?.slot, out),
        });
      else if (name === 'fget' || name === '__func__') solver.flow(value.getter, result);
      return;
    case 'builtin': {
      const type = TYPE_NAMES[value.name];
      if (type && hasAttribute(type, name)) solver.add(result, program.typeMethod(type, name));
      return;
    }
    case 'container':
    case 'generator': {
      const type = value.kind === 'container' ? value.type : 'PyIterator';
      if (hasAttribute(type, name)) solver.add(result, program.typeMethod(type, name, value));
      return;
    }
    case 'constant':
      if (hasAttribute(value.type, name)) solver.add(result, program.typeMethod(value.type, name));
      return;
    case 'partial':
      if (name === 'func') solver.flow(value.callee, result);
      return;
    case 'coroutine':
    case 'typeMethod':
    case 'native':
      return;
    default:
      value satisfies never;
      return;
  }
}

function attributeOfInstance(program: Program, site: Site, value: InstanceValue, name: string, result: Slot): void {
  const { solver, classes } = program;
  const own = fieldOf(value.fields, name);
  solver.flow(own, result);
  if (name === '__class__') solver.add(result, value.class);
  classes.lookup(value.class, name, (lookup) => {
    switch (lookup.kind) {
      case 'found':
        return hiddenByInitializer(program, site, value.class, name, lookup.found.slot, (slot) =>
          solver.on(slot, (member) => bindMember(program, site, member, value, result)),
        );
      case 'foreign':
        return foreignAttribute(program, lookup.base.kind, lookup.base.name, value, name, result);
      case 'missing':
        // Only where nothing sets it on the instance either does Python ask `__getattr__`.
        return solver.ifEmpty(own, () =>
          callMethod(program, site, value, '__getattr__', [program.slotFor(program.constant('PyStr', name))], result),
        );
    }
  });
}

/** A method of which every run of `__init__` puts something else in its place is not seen outside of `__init__`. */
function hiddenByInitializer(
  program: Program,
  site: Site,
  cls: ClassValue,
  name: string,
  slot: Slot,
  use: (slot: Slot) => void,
): void {
  program.classes.lookup(cls, '__init__', (lookup) => {
    const initializer = lookup.kind === 'found' ? lookup.found.slot.values[0] : undefined;
    const hidden =
      initializer?.kind === 'function' && initializer.assignedAlways.has(name) && initializer.name !== site.caller;
    if (!hidden || slot.values.some(({ kind }) => kind === 'descriptor')) use(slot);
  });
}

function attributeOfClass(program: Program, site: Site, value: ClassValue, name: string, result: Slot): void {
  const { solver, classes } = program;
  classes.lookup(value, name, (lookup) => {
    if (lookup.kind === 'found') solver.on(lookup.found.slot, (member) => bindToClass(program, member, value, result));
    else if (lookup.kind === 'foreign')
      foreignAttribute(program, lookup.base.kind, lookup.base.name, undefined, name, result);
    if (lookup.kind === 'found' || !value.metaclass) return;
    solver.on(value.metaclass, (meta) => {
      if (meta.kind !== 'class') return;
      classes.lookup(meta, name, (above) => {
        if (above.kind === 'found')
          solver.on(above.found.slot, (member) => bindMember(program, site, member, value, result));
      });
    });
  });
}

/** `super().name`: looked up behind `after` in the receiver's linearization, bound to the receiver. */
function attributeBehind(
  program: Program,
  site: Site,
  after: ClassValue,
  receiver: Value,
  name: string,
  result: Slot,
): void {
  const { solver, classes } = program;
  const cls = receiver.kind === 'instance' ? receiver.class : receiver.kind === 'class' ? receiver : undefined;
  if (!cls) return;
  classes.lookup(
    cls,
    name,
    (lookup) => {
      if (lookup.kind === 'found')
        solver.on(lookup.found.slot, (member) =>
          receiver.kind === 'class' && name !== '__new__'
            ? bindToClass(program, member, receiver, result)
            : bindMember(program, site, member, receiver, result),
        );
      else if (lookup.kind === 'foreign')
        foreignAttribute(program, lookup.base.kind, lookup.base.name, receiver, name, result);
      if (lookup.kind !== 'found' && name === '__new__') solver.add(result, allocation(program));
    },
    after,
  );
}

/** `object.__new__(cls)`. */
function allocation(program: Program): Value {
  return {
    kind: 'native',
    name: '__new__',
    call: (_, given, result) => {
      const cls = given.positional[0];
      if (cls)
        program.solver.on(cls.slot, (value) => {
          if (value.kind === 'class') program.solver.add(result, value.instance);
        });
    },
  };
}

function foreignAttribute(
  program: Program,
  kind: 'external' | 'builtin',
  base: string,
  receiver: Value | undefined,
  name: string,
  result: Slot,
): void {
  if (kind === 'external') {
    program.solver.add(result, program.external(`${base}.${name}`));
    return;
  }
  const type = TYPE_NAMES[base];
  if (!type || name.startsWith('__') || !hasAttribute(type, name)) return;
  const contents = receiver?.kind === 'instance' ? contentsOf(program, receiver, type) : undefined;
  program.solver.add(result, program.typeMethod(type, name, contents));
}

/** What an instance holds by being a `dict`, `list` and so on itself. */
function contentsOf(program: Program, instance: InstanceValue, type: TypeName): Value {
  instance.contents ??= program.container(type);
  return instance.contents;
}

/** A member of a class as an instance sees it. */
export function bindMember(program: Program, site: Site, member: Value, receiver: Value, result: Slot): void {
  const { solver } = program;
  switch (member.kind) {
    case 'function':
      solver.add(result, program.bound(member, receiver));
      return;
    case 'descriptor':
      if (member.type === 'property') {
        const getter = new Slot();
        solver.on(member.getter, (each) => bindMember(program, site, each, receiver, getter));
        call(program, site, getter, NO_ARGUMENTS, result);
      } else bindToClass(program, member, receiver.kind === 'instance' ? receiver.class : receiver, result);
      return;
    case 'instance':
      callMethod(program, site, member, '__get__', [program.slotFor(receiver)], result, () =>
        solver.add(result, member),
      );
      return;
    default:
      solver.add(result, member);
      return;
  }
}

/** A member of a class as the class itself sees it. */
function bindToClass(program: Program, member: Value, cls: Value, result: Slot): void {
  const { solver } = program;
  if (member.kind !== 'descriptor' || member.type === 'property') {
    solver.add(result, member);
    return;
  }
  if (member.type === 'staticmethod') {
    solver.flow(member.getter, result);
    return;
  }
  solver.on(member.getter, (each) => solver.add(result, each.kind === 'function' ? program.bound(each, cls) : each));
}

function rebuilt(
  program: Program,
  property: Value & { kind: 'descriptor' },
  role: string,
  accessor: Slot | undefined,
  result: Slot,
): void {
  if (!accessor) return;
  program.solver.add(result, {
    ...property,
    getter: role === 'getter' ? accessor : property.getter,
    setter: role === 'setter' ? accessor : property.setter,
  });
}

/** `object.name = value`. */
export function storeAttribute(program: Program, site: Site, object: Slot, name: string, value: Slot): void {
  const { solver, classes } = program;
  solver.on(object, (holder) => {
    switch (holder.kind) {
      case 'instance':
        solver.flow(value, fieldOf(holder.fields, name));
        classes.lookup(holder.class, name, (lookup) => {
          if (lookup.kind === 'found')
            solver.on(lookup.found.slot, (member) => assignThrough(program, site, member, holder, value));
        });
        callMethod(
          program,
          site,
          holder,
          '__setattr__',
          [program.slotFor(program.constant('PyStr', name)), value],
          new Slot(),
        );
        return;
      case 'class':
        return solver.flow(value, classes.patch(holder, name));
      case 'module':
      case 'function':
        return solver.flow(value, fieldOf(holder.fields, name));
      default:
        return;
    }
  });
}

/** Setters of properties, and `__set__` of other descriptors. */
function assignThrough(program: Program, site: Site, member: Value, holder: InstanceValue, value: Slot): void {
  const { solver } = program;
  if (member.kind === 'descriptor' && member.type === 'property') {
    const setter = new Slot();
    solver.on(member.setter, (each) => bindMember(program, site, each, holder, setter));
    call(program, site, setter, { positional: [{ slot: value, spread: false }], keywords: [] }, new Slot());
  } else if (member.kind === 'instance')
    callMethod(program, site, member, '__set__', [program.slotFor(holder), value], new Slot());
}

/** What `for x in iterable` gives to `x`. */
export function iterate(program: Program, site: Site, iterable: Slot, result: Slot): void {
  program.solver.on(iterable, (value) => elementsOf(program, site, value, result));
}

export function elementsOf(program: Program, site: Site, value: Value, result: Slot): void {
  const { solver } = program;
  switch (value.kind) {
    case 'container':
      solver.flow(value.type === 'PyDict' ? value.keys : value.all, result);
      return;
    case 'generator':
      solver.flow(value.yielded, result);
      return;
    case 'constant':
      solver.add(result, program.any(value.type));
      return;
    case 'class':
      // Enumerations list their members.
      return;
    case 'instance': {
      const iterator = new Slot();
      solver.on(iterator, (each) => {
        if (each.kind === 'instance') callMethod(program, site, each, '__next__', [], result);
        else elementsOf(program, site, each, result);
      });
      callMethod(program, site, value, '__iter__', [], iterator, () =>
        callMethod(program, site, value, '__getitem__', [program.slotFor(program.any('PyNum'))], result, () => {
          if (value.contents) elementsOf(program, site, value.contents, result);
        }),
      );
      return;
    }
    default:
      return;
  }
}

/** `next(x)`, `x.send(…)`. */
export function nextOf(program: Program, site: Site, iterator: Slot, result: Slot): void {
  program.solver.on(iterator, (value) => {
    if (value.kind === 'instance') callMethod(program, site, value, '__next__', [], result);
    else elementsOf(program, site, value, result);
  });
}
