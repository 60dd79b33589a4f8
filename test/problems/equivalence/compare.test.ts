import fc from 'fast-check';
import type { CaseOutcome, ValueTree } from '../../../src/contract';
import { compareOutcomes } from '../../../src/problems/equivalence/compare';
import { isInformative, isInformativeOutcome } from '../../../src/problems/equivalence/validity';
import { floatOf, floatText } from '../../../src/problems/equivalence/value-float';
import { valueText } from '../../../src/problems/equivalence/value-text';

const returned = (value: ValueTree): CaseOutcome => ({
  case: 'case_a',
  status: 'returned',
  value,
  files: {},
  seconds: 0,
});
const raised = (type: string, message = ''): CaseOutcome => ({
  case: 'case_a',
  status: 'raised',
  raised: { type, message, trace: '' },
  files: {},
  seconds: 0,
});
const compare = (a: ValueTree, b: ValueTree) => compareOutcomes(returned(a), returned(b));

const int = (v: number): ValueTree => ({ t: 'int', v: String(v) });
const float = (v: string): ValueTree => ({ t: 'float', v });
const str = (v: string): ValueTree => ({ t: 'str', v });
const list = (...v: ValueTree[]): ValueTree => ({ t: 'list', v });
const set = (...v: ValueTree[]): ValueTree => ({ t: 'set', v });

/** `float.hex` of Python, for numbers that are not tiny. */
function hex(number: number): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf';
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, number);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const fraction = (high & 0xfffff).toString(16).padStart(5, '0') + bits.getUint32(4).toString(16).padStart(8, '0');
  const power = exponent === 0 ? (number === 0 ? 0 : -1022) : exponent - 1023;
  return `${high >>> 31 ? '-' : ''}0x${exponent === 0 ? 0 : 1}.${fraction}p${power < 0 ? '' : '+'}${power}`;
}

/** A leaf is told by where it stands, so that no two of one tree are equal and one that was changed is not found elsewhere. */
const leaves: fc.Arbitrary<ValueTree> = fc.oneof(
  fc.constant<ValueTree>({ t: 'none' }),
  fc.boolean().map((v): ValueTree => ({ t: 'bool', v })),
  fc.bigInt().map((v): ValueTree => ({ t: 'int', v: String(v) })),
  fc.double().map((v): ValueTree => float(hex(v))),
  fc.string().map(str),
  fc.constantFrom('2020-01-01', '1/3').map((v): ValueTree => ({ t: 'scalar', type: 'a.Date', v })),
  fc.constantFrom('f', 'g').map((v): ValueTree => ({ t: 'name', kind: 'function', v })),
);
const { tree: trees } = fc.letrec<{ tree: ValueTree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaves,
    fc.record({ t: fc.constantFrom('list', 'tuple', 'deque'), v: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ t: fc.constantFrom('set', 'frozenset'), v: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc.record({ t: fc.constant('iterator'), v: fc.array(tie('tree'), { maxLength: 4 }) }),
    fc
      .uniqueArray(fc.tuple(fc.string(), tie('tree')), { maxLength: 4, selector: ([key]) => key })
      .map((pairs) => ({ t: 'dict', v: pairs.map(([key, value]) => [str(key), value]) })),
    fc
      .uniqueArray(fc.tuple(fc.string(), tie('tree')), { maxLength: 4, selector: ([key]) => key })
      .map((state) => ({ t: 'object', type: 'pkg.Thing', state })),
    fc
      .array(tie('tree'), { maxLength: 3 })
      .map((v) => ({ t: 'array', type: 'numpy.ndarray', dtype: 'float64', shape: [v.length], v })),
  ) as fc.Arbitrary<ValueTree>,
}));

/** The same tree with the leaf at a place, counted from the left, replaced by a value that no leaf has. */
function changed(tree: ValueTree, at: number): ValueTree {
  let left = at;
  const visit = (one: ValueTree): ValueTree => {
    switch (one.t) {
      case 'list':
      case 'tuple':
      case 'deque':
      case 'set':
      case 'frozenset':
      case 'iterator':
      case 'array':
        return { ...one, v: one.v.map(visit) };
      case 'dict':
        return { ...one, v: one.v.map(([key, value]) => [key, visit(value)]) };
      case 'object':
        return { ...one, state: one.state.map(([name, value]) => [name, visit(value)]) };
      default:
        left -= 1;
        return left === -1 ? { t: 'scalar', type: 'nobody.Has', v: 'this' } : one;
    }
  };
  return visit(tree);
}

describe('values as data', () => {
  test('a value equals itself, however often it went through JSON', () => {
    fc.assert(fc.property(trees, (tree) => compare(tree, JSON.parse(JSON.stringify(tree))).equal));
  });

  test('any single leaf that is another makes a difference, whichever side it is on', () => {
    fc.assert(
      fc.property(trees, fc.nat(40), (tree, at) => {
        const other = changed(tree, at);
        const same = JSON.stringify(other) === JSON.stringify(tree);
        expect(compare(tree, other).equal).toBe(same);
        expect(compare(other, tree).equal).toBe(same);
      }),
    );
  });

  test('comparing is symmetric', () => {
    fc.assert(fc.property(trees, trees, (a, b) => compare(a, b).equal === compare(b, a).equal));
  });

  test('sets and dictionaries have no order, ordered ones do', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 6 }), (numbers) => {
        const trees = numbers.map(int);
        const backwards = [...trees].reverse();
        const pairs = (keys: ValueTree[]): [ValueTree, ValueTree][] => keys.map((key) => [key, list(key)]);
        expect(compare(set(...trees), set(...backwards)).equal).toBe(true);
        expect(compare({ t: 'dict', v: pairs(trees) }, { t: 'dict', v: pairs(backwards) }).equal).toBe(true);
        const ordered = (keys: ValueTree[]): ValueTree => ({ t: 'dict', ordered: true, v: pairs(keys) });
        expect(compare(ordered(trees), ordered(backwards)).equal).toBe(false);
        expect(compare(list(...trees), list(...backwards)).equal).toBe(false);
      }),
    );
  });

  test('floats may differ in their last digits, also in sets and as keys; ints and bools are no floats', () => {
    const third = float(hex(1 / 3));
    const nearly = float(hex(1 / 3 + 1e-16));
    expect(compare(third, nearly).equal).toBe(true);
    expect(compare(set(third, int(1)), set(int(1), nearly)).equal).toBe(true);
    expect(compare({ t: 'dict', v: [[third, int(1)]] }, { t: 'dict', v: [[nearly, int(1)]] }).equal).toBe(true);
    expect(compare(third, float(hex(0.3333))).equal).toBe(false);
    expect(compare(float('nan'), float('nan')).equal).toBe(true);
    expect(compare(float('inf'), float('-inf')).equal).toBe(false);
    expect(compare(float('inf'), float(hex(1e308))).equal).toBe(false);
    expect(compare(float(hex(0)), float(hex(-0))).equal).toBe(true);
    expect(compare(float(hex(1)), int(1))).toMatchObject({ equal: false, failure: 'type', path: 'result' });
    expect(compare({ t: 'bool', v: true }, int(1))).toMatchObject({ equal: false, failure: 'type' });
  });

  test('what refers back is what it refers to: aliases, and cycles that unroll alike', () => {
    const alias = list({ ...list(int(1)), id: 0 }, { t: 'ref', v: 0 });
    expect(compare(alias, list(list(int(1)), list(int(1)))).equal).toBe(true);
    expect(compare(alias, list(list(int(1)), list(int(2)))).equal).toBe(false);
    const loop: ValueTree = { t: 'list', id: 0, v: [int(1), { t: 'ref', v: 0 }] };
    const unrolled: ValueTree = { t: 'list', id: 0, v: [int(1), list(int(1), { t: 'ref', v: 0 })] };
    const other: ValueTree = { t: 'list', id: 0, v: [int(1), list(int(2), { t: 'ref', v: 0 })] };
    expect(compare(loop, unrolled).equal).toBe(true);
    expect(compare(loop, other).equal).toBe(false);
    expect(compare(other, loop).equal).toBe(false);
  });

  test('what was cut differs by its hash', () => {
    const cut = (sha256: string): ValueTree => ({ t: 'str', v: 'aa', cut: { of: 9, sha256 } });
    expect(compare(cut('1'), cut('1')).equal).toBe(true);
    expect(compare(cut('1'), cut('2')).equal).toBe(false);
    expect(compare(cut('1'), str('aa')).equal).toBe(false);
  });

  test('a difference says where it is and what was expected, in words of Python', () => {
    const thing = (x: ValueTree): ValueTree => ({ t: 'object', type: 'pkg.Point', state: [['x', x]] });
    const dict = (value: ValueTree): ValueTree => ({ t: 'dict', v: [[str('a'), list(int(1), thing(value))]] });
    expect(compare(dict(int(1)), dict(int(2)))).toEqual({
      equal: false,
      path: "result['a'][1].x",
      expected: '1',
      actual: '2',
      failure: 'value',
    });
    expect(compare(list(int(1)), list(int(1), int(2)))).toMatchObject({
      path: 'len(result)',
      expected: '1',
      actual: '2',
    });
  });
});

describe('outcomes', () => {
  test('exceptions are compared by type, not by message', () => {
    expect(compareOutcomes(raised('ValueError', 'a'), raised('ValueError', 'b')).equal).toBe(true);
    expect(compareOutcomes(raised('ValueError'), raised('KeyError'))).toMatchObject({ equal: false, failure: 'type' });
    expect(compareOutcomes(raised('ValueError'), returned({ t: 'none' }))).toMatchObject({
      equal: false,
      failure: 'status',
    });
  });

  test('what came to no answer equals nothing, not even itself', () => {
    for (const status of ['timeout', 'crashed', 'missing'] as const) {
      const outcome: CaseOutcome = { case: 'case_a', status, files: {}, seconds: 0 };
      expect(compareOutcomes(outcome, outcome)).toMatchObject({ equal: false, failure: 'status' });
      expect(compareOutcomes(returned(int(1)), outcome)).toMatchObject({ equal: false, failure: 'status' });
    }
  });

  test('files that were left are part of it', () => {
    const left = (files: CaseOutcome['files']): CaseOutcome => ({ ...returned(int(1)), files });
    expect(compareOutcomes(left({ a: 'x' }), left({ a: 'x' })).equal).toBe(true);
    expect(compareOutcomes(left({ a: 'x' }), left({ a: 'y' }))).toMatchObject({ path: 'file a', failure: 'files' });
    expect(compareOutcomes(left({}), left({ a: 'y' }))).toMatchObject({ expected: 'no such file' });
    expect(compareOutcomes(left({ a: { bytes: 2, sha256: 'q' } }), left({ a: { bytes: 3, sha256: 'q' } })).equal).toBe(
      false,
    );
  });

  test('None, and what nobody can look into, say nothing', () => {
    const opaque: ValueTree = { t: 'opaque', type: 'object', why: '' };
    const call = (...state: [string, ValueTree][]): ValueTree => ({ t: 'object', type: 'call', state });
    expect(isInformative({ t: 'none' })).toBe(false);
    expect(isInformative(list({ t: 'none' }, opaque))).toBe(false);
    expect(isInformative(call(['returned', { t: 'none' }]))).toBe(false);
    expect(isInformative(call(['returned', { t: 'none' }], ['changed 0', list(int(1))]))).toBe(true);
    expect(isInformative(list())).toBe(true);
    expect(isInformativeOutcome(returned({ t: 'none' }))).toBe(false);
    expect(isInformativeOutcome({ ...returned({ t: 'none' }), files: { a: '' } })).toBe(true);
    expect(isInformativeOutcome(raised('ValueError'))).toBe(true);
  });
});

describe('text', () => {
  test('floats go through hexadecimal and back, every one', () => {
    fc.assert(fc.property(fc.double(), (number) => Object.is(floatOf(hex(number)), number)));
    expect([1, 0.1, 1e16, 1e-5, -0, 1.5e300, Number.NaN].map(floatText)).toEqual([
      '1.0',
      '0.1',
      '1e+16',
      '1e-05',
      '-0.0',
      '1.5e+300',
      'nan',
    ]);
  });

  test('values read like Python', () => {
    const value: ValueTree = {
      t: 'dict',
      v: [
        [str("it's"), { t: 'tuple', v: [int(1)] }],
        [{ t: 'bytes', v: btoa('\u0000a') }, set()],
      ],
    };
    expect(valueText(value)).toBe(`{"it's": (1,), b'\\x00a': set()}`);
    expect(valueText(list(...Array.from({ length: 100 }, (_, at) => int(at))), 20)).toBe('[0, 1, 2, 3, 4, 5...');
  });
});
