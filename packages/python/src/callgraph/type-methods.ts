import { fillDict } from './builtins';
import { collected, sequence } from './items';
import { argument, callBack, iterate } from './objects';
import type { Program } from './program';
import { type Arguments, ContainerValue, keyOf, type Site, type Slot, type TypeMethodValue } from './values';

interface MethodCall {
  readonly program: Program;
  readonly site: Site;
  readonly of: ContainerValue;
  readonly given: Arguments;
  readonly result: Slot;
}

/**
 * Methods of builtin types. One that only moves elements is followed as the assignment that it is; any other is a call
 * like `<**PyStr**>.join`.
 */
export function callTypeMethod(
  program: Program,
  site: Site,
  method: TypeMethodValue,
  given: Arguments,
  result: Slot,
): void {
  const { type, name, receiver } = method;
  if (receiver instanceof ContainerValue) {
    const models = type === 'PyDict' ? DICT : LIST;
    const model = Object.hasOwn(models, name) ? models[name] : undefined;
    if (model) {
      site.resolved = true;
      model({ program, site, of: receiver, given, result });
      return;
    }
  }
  if (receiver?.kind === 'generator') {
    site.resolved = true;
    if (name === 'send' || name === '__next__' || name === '__anext__') program.solver.flow(receiver.yielded, result);
    return;
  }
  program.edge(site, `<**${type}**>.${name}`);
  if (type === 'PyStr' && TEXT_LISTS.has(name)) {
    const list = program.containerOf(method, type, () => program.container('PyList'));
    program.solver.add(list.rest, program.any('PyStr'));
    program.solver.add(result, list);
  } else if (type === 'PyStr' && !TEXT_FACTS.has(name))
    program.solver.add(result, program.any(name === 'encode' ? 'PyBytes' : 'PyStr'));
  else if (type === 'PyBytes' && name === 'decode') program.solver.add(result, program.any('PyStr'));
}

const TEXT_LISTS: ReadonlySet<string> = new Set(['split', 'rsplit', 'splitlines', 'partition', 'rpartition']);
const TEXT_FACTS: ReadonlySet<string> = new Set(
  'count find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper rfind rindex startswith endswith'.split(
    ' ',
  ),
);

type Model = (call: MethodCall) => void;

/** Elements under a key that the first argument names; `undefined` where it can be any. */
function atKey({ program, of, given, result }: MethodCall): void {
  const key = argument(given, 0);
  if (!key) {
    program.solver.flow(of.all, result);
    return;
  }
  program.solver.ifEmpty(key, () => program.solver.flow(of.all, result));
  program.solver.on(key, (each) => {
    const known = each.kind === 'constant' ? keyOf(each) : undefined;
    if (known) of.load(known, result);
    else program.solver.flow(of.all, result);
  });
}

const otherwise: Model = ({ program, given, result }) => {
  const value = argument(given, 1, 'default');
  if (value) program.solver.flow(value, result);
};

const copy: Model = ({ program, site, of, result }) => {
  const made = program.containerOf(site, of, () => {
    const other = program.container(of.type, of.length);
    other.include(of);
    return other;
  });
  program.solver.add(result, made);
};

function viewOf({ program, site, of, result }: MethodCall, fill: (view: ContainerValue) => void): void {
  program.solver.add(
    result,
    program.containerOf(site, of, () => {
      const view = program.container('PyIterator');
      fill(view);
      return view;
    }),
  );
}

const DICT: Readonly<Record<string, Model>> = {
  get: (call) => {
    atKey(call);
    otherwise(call);
  },
  pop: (call) => {
    atKey(call);
    otherwise(call);
  },
  setdefault: (call) => {
    const { program, of, given } = call;
    const [key, value] = [argument(given, 0), argument(given, 1)];
    if (key && value) {
      program.solver.flow(key, of.keys);
      program.solver.ifEmpty(key, () => program.solver.flow(value, of.rest));
      program.solver.on(key, (each) => {
        const known = each.kind === 'constant' ? keyOf(each) : undefined;
        program.solver.flow(value, known ? of.item(known) : of.rest);
      });
    }
    atKey(call);
  },
  update: ({ program, site, of, given }) => fillDict(program, site, of, given),
  copy,
  values: (call) => viewOf(call, (view) => call.program.solver.flow(call.of.all, view.rest)),
  keys: (call) => viewOf(call, (view) => call.program.solver.flow(call.of.keys, view.rest)),
  items: (call) =>
    viewOf(call, (view) =>
      call.program.solver.add(view.rest, sequence(call.program, 'PyTuple', [call.of.keys, call.of.all])),
    ),
  popitem: ({ program, of, result }) => program.solver.add(result, sequence(program, 'PyTuple', [of.keys, of.all])),
  clear: () => {},
  move_to_end: () => {},
};

const push: Model = ({ program, of, given }) => {
  const value = argument(given, given.positional.length - 1);
  if (value) program.solver.flow(value, of.length === undefined ? of.rest : of.tail);
};

const LIST: Readonly<Record<string, Model>> = {
  append: push,
  add: push,
  appendleft: (call) => {
    push(call);
    call.of.shuffle();
  },
  insert: (call) => {
    push(call);
    call.of.shuffle();
  },
  extend: ({ program, site, of, given }) => {
    const from = argument(given, 0);
    if (from) iterate(program, site, from, of.length === undefined ? of.rest : of.tail);
  },
  update: ({ program, site, of, given }) => {
    for (const { slot } of given.positional) iterate(program, site, slot, of.rest);
  },
  pop: (call) => {
    const { program, of, given, result } = call;
    if (given.positional.length === 0) return of.load('i:-1', result);
    of.shuffle();
    program.solver.flow(of.all, result);
  },
  popleft: ({ program, of, result }) => {
    of.shuffle();
    program.solver.flow(of.all, result);
  },
  remove: ({ of }) => of.shuffle(),
  reverse: ({ of }) => of.shuffle(),
  clear: () => {},
  sort: ({ program, site, of, given }) => {
    callBack(program, site, argument(given, Number.POSITIVE_INFINITY, 'key'), of.all);
    of.shuffle();
  },
  copy,
  union: ({ program, site, of, given, result }) => {
    const made = program.containerOf(site, of, () => program.container(of.type));
    made.include(of);
    for (const { slot } of given.positional) iterate(program, site, slot, made.rest);
    program.solver.add(result, made);
  },
  difference: copy,
  intersection: copy,
  symmetric_difference: copy,
  __iter__: ({ program, site, of, result }) =>
    program.solver.flow(collected(program, site, site, 'PyIterator', program.slotFor(of)), result),
  __next__: ({ program, of, result }) => program.solver.flow(of.all, result),
};
