import type { Cut, ValueTree } from '../../contract';
import { closeTo, floatOf, type Tolerance } from './value-float';
import { typeText, valueText } from './value-text';

/** Where two outcomes first differ, in words that a person or a model can use. */
export interface Difference {
  /** Like `result[0]['key'].attribute`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
  readonly failure: 'value' | 'type' | 'status' | 'files';
}

/** Elements of sets, and keys of dictionaries, that are matched one with any other; beyond, in order. */
const MATCHED = 2_000;

/**
 * Two values side by side. Sets and dictionaries have no order, unless they are ordered ones; floats may differ by the tolerance;
 * everything else must be the same, type included. A `ref` is what it refers to: whether two equal parts are one object is
 * not compared, and a cycle equals a cycle that unrolls alike.
 */
export class Comparison {
  readonly difference: Difference | undefined;
  readonly #expected: ReadonlyMap<number, ValueTree>;
  readonly #actual: ReadonlyMap<number, ValueTree>;
  readonly #tolerance: Tolerance;
  /** Pairs that are being compared, or were: met again they are taken to be equal. */
  readonly #met = new Map<ValueTree, Set<ValueTree>>();

  constructor(expected: ValueTree, actual: ValueTree, tolerance: Tolerance) {
    this.#expected = referredTo(expected);
    this.#actual = referredTo(actual);
    this.#tolerance = tolerance;
    this.difference = this.#compare(expected, actual, 'result');
  }

  #compare(a: ValueTree, b: ValueTree, path: string): Difference | undefined {
    if (a.t !== 'ref' && b.t !== 'ref') return this.#unlike(a, b, path);
    const expected = a.t === 'ref' ? (this.#expected.get(a.v) ?? a) : a;
    const actual = b.t === 'ref' ? (this.#actual.get(b.v) ?? b) : b;
    const met = this.#met.get(expected) ?? new Set();
    if (met.has(actual)) return undefined;
    this.#met.set(expected, met.add(actual));
    const found = this.#unlike(expected, actual, path);
    if (found) met.delete(actual);
    return found;
  }

  #unlike(expected: ValueTree, actual: ValueTree, path: string): Difference | undefined {
    const sameType = expected.t === 'name' || typeText(expected) === typeText(actual);
    if (expected.t !== actual.t || !sameType) return { ...pairText(expected, actual, path), failure: 'type' };
    return this.#sameType(expected, actual, path);
  }

  #sameType(expected: ValueTree, actual: ValueTree, path: string): Difference | undefined {
    const differs = (): Difference => ({ ...pairText(expected, actual, path), failure: 'value' });
    switch (expected.t) {
      case 'none':
      case 'exception':
      case 'opaque':
        return undefined;
      case 'bool':
      case 'int':
      case 'ref':
      case 'scalar':
        return expected.v === (actual as typeof expected).v ? undefined : differs();
      case 'name': {
        const other = actual as typeof expected;
        return expected.v === other.v && expected.kind === other.kind ? undefined : differs();
      }
      case 'float':
        return this.#close(expected.v, (actual as typeof expected).v) ? undefined : differs();
      case 'complex': {
        const other = actual as typeof expected;
        return this.#close(expected.re, other.re) && this.#close(expected.im, other.im) ? undefined : differs();
      }
      case 'str':
      case 'bytes': {
        const other = actual as typeof expected;
        return expected.v === other.v && sameCut(expected.cut, other.cut) ? undefined : differs();
      }
      case 'list':
      case 'tuple':
      case 'deque': {
        const other = actual as typeof expected;
        return this.#inOrder(expected.v, other.v, path) ?? (sameCut(expected.cut, other.cut) ? undefined : differs());
      }
      case 'iterator':
        return this.#iterators(expected, actual as typeof expected, path);
      case 'set':
      case 'frozenset': {
        const other = actual as typeof expected;
        const equal = sameCut(expected.cut, other.cut) && this.#matched(expected.v, other.v);
        return equal ? undefined : differs();
      }
      case 'dict':
        return this.#dicts(expected, actual as typeof expected, path);
      case 'array': {
        const other = actual as typeof expected;
        if (expected.shape.join() !== other.shape.join() || !sameCut(expected.cut, other.cut)) return differs();
        return this.#inOrder(expected.v, other.v, path);
      }
      case 'frame': {
        const other = actual as typeof expected;
        return (
          this.#inOrder(expected.columns, other.columns, `${path}.columns`) ??
          this.#compare(expected.index, other.index, `${path}.index`) ??
          this.#inOrder(expected.v, other.v, path)
        );
      }
      case 'object':
        return this.#objects(expected, actual as typeof expected, path);
      default:
        return expected satisfies never;
    }
  }

  #close(a: string, b: string): boolean {
    return a === b || closeTo(floatOf(a), floatOf(b), this.#tolerance);
  }

  #inOrder(expected: readonly ValueTree[], actual: readonly ValueTree[], path: string): Difference | undefined {
    const shared = Math.min(expected.length, actual.length);
    for (let at = 0; at < shared; at++) {
      const found = this.#compare(expected[at]!, actual[at]!, `${path}[${at}]`);
      if (found) return found;
    }
    if (expected.length === actual.length) return undefined;
    return {
      path: `len(${path})`,
      expected: String(expected.length),
      actual: String(actual.length),
      failure: 'value',
    };
  }

  #iterators(expected: Of<'iterator'>, actual: Of<'iterator'>, path: string): Difference | undefined {
    const found = this.#inOrder(expected.v, actual.v, path);
    if (found) return found;
    if (expected.raised && actual.raised) return this.#compare(expected.raised, actual.raised, `${path} (raised)`);
    if (!expected.raised && !actual.raised && sameCut(expected.cut, actual.cut)) return undefined;
    return { ...pairText(expected, actual, path), failure: 'value' };
  }

  /** Whether each element of one has an equal of its own in the other. */
  #matched(expected: readonly ValueTree[], actual: readonly ValueTree[]): boolean {
    if (expected.length !== actual.length) return false;
    const inOrder = expected.every((one, at) => this.#equal(one, actual[at]!));
    if (inOrder || expected.length > MATCHED) return inOrder;
    const left = [...actual];
    return expected.every((one) => {
      const at = left.findIndex((other) => this.#equal(one, other));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  }

  #equal(a: ValueTree, b: ValueTree): boolean {
    return this.#compare(a, b, '') === undefined;
  }

  #dicts(expected: Of<'dict'>, actual: Of<'dict'>, path: string): Difference | undefined {
    const differs = (): Difference => ({ ...pairText(expected, actual, path), failure: 'value' });
    if (!sameCut(expected.cut, actual.cut) || expected.v.length !== actual.v.length) return differs();
    const byKey = new Map(actual.v.map((pair) => [JSON.stringify(pair[0]), pair]));
    const left = new Set(actual.v);
    for (const [at, [key, value]] of expected.v.entries()) {
      const same = byKey.get(JSON.stringify(key));
      const found = expected.ordered ? actual.v[at]! : same && left.has(same) ? same : this.#keyed(key, left);
      if (found === undefined || !this.#equal(key, found[0])) return differs();
      left.delete(found);
      const difference = this.#compare(value, found[1], `${path}[${valueText(key, 40)}]`);
      if (difference) return difference;
    }
    return undefined;
  }

  #keyed(key: ValueTree, pairs: ReadonlySet<[ValueTree, ValueTree]>): [ValueTree, ValueTree] | undefined {
    return pairs.size > MATCHED ? undefined : [...pairs].find(([other]) => this.#equal(key, other));
  }

  #objects(expected: Of<'object'>, actual: Of<'object'>, path: string): Difference | undefined {
    const state = new Map(actual.state);
    for (const [name, value] of expected.state) {
      const other = state.get(name);
      state.delete(name);
      const at = `${path}.${name}`;
      if (other === undefined) return { path: at, expected: valueText(value), actual: 'nothing', failure: 'value' };
      const found = this.#compare(value, other, at);
      if (found) return found;
    }
    for (const [name, value] of state) {
      return { path: `${path}.${name}`, expected: 'nothing', actual: valueText(value), failure: 'value' };
    }
    return undefined;
  }
}

type Of<T extends ValueTree['t']> = Extract<ValueTree, { t: T }>;

function pairText(expected: ValueTree, actual: ValueTree, path: string): Omit<Difference, 'failure'> {
  const [was, is] = [valueText(expected), valueText(actual)];
  if (was !== is) return { path, expected: was, actual: is };
  return { path, expected: `${was} (${typeText(expected)})`, actual: `${is} (${typeText(actual)})` };
}

function sameCut(a: Cut | undefined, b: Cut | undefined): boolean {
  return a?.of === b?.of && a?.sha256 === b?.sha256;
}

/** Trees that are referred to, by number. */
function referredTo(root: ValueTree): ReadonlyMap<number, ValueTree> {
  const found = new Map<number, ValueTree>();
  const waiting = [root];
  for (let tree = waiting.pop(); tree !== undefined; tree = waiting.pop()) {
    if (tree.id !== undefined) found.set(tree.id, tree);
    waiting.push(...childrenOf(tree));
  }
  return found;
}

function childrenOf(tree: ValueTree): readonly ValueTree[] {
  switch (tree.t) {
    case 'list':
    case 'tuple':
    case 'set':
    case 'frozenset':
    case 'deque':
    case 'array':
    case 'exception':
      return tree.v;
    case 'iterator':
      return tree.raised ? [...tree.v, tree.raised] : tree.v;
    case 'dict':
      return tree.v.flat();
    case 'frame':
      return [...tree.columns, tree.index, ...tree.v];
    case 'object':
      return tree.state.map(([, value]) => value);
    default:
      return [];
  }
}
