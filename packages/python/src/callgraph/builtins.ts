import { collected, loadItem, mayBe, sequence } from './items';
import {
  argument,
  attributeOf,
  callBack,
  callMethod,
  elementsOf,
  iterate,
  nextOf,
  plain,
  storeAttribute,
} from './objects';
import type { Program } from './program';
import {
  type Arguments,
  type BuiltinValue,
  ContainerValue,
  type DescriptorValue,
  type Site,
  Slot,
  type Value,
} from './values';

type Model = (program: Program, site: Site, given: Arguments, result: Slot) => void;

/** What a call of a builtin does with what it is given. Those that are not here take plain data and give plain data. */
export function callBuiltin(
  program: Program,
  site: Site,
  { name }: BuiltinValue,
  given: Arguments,
  result: Slot,
): void {
  (Object.hasOwn(MODELS, name) ? MODELS[name] : undefined)?.(program, site, given, result);
}

const text: Model = (program, _, __, result) => program.solver.add(result, program.any('PyStr'));
const number: Model = (program, _, __, result) => program.solver.add(result, program.any('PyNum'));
const bytes: Model = (program, _, __, result) => program.solver.add(result, program.any('PyBytes'));

/** Builtins that ask the object: `len(x)` is `x.__len__()`. */
function asking(method: string, also?: Model): Model {
  return (program, site, given, result) => {
    also?.(program, site, given, result);
    for (const { slot } of given.positional)
      program.solver.on(slot, (value) => callMethod(program, site, value, method, [], result));
  };
}

/** `str(x)`, `print(x)`: by `__str__`, where the class has none by `__repr__`. */
const shown: Model = (program, site, given, result) => {
  program.solver.add(result, program.any('PyStr'));
  for (const { slot } of given.positional) program.solver.on(slot, (value) => showOf(program, site, value));
};

export function showOf(program: Program, site: Site, value: Value): void {
  const none = new Slot();
  callMethod(program, site, value, '__str__', [], none, () => callMethod(program, site, value, '__repr__', [], none));
}

function descriptor(type: DescriptorValue['type']): Model {
  return (program, _, given, result) => {
    const getter = argument(given, 0, 'fget') ?? new Slot();
    const setter = argument(given, 1, 'fset') ?? new Slot();
    program.solver.add(result, { kind: 'descriptor', type, getter, setter });
  };
}

function listing(type: ContainerValue['type']): Model {
  return (program, site, given, result) => {
    const from = argument(given, 0);
    if (!from) program.solver.add(result, program.container(type, type === 'PySet' ? undefined : 0));
    else program.solver.flow(collected(program, site, given, type, from), result);
  };
}

/** `key=` of `sorted`, `min`, `max`: called with each element. */
const byKey = (program: Program, site: Site, given: Arguments, elements: Slot): void => {
  callBack(program, site, argument(given, Number.POSITIVE_INFINITY, 'key'), elements);
};

const extremum: Model = (program, site, given, result) => {
  const elements = new Slot();
  const [first, ...others] = given.positional;
  if (first && others.length === 0) iterate(program, site, first.slot, elements);
  else for (const { slot } of given.positional) program.solver.flow(slot, elements);
  byKey(program, site, given, elements);
  program.solver.flow(elements, result);
};

/** An iterator over what `elements` holds, each alone or several as a tuple. */
function iterator(program: Program, elements: readonly Slot[], result: Slot): void {
  const made = program.container('PyIterator');
  if (elements.length === 1) program.solver.flow(elements[0]!, made.rest);
  else program.solver.add(made.rest, sequence(program, 'PyTuple', elements));
  program.solver.add(result, made);
}

function eachOf(program: Program, site: Site, iterable: Slot | undefined): Slot {
  const element = new Slot();
  if (iterable) iterate(program, site, iterable, element);
  return element;
}

const MODELS: Readonly<Record<string, Model>> = {
  str: shown,
  repr: asking('__repr__', text),
  print: shown,
  format: shown,
  ascii: text,
  chr: text,
  hex: text,
  oct: text,
  bin: text,
  input: text,
  int: asking('__int__', number),
  float: asking('__float__', number),
  complex: asking('__complex__', number),
  abs: asking('__abs__', number),
  round: asking('__round__', number),
  hash: asking('__hash__', number),
  len: asking('__len__', number),
  bool: asking('__bool__', number),
  sum: (program, site, given, result) => {
    const element = eachOf(program, site, argument(given, 0));
    program.solver.add(result, program.any('PyNum'));
    program.solver.on(element, (value) => callMethod(program, site, value, '__add__', plain(element), result));
  },
  ord: number,
  id: number,
  divmod: number,
  pow: number,
  bytes,
  bytearray: bytes,
  dir: asking('__dir__'),
  list: listing('PyList'),
  tuple: listing('PyTuple'),
  set: listing('PySet'),
  frozenset: listing('PySet'),
  iter: (program, site, given, result) => {
    const from = argument(given, 0);
    if (!from) return;
    const sentinel = argument(given, 1);
    if (sentinel) return iterator(program, [callBack(program, site, from)], result);
    program.solver.on(from, (value) => {
      callMethod(program, site, value, '__iter__', [], result, () =>
        iterator(program, [eachOf(program, site, from)], result),
      );
    });
  },
  next: (program, site, given, result) => {
    const from = argument(given, 0);
    if (from) nextOf(program, site, from, result);
    const otherwise = argument(given, 1);
    if (otherwise) program.solver.flow(otherwise, result);
  },
  reversed: (program, site, given, result) => {
    const from = argument(given, 0);
    if (!from) return;
    program.solver.on(from, (value) => callMethod(program, site, value, '__reversed__', [], result));
    iterator(program, [eachOf(program, site, from)], result);
  },
  enumerate: (program, site, given, result) =>
    iterator(program, [program.slotFor(program.any('PyNum')), eachOf(program, site, argument(given, 0))], result),
  zip: (program, site, given, result) => {
    const elements = given.positional.map(({ slot }) => eachOf(program, site, slot));
    const made = program.container('PyIterator');
    program.solver.add(made.rest, sequence(program, 'PyTuple', elements));
    program.solver.add(result, made);
  },
  map: (program, site, given, result) => {
    const elements = given.positional.slice(1).map(({ slot }) => eachOf(program, site, slot));
    iterator(program, [callBack(program, site, argument(given, 0), ...elements)], result);
  },
  filter: (program, site, given, result) => {
    const element = eachOf(program, site, argument(given, 1));
    callBack(program, site, argument(given, 0), element);
    iterator(program, [element], result);
  },
  sorted: (program, site, given, result) => {
    const element = eachOf(program, site, argument(given, 0));
    byKey(program, site, given, element);
    program.solver.on(element, (value) => callMethod(program, site, value, '__lt__', plain(element), new Slot()));
    const list = program.container('PyList');
    program.solver.flow(element, list.rest);
    program.solver.add(result, list);
  },
  min: extremum,
  max: extremum,
  any: (program, site, given) => void eachOf(program, site, argument(given, 0)),
  all: (program, site, given) => void eachOf(program, site, argument(given, 0)),
  dict: (program, site, given, result) => {
    const made = program.container('PyDict');
    fillDict(program, site, made, given);
    program.solver.add(result, made);
  },
  property: descriptor('property'),
  staticmethod: descriptor('staticmethod'),
  classmethod: descriptor('classmethod'),
  object: () => {},
  type: (program, site, given, result) => {
    const of = argument(given, 0);
    if (of && given.positional.length === 1)
      program.solver.on(of, (value) => {
        if (value.kind === 'instance') program.solver.add(result, value.class);
        else if (value.kind === 'class' && value.metaclass) program.solver.flow(value.metaclass, result);
      });
    else if (given.positional.length >= 3) buildClass(program, site, given, result);
  },
  getattr: (program, site, given, result) => {
    const [object, name, otherwise] = [argument(given, 0), argument(given, 1), argument(given, 2)];
    if (otherwise) program.solver.flow(otherwise, result);
    if (object && name) namedAttribute(program, site, object, name, result);
  },
  hasattr: () => {},
  setattr: (program, site, given) => {
    const [object, name, value] = [argument(given, 0), argument(given, 1), argument(given, 2)];
    if (!object || !name || !value) return;
    program.solver.on(name, (each) => {
      if (each.kind === 'constant' && typeof each.constant === 'string')
        storeAttribute(program, site, object, each.constant, value);
    });
  },
  vars: (program, _, given, result) => {
    const of = argument(given, 0);
    if (of) program.solver.on(of, (value) => (value.kind === 'module' ? program.solver.add(result, value) : undefined));
  },
  issubclass: () => {},
};

/** `getattr(object, name)`: every attribute that the name may be, such as all that begin with `visit_`. */
export function namedAttribute(program: Program, site: Site, object: Slot, name: Slot, result: Slot): void {
  const { solver } = program;
  solver.on(name, (each) => {
    if (each.kind !== 'constant') return;
    const { constant } = each;
    if (typeof constant === 'string')
      return solver.on(object, (value) => attributeOf(program, site, value, constant, result));
    if (!each.affixes || each.affixes.join('').length < 2) return;
    solver.on(object, (value) => {
      for (const member of membersOf(program, value))
        if (mayBe(each, member)) attributeOf(program, site, value, member, result);
    });
  });
}

function membersOf(program: Program, value: Value): Set<string> {
  const names = new Set<string>();
  if (value.kind === 'module') for (const name of value.fields.keys()) names.add(name);
  const cls = value.kind === 'instance' ? value.class : value.kind === 'class' ? value : undefined;
  if (cls)
    program.classes.whenLinear(cls, () => {
      for (const ancestor of cls.linear ?? [])
        if (ancestor.kind === 'class') for (const name of ancestor.fields.keys()) names.add(name);
    });
  return names;
}

/** `dict(mapping, key=value)` and `mapping.update(…)`. */
export function fillDict(program: Program, site: Site, made: ContainerValue, given: Arguments): void {
  const { solver } = program;
  for (const { slot } of given.positional)
    solver.on(slot, (from) => {
      if (from instanceof ContainerValue && from.type === 'PyDict') return made.include(from);
      const pair = new Slot();
      elementsOf(program, site, from, pair);
      const [key, value] = [new Slot(), new Slot()];
      loadItem(program, site, pair, { kind: 'key', slot: program.slotFor(program.constant('PyNum', 0)) }, key);
      loadItem(program, site, pair, { kind: 'key', slot: program.slotFor(program.constant('PyNum', 1)) }, value);
      solver.flow(key, made.keys);
      solver.flow(value, made.rest);
    });
  for (const { name, slot } of given.keywords) {
    if (name === undefined)
      solver.on(slot, (from) => {
        if (from instanceof ContainerValue) made.include(from);
      });
    else {
      made.store(`s:${name}`, slot);
      solver.add(made.keys, program.constant('PyStr', name));
    }
  }
}

/** `type(name, bases, namespace)`: a class of its own for each place that calls it. */
function buildClass(program: Program, site: Site, given: Arguments, result: Slot): void {
  const { solver, classes } = program;
  const base = new Slot();
  iterate(program, site, given.positional[1]!.slot, base);
  const name = `${site.caller}.<class at line ${site.span.line}>`;
  const made = classes.define({
    name,
    bases: [base],
    metaclass: undefined,
    declaredFields: [],
    recordFields: undefined,
  });
  solver.on(given.positional[2]!.slot, (namespace) => {
    if (!(namespace instanceof ContainerValue)) return;
    for (const key of namespace.known) {
      if (!key.startsWith('s:')) continue;
      program.memberNames.add(key.slice(2));
      solver.flow(namespace.item(key), classes.patch(made, key.slice(2)));
    }
  });
  solver.add(result, made);
}
