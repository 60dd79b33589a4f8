import { call, callMethod } from './calls';
import type { Program } from './program';
import { Slot } from './slot';
import { hasAttribute } from './type-attributes';
import type { ClassValue, Fields, InstanceValue, Site, TypeName, Value } from './values';
import { NO_ARGUMENTS } from './values';

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

/** Builtin types under the names that their methods have in the graph. */
export const TYPE_NAMES: Readonly<Record<string, TypeName>> = {
  str: 'PyStr',
  bytes: 'PyBytes',
  int: 'PyNum',
  float: 'PyNum',
  list: 'PyList',
  tuple: 'PyTuple',
  dict: 'PyDict',
  set: 'PySet',
  frozenset: 'PySet',
};

export function fieldOf(fields: Fields, name: string): Slot {
  let slot = fields.get(name);
  if (!slot) {
    slot = new Slot();
    fields.set(name, slot);
  }
  return slot;
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
export function allocation(program: Program): Value {
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
export function contentsOf(program: Program, instance: InstanceValue, type: TypeName): Value {
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
