import { callMethod, elementsOf, plain } from './objects';
import type { Program } from './program';
import { type ConstantValue, ContainerValue, keyOf, MAX_ITEMS, NOTHING, type Site, Slot } from './values';

/** A subscript as it is written: a slot of keys, or the bounds of a slice. */
export type Index =
  | { readonly kind: 'key'; readonly slot: Slot }
  | { readonly kind: 'slice'; readonly bounds: Bounds | undefined; readonly where: object };

/** Undefined bounds are those left out. */
interface Bounds {
  readonly lower: number | undefined;
  readonly upper: number | undefined;
  readonly step: number | undefined;
}

/** `object[index]`, into `result`. */
export function loadItem(program: Program, site: Site, object: Slot, index: Index, result: Slot): void {
  const { solver } = program;
  solver.on(object, (value) => {
    if (value.kind === 'instance') {
      const key = index.kind === 'key' ? index.slot : NOTHING;
      return callMethod(program, site, value, '__getitem__', [key], result, () => {
        if (value.contents instanceof ContainerValue) itemOf(program, value.contents, index, result);
      });
    }
    // Types take parameters and stay what they are: `Box[int]()`.
    if (value.kind === 'class' || value.kind === 'external' || value.kind === 'builtin') solver.add(result, value);
    if (value.kind === 'constant') solver.add(result, program.any(value.type));
    if (value.kind === 'module' && index.kind === 'key') moduleItem(program, value.fields, index.slot, result);
    if (value instanceof ContainerValue) itemOf(program, value, index, result);
  });
}

function itemOf(program: Program, container: ContainerValue, index: Index, result: Slot): void {
  const { solver } = program;
  if (index.kind === 'slice') {
    solver.add(result, sliced(program, container, index.bounds, index.where));
    return;
  }
  eachKey(program, index.slot, (key) => {
    if (key) container.load(key, result);
    else solver.flow(container.all, result);
  });
}

/** Tells each key that the slot may hold, `undefined` for one that cannot be told, or where nothing is known of it. */
function eachKey(program: Program, slot: Slot, tell: (key: ReturnType<typeof keyOf>) => void): void {
  program.solver.ifEmpty(slot, () => tell(undefined));
  program.solver.on(slot, (key) => tell(key.kind === 'constant' ? keyOf(key) : undefined));
}

/** `globals()["name"]`. */
function moduleItem(program: Program, fields: ReadonlyMap<string, Slot>, index: Slot, result: Slot): void {
  program.solver.on(index, (key) => {
    if (key.kind !== 'constant') return;
    for (const [name, slot] of fields) if (mayBe(key, name)) program.solver.flow(slot, result);
  });
}

/** Whether a text whose beginning and end are known may be this name. False of a text of which nothing is known. */
export function mayBe({ constant, affixes }: ConstantValue, name: string): boolean {
  if (constant !== undefined) return constant === name;
  if (!affixes) return false;
  const [prefix, suffix] = affixes;
  return name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);
}

/** `object[index] = value`. */
export function storeItem(program: Program, site: Site, object: Slot, index: Index, value: Slot): void {
  const { solver } = program;
  solver.on(object, (holder) => {
    if (holder.kind === 'instance') {
      const key = index.kind === 'key' ? index.slot : NOTHING;
      callMethod(program, site, holder, '__setitem__', [key, value], new Slot(), () => {
        if (holder.contents instanceof ContainerValue) putItem(program, holder.contents, index, value);
      });
    }
    if (holder.kind === 'module' && index.kind === 'key')
      solver.on(index.slot, (key) => {
        const name = key.kind === 'constant' ? key.constant : undefined;
        const field = typeof name === 'string' ? holder.fields.get(name) : undefined;
        if (field) solver.flow(value, field);
      });
    if (holder instanceof ContainerValue) putItem(program, holder, index, value);
  });
}

function putItem(program: Program, container: ContainerValue, index: Index, value: Slot): void {
  const { solver } = program;
  if (index.kind === 'slice') {
    solver.on(value, (from) => {
      if (from instanceof ContainerValue) solver.flow(from.all, container.rest);
    });
    return;
  }
  if (container.type === 'PyDict') solver.flow(index.slot, container.keys);
  eachKey(program, index.slot, (key) => {
    if (key) container.store(key, value);
    else solver.flow(value, container.rest);
  });
}

/** A slice of a list or tuple: elements keep their order where both the literal and the bounds are known. */
function sliced(program: Program, from: ContainerValue, bounds: Bounds | undefined, where: object): ContainerValue {
  const { length, isOpen } = from;
  return program.containerOf(where, from, () => {
    const { lower = 0, upper = Number.POSITIVE_INFINITY, step = 1 } = bounds ?? {};
    if (bounds && isOpen && lower >= 0 && upper >= 0 && step === 1) {
      const some = program.container(from.type, 0, true);
      some.takeRange(from, lower, upper);
      return some;
    }
    const places = bounds && length !== undefined && !isOpen ? placesOf(bounds, length) : undefined;
    const result = program.container(from.type, places?.length);
    if (places) result.takeEach(from, places);
    else program.solver.flow(from.all, result.rest);
    return result;
  });
}

/** The indices that a slice takes from a sequence of a length, as Python's `slice.indices` gives them. */
function placesOf({ lower, upper, step = 1 }: Bounds, length: number): number[] | undefined {
  if (step === 0) return undefined;
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const within = (at: number) => Math.min(most, Math.max(least, at < 0 ? at + length : at));
  const start = lower === undefined ? (step > 0 ? 0 : length - 1) : within(lower);
  const stop = upper === undefined ? (step > 0 ? length : -1) : within(upper);
  const places = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) places.push(at);
  return places;
}

/** Iterables side by side or in a row, as a new list or iterator made at `where`. */
export function collected(
  program: Program,
  site: Site,
  where: object,
  type: ContainerValue['type'],
  iterable: Slot,
): Slot {
  const result = new Slot();
  program.solver.on(iterable, (value) => {
    if (value instanceof ContainerValue && value.type !== 'PyDict') {
      const copy = program.containerOf(where, value, () => {
        const made = program.container(type, value.length);
        made.include(value);
        return made;
      });
      return program.solver.add(result, copy);
    }
    const made = program.containerOf(where, type, () => program.container(type));
    elementsOf(program, site, value, made.rest);
    program.solver.add(result, made);
  });
  program.solver.ifEmpty(result, () =>
    program.solver.add(
      result,
      program.containerOf(where, type, () => program.container(type)),
    ),
  );
  return result;
}

/** `a, *b, c = value` for `count` targets of which the one at `star`, if any, takes what is left as a list. */
export function unpack(
  program: Program,
  site: Site,
  value: Slot,
  count: number,
  star: number | undefined,
  where: object,
): Slot[] {
  const { solver } = program;
  const slots = Array.from({ length: count }, () => new Slot());
  solver.on(value, (from) => {
    if (from instanceof ContainerValue && from.type !== 'PyDict') {
      for (const [at, slot] of slots.entries()) {
        if (star === undefined || at < star) from.load(`i:${at}`, slot);
        else if (at > star) from.load(`i:${at - count}`, slot);
        else {
          const upper = at - count + 1;
          solver.add(slot, sliced(program, from, { lower: at, upper: upper === 0 ? undefined : upper, step: 1 }, slot));
        }
      }
      return;
    }
    const element = new Slot();
    elementsOf(program, site, from, element);
    for (const [at, slot] of slots.entries()) {
      if (at !== star) solver.flow(element, slot);
      else {
        const list = program.containerOf(where, slot, () => program.container('PyList'));
        solver.flow(element, list.rest);
        solver.add(slot, list);
      }
    }
  });
  return slots;
}

/** A list or tuple of these, by index. */
export function sequence(program: Program, type: ContainerValue['type'], elements: readonly Slot[]): ContainerValue {
  if (elements.length > MAX_ITEMS) {
    const heap = program.container(type);
    for (const element of elements) program.solver.flow(element, heap.rest);
    return heap;
  }
  const container = program.container(type, elements.length);
  for (const [at, element] of elements.entries()) container.store(`i:${at}`, element);
  return container;
}

/** Operators on instances: `left.method(right)`, or `right.reflected(left)`. */
export function operate(
  program: Program,
  site: Site,
  left: Slot,
  right: Slot,
  names: OperatorNames,
  result: Slot,
): void {
  const { solver } = program;
  if (program.memberNames.has(names.method))
    solver.on(left, (value) => callMethod(program, site, value, names.method, plain(right), result));
  const { reflected } = names;
  if (reflected !== undefined && program.memberNames.has(reflected))
    solver.on(right, (value) => callMethod(program, site, value, reflected, plain(left), result));
}

interface OperatorNames {
  readonly method: string;
  readonly reflected: string | undefined;
}

const binary = (name: string): OperatorNames => ({ method: `__${name}__`, reflected: `__r${name}__` });
const compared = (name: string, reflected: string): OperatorNames => ({
  method: `__${name}__`,
  reflected: `__${reflected}__`,
});

/** Special methods behind operators. */
export const OPERATORS: Readonly<Record<string, OperatorNames | undefined>> = {
  '+': binary('add'),
  '-': binary('sub'),
  '*': binary('mul'),
  '/': binary('truediv'),
  '//': binary('floordiv'),
  '%': binary('mod'),
  '**': binary('pow'),
  '@': binary('matmul'),
  '&': binary('and'),
  '|': binary('or'),
  '^': binary('xor'),
  '<<': binary('lshift'),
  '>>': binary('rshift'),
  '==': compared('eq', 'eq'),
  '!=': compared('ne', 'ne'),
  '<': compared('lt', 'gt'),
  '>': compared('gt', 'lt'),
  '<=': compared('le', 'ge'),
  '>=': compared('ge', 'le'),
};
