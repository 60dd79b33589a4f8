import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import type { CaseOutcome, ValueTree } from '../../../../src/contract';
import { pytestBundle } from '../../../../src/environments/harness/pytest-bundle';
import { compareOutcomes } from '../../../../src/problems/equivalence/compare';

const PROGRAM = `import json, sys
sys.path.insert(0, sys.argv[1])
from pointsman_compare import first_difference
print(json.dumps([first_difference(a, b) for a, b in json.load(sys.stdin)]))`;

function differences(pairs: readonly (readonly [CaseOutcome, CaseOutcome])[]): (string | null)[] {
  const folder = join(__dirname, '../../../../src/environments/harness/pytest');
  const options = { encoding: 'utf8', input: JSON.stringify(pairs), maxBuffer: 1 << 26 } as const;
  return JSON.parse(execFileSync('python3', ['-c', PROGRAM, folder], options)) as (string | null)[];
}

const floats = fc.constantFrom('0x1.8000000000000p+0', '0x1.8000000000001p+0', '-0x0.0p+0', '0x0.0p+0', 'nan', 'inf');
const { value } = fc.letrec<{ value: ValueTree }>((tie) => {
  const some = fc.array(tie('value'), { maxLength: 3 });
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant<ValueTree>({ t: 'none' }),
      fc.boolean().map((v): ValueTree => ({ t: 'bool', v })),
      fc.integer({ min: 0, max: 2 }).map((v): ValueTree => ({ t: 'int', v: String(v) })),
      floats.map((v): ValueTree => ({ t: 'float', v })),
      fc.tuple(floats, floats).map(([re, im]): ValueTree => ({ t: 'complex', re, im })),
      fc.constantFrom<ValueTree>(
        { t: 'str', v: 'a' },
        { t: 'str', v: 'a', cut: { of: 9, sha256: 'x' } },
        { t: 'bytes', v: 'YQ==' },
        { t: 'scalar', type: 'Decimal', v: '1' },
        { t: 'scalar', type: 'Fraction', v: '1' },
        { t: 'name', kind: 'function', v: 'len' },
        { t: 'exception', type: 'KeyError', v: [] },
        { t: 'opaque', type: 'x', why: 'y' },
        { t: 'opaque', type: 'x', why: 'z' },
      ),
      fc
        .tuple(fc.constantFrom('list', 'tuple', 'set', 'frozenset', 'deque'), some)
        .map(([t, v]): ValueTree => ({ t, v })),
      fc
        .tuple(
          fc.boolean(),
          fc.uniqueArray(fc.tuple(tie('value'), tie('value')), {
            maxLength: 3,
            selector: ([key]) => JSON.stringify(key),
          }),
        )
        .map(([ordered, v]): ValueTree => (ordered ? { t: 'dict', ordered, v } : { t: 'dict', v })),
      fc
        .tuple(some, fc.boolean())
        .map(
          ([v, raised]): ValueTree =>
            raised ? { t: 'iterator', v, raised: { t: 'exception', type: 'E', v: [] } } : { t: 'iterator', v },
        ),
      some.map((v): ValueTree => ({ t: 'array', type: 'a', dtype: 'f8', shape: [v.length], v })),
      fc.tuple(some, tie('value')).map(([v, index]): ValueTree => ({ t: 'frame', type: 'f', columns: [], index, v })),
      fc
        .uniqueArray(fc.constantFrom('a', 'b', 'c'))
        .chain((names) =>
          fc
            .tuple(...names.map(() => tie('value')))
            .map(
              (values): ValueTree => ({ t: 'object', type: 'o', state: names.map((name, at) => [name, values[at]!]) }),
            ),
        ),
    ),
  };
});

const outcome = fc.oneof(
  { weight: 8, arbitrary: value.map((each): Partial<CaseOutcome> => ({ status: 'returned', value: each })) },
  fc.constantFrom<Partial<CaseOutcome>>(
    { status: 'raised', raised: { type: 'KeyError', message: 'a', trace: '' } },
    { status: 'raised', raised: { type: 'KeyError', message: 'b', trace: '' } },
    { status: 'raised', raised: { type: 'ValueError', message: 'a', trace: '' } },
    { status: 'timeout' },
    { status: 'crashed', raised: { type: '', message: 'gone', trace: '' } },
  ),
);
const files = fc.constantFrom<CaseOutcome['files']>(
  {},
  { x: '1' },
  { x: '2' },
  { x: { base64: 'AA==' } },
  { x: '1', y: '2' },
);
const whole = fc
  .tuple(outcome, files)
  .map(([of, left]) => ({ case: 'case_a', files: left, seconds: 0, ...of }) as CaseOutcome);

/** One thing somewhere inside of a value is another. */
function changed(tree: unknown, at: number): unknown {
  let left = at;
  const visit = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each === 'string') return left-- === 0 ? (/0x|nan|inf/.test(each) ? '0x1.0p+3' : 'abcd') : each;
    if (typeof each === 'object' && each !== null)
      return Object.fromEntries(Object.entries(each).map(([key, one]) => [key, key === 't' ? one : visit(one)]));
    return each;
  };
  return visit(tree);
}

test('Python finds a difference exactly where the comparison that admits problems does', () => {
  const pair = fc.oneof(
    fc.tuple(whole, whole),
    whole.map((one) => [one, structuredClone(one)] as [CaseOutcome, CaseOutcome]),
    fc
      .tuple(whole, fc.nat(6))
      .map(
        ([one, at]) => [one, { ...one, value: changed(one.value, at) } as CaseOutcome] as [CaseOutcome, CaseOutcome],
      ),
  );
  fc.assert(
    fc.property(fc.array(pair, { minLength: 100, maxLength: 150 }), (pairs) => {
      const found = differences(pairs);
      const wrong = pairs.filter(([a, b], at) => compareOutcomes(a, b).equal !== (found[at] === null));
      expect(wrong).toEqual([]);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

test('what is referred to is compared, and cycles end', () => {
  const cycle = (v: ValueTree[]): CaseOutcome => ({
    case: 'c',
    status: 'returned',
    files: {},
    seconds: 0,
    value: { t: 'list', id: 0, v: [...v, { t: 'ref', v: 0 }] },
  });
  const one = cycle([{ t: 'int', v: '1' }]);
  expect(
    differences([
      [one, one],
      [one, cycle([{ t: 'int', v: '2' }])],
    ]),
  ).toEqual([null, 'result[0] is int 2, expected: int 1']);
});

test('the bundle is what runs cases, and not what records or generates', () => {
  const names = Object.keys(pytestBundle());
  expect(names).toEqual(
    expect.arrayContaining([
      'test_equivalence.py',
      'guest/run.py',
      'guest/pointsman_cases.py',
      'guest/pointsman_guest/observe.py',
    ]),
  );
  expect(names.filter((name) => /record|tracer|generate/.test(name))).toEqual([]);
});
