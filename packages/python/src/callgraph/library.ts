import { fillDict } from './builtins';
import { collected } from './items';
import { argument, bindMember, call, callBack, iterate, loadAttribute, plain } from './objects';
import type { Program } from './program';
import {
  type Arguments,
  type ExternalValue,
  type NativeValue,
  NO_ARGUMENTS,
  type Site,
  Slot,
  type Value,
} from './values';

type Model = (program: Program, site: Site, given: Arguments, result: Slot) => void;

/**
 * What a call of something imported from elsewhere does with what it is given, for those parts of the standard library
 * that call back or hand functions on. Of anything else the result is only known by name: `pkg.Thing().go` is
 * `pkg.Thing.go`.
 */
export function callExternal(
  program: Program,
  site: Site,
  callee: ExternalValue,
  given: Arguments,
  result: Slot,
): void {
  const model = Object.hasOwn(MODELS, callee.name) ? MODELS[callee.name] : undefined;
  if (model) model(program, site, given, result);
  else if (callee.depth === 0 && !callee.isResult) program.solver.add(result, program.external(callee.name, 0, true));
}

/** Decorators that give back what they are put on, as far as calls go. */
export function keepsItsArgument(name: string): boolean {
  return MODELS[name] === firstArgument || MODELS[name] === orDecorator;
}

const firstArgument: Model = (program, _, given, result) => {
  const first = argument(given, 0);
  if (first) program.solver.flow(first, result);
};

const identity: NativeValue = { kind: 'native', name: 'identity', call: () => {} };

function identityOf(program: Program): Value {
  return { ...identity, call: (site, given, result) => firstArgument(program, site, given, result) };
}

/** `@decorate` and `@decorate(option=…)` alike. */
const orDecorator: Model = (program, site, given, result) => {
  if (given.positional.length > 0) firstArgument(program, site, given, result);
  program.solver.add(result, identityOf(program));
};

const decorator: Model = (program, _, __, result) => program.solver.add(result, identityOf(program));

const property: Model = (program, _, given, result) => {
  const getter = argument(given, 0, 'func');
  if (getter) program.solver.add(result, { kind: 'descriptor', type: 'property', getter, setter: new Slot() });
};

/** Calls its first argument, now or later, with the others. */
const callsFirst: Model = (program, site, given, result) => {
  const [first, ...others] = given.positional;
  if (first) call(program, site, first.slot, { positional: others, keywords: given.keywords }, result);
};

function callsNamed(name: string, at: number): Model {
  return (program, site, given) => {
    const callee = argument(given, at, name);
    if (!callee) return;
    const positional = new Slot();
    const handed = argument(given, Number.POSITIVE_INFINITY, 'args');
    if (handed) program.solver.flow(handed, positional);
    call(
      program,
      site,
      callee,
      { positional: handed ? [{ slot: positional, spread: true }] : [], keywords: [] },
      new Slot(),
    );
  };
}

const joinedIterables: Model = (program, site, given, result) => {
  const made = program.containerOf(given, 'chain', () => program.container('PyIterator'));
  for (const { slot } of given.positional) iterate(program, site, slot, made.rest);
  program.solver.add(result, made);
};

const sameElements: Model = (program, site, given, result) => {
  const from = argument(given, 0);
  if (from) program.solver.flow(collected(program, site, given, 'PyIterator', from), result);
};

const context: Model = (program, _, given, result) => {
  const make = argument(given, 0);
  if (!make) return;
  program.solver.add(result, {
    kind: 'native',
    name: 'contextmanager',
    call: (site, arguments_, out) => {
      const generator = new Slot();
      call(program, site, make, arguments_, generator);
      program.solver.on(generator, (value) => {
        if (value.kind === 'generator') program.solver.add(out, value);
      });
    },
  });
};

const MODELS: Readonly<Record<string, Model>> = {
  'functools.wraps': decorator,
  'functools.update_wrapper': firstArgument,
  'functools.lru_cache': orDecorator,
  'functools.cache': orDecorator,
  'functools.total_ordering': orDecorator,
  'functools.singledispatch': orDecorator,
  'functools.singledispatchmethod': orDecorator,
  'functools.cached_property': property,
  'abc.abstractproperty': property,
  'abc.abstractmethod': firstArgument,
  'abc.abstractclassmethod': firstArgument,
  'abc.abstractstaticmethod': firstArgument,
  'typing.overload': firstArgument,
  'typing.final': firstArgument,
  'typing.no_type_check': firstArgument,
  'typing.runtime_checkable': firstArgument,
  'typing.cast': (program, _, given, result) => {
    const value = argument(given, 1);
    if (value) program.solver.flow(value, result);
  },
  'dataclasses.dataclass': orDecorator,
  'enum.unique': firstArgument,
  'atexit.register': firstArgument,
  'copy.copy': firstArgument,
  'copy.deepcopy': firstArgument,
  'weakref.proxy': firstArgument,
  'contextlib.contextmanager': context,
  'contextlib.asynccontextmanager': context,
  'contextlib.closing': firstArgument,
  'asyncio.coroutine': firstArgument,
  'types.coroutine': firstArgument,
  'functools.partial': (program, _, given, result) => {
    const [callee, ...positional] = given.positional;
    if (callee)
      program.solver.add(result, {
        kind: 'partial',
        callee: callee.slot,
        given: { positional, keywords: given.keywords },
      });
  },
  'functools.partialmethod': (program, _, given, result) => {
    const callee = argument(given, 0);
    if (callee) program.solver.flow(callee, result);
  },
  'functools.reduce': (program, site, given, result) => {
    const element = new Slot();
    const iterable = argument(given, 1);
    if (iterable) iterate(program, site, iterable, element);
    const soFar = new Slot();
    const start = argument(given, 2);
    program.solver.flow(start ?? element, soFar);
    const next = callBack(program, site, argument(given, 0), soFar, element);
    program.solver.flow(next, soFar);
    program.solver.flow(soFar, result);
  },
  'functools.cmp_to_key': firstArgument,
  'operator.methodcaller': (program, _, given, result) => {
    const name = argument(given, 0);
    if (!name) return;
    program.solver.on(name, (value) => {
      if (value.kind !== 'constant' || typeof value.constant !== 'string') return;
      const method = value.constant;
      program.solver.add(result, {
        kind: 'native',
        name: 'methodcaller',
        call: (site, received, out) => {
          const object = argument(received, 0);
          if (!object) return;
          const callee = new Slot();
          loadAttribute(program, site, object, method, callee);
          call(program, site, callee, NO_ARGUMENTS, out);
        },
      });
    });
  },
  'collections.OrderedDict': (program, site, given, result) => {
    const made = program.container('PyDict');
    fillDict(program, site, made, given);
    program.solver.add(result, made);
  },
  'collections.defaultdict': (program, site, given, result) => {
    const made = program.container('PyDict');
    fillDict(program, site, made, { positional: given.positional.slice(1), keywords: given.keywords });
    program.solver.flow(callBack(program, site, argument(given, 0)), made.rest);
    program.solver.add(result, made);
  },
  'collections.deque': (program, site, given, result) => {
    const from = argument(given, 0);
    const made = program.container('PyList');
    if (from) iterate(program, site, from, made.rest);
    program.solver.add(result, made);
  },
  'itertools.chain': joinedIterables,
  'itertools.chain.from_iterable': (program, site, given, result) => {
    const inner = new Slot();
    const from = argument(given, 0);
    if (from) iterate(program, site, from, inner);
    joinedIterables(program, site, plain(inner), result);
  },
  'itertools.islice': sameElements,
  'itertools.cycle': sameElements,
  'itertools.takewhile': (program, site, given, result) => filtered(program, site, given, result),
  'itertools.dropwhile': (program, site, given, result) => filtered(program, site, given, result),
  'itertools.filterfalse': (program, site, given, result) => filtered(program, site, given, result),
  'itertools.starmap': (program, site, given, result) => {
    const [callee, rows] = [argument(given, 0), argument(given, 1)];
    if (!callee || !rows) return;
    const row = new Slot();
    iterate(program, site, rows, row);
    const made = program.container('PyIterator');
    call(program, site, callee, { positional: [{ slot: row, spread: true }], keywords: [] }, made.rest);
    program.solver.add(result, made);
  },
  'itertools.groupby': (program, site, given) => {
    const element = new Slot();
    const from = argument(given, 0);
    if (from) iterate(program, site, from, element);
    callBack(program, site, argument(given, 1, 'key'), element);
  },
  're.sub': callsNamed('repl', 1),
  're.subn': callsNamed('repl', 1),
  'threading.Thread': callsNamed('target', 1),
  'threading.Timer': callsNamed('function', 1),
  'multiprocessing.Process': callsNamed('target', 1),
  'asyncio.run': (program, _, given, result) => {
    const first = argument(given, 0);
    if (first) awaited(program, first, result);
  },
  'contextlib.ExitStack': () => {},
  'timeit.timeit': callsFirst,
  'importlib.import_module': () => {},
};

function filtered(program: Program, site: Site, given: Arguments, result: Slot): void {
  const from = argument(given, 1);
  const element = new Slot();
  if (from) iterate(program, site, from, element);
  callBack(program, site, argument(given, 0), element);
  const made = program.containerOf(given, 'filtered', () => program.container('PyIterator'));
  program.solver.flow(element, made.rest);
  program.solver.add(result, made);
}

/** `await x`: what a coroutine returns, or what `__await__` is asked for. */
export function awaited(program: Program, from: Slot, result: Slot): void {
  program.solver.on(from, (value) => {
    if (value.kind === 'coroutine') program.solver.flow(value.returned, result);
    else if (value.kind === 'external') program.solver.add(result, value);
  });
}

/** What `with x as y` gives to `y`; the entry and the exit are called. */
export function entered(program: Program, site: Site, value: Value, isAsync: boolean, result: Slot): void {
  const [enter, exit] = isAsync ? ['__aenter__', '__aexit__'] : ['__enter__', '__exit__'];
  if (value.kind === 'generator') {
    program.solver.flow(value.yielded, result);
    return;
  }
  if (value.kind === 'external' && value.isResult) {
    program.solver.add(result, value);
    return;
  }
  if (value.kind !== 'instance') return;
  for (const [name, into] of [
    [enter, result],
    [exit, new Slot()],
  ] as const) {
    program.classes.lookup(value.class, name!, (lookup) => {
      if (lookup.kind !== 'found') return name === enter ? program.solver.add(into, value) : undefined;
      const method = new Slot();
      const given = new Slot();
      program.solver.on(lookup.found.slot, (member) => bindMember(program, site, member, value, method));
      call(program, site, method, name === enter ? NO_ARGUMENTS : plain(given, given, given), isAsync ? given : into);
      if (isAsync) awaited(program, given, into);
    });
  }
}
