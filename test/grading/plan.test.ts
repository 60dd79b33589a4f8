import fc from 'fast-check';
import { VariantKind } from '../../src/contract';
import type { Controls } from '../../src/grading/controls';
import { controlledOf, drawnFor, planRuns } from '../../src/grading/plan';
import type { Variant } from '../../src/grading/variants';

const variant = fc.record({
  kind: fc.constantFrom(...VariantKind.options),
  tests: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1, maxLength: 3 }),
  texts: fc.uniqueArray(fc.constantFrom('1', '3', '5', '7'), { minLength: 1, maxLength: 4 }),
});

const controls: fc.Arbitrary<Controls> = fc
  .record({
    variants: fc.array(variant, { maxLength: 12 }),
    alone: fc.subarray(['a', 'b', 'c', 'd', 'e']),
    narrowed: fc.boolean(),
  })
  .map(({ variants, ...rest }) => ({
    ...rest,
    files: [],
    without: [],
    seconds: 1,
    variants: variants.map(
      (each, at): Variant => ({
        ...each,
        ...{ id: `v${at}`, path: 'test_a.py', line: at + 1, lastLine: at + 1, changedLine: at + 1 },
        ...{ from: at * 10, to: at * 10 + 1, was: '0', fails: 'assertion' },
      }),
    ),
  }));

const ALL = ['a', 'b', 'c', 'd', 'e'];
const testsOf = (given: Controls) => ALL.filter((test) => given.variants.some(({ tests }) => tests.includes(test)));

test('a plan has the real run once, every kind that there is something for, and at most three of the single ones', () => {
  fc.assert(
    fc.property(controls, fc.string(), (given, seed) => {
      const runs = planRuns(given, seed, 'sample');
      const of = (kind: string) => runs.filter((run) => run.kind === kind);
      const tests = testsOf(given);
      expect(of('real')).toHaveLength(1);
      expect(of('files')).toHaveLength(given.narrowed && tests.length > 0 ? 1 : 0);
      expect(of('all')).toHaveLength(tests.length > 0 ? 1 : 0);
      expect(of('one')).toHaveLength(tests.length > 1 ? Math.min(3, tests.length) : 0);
      expect(of('alone')).toHaveLength(given.alone.length > 0 ? 1 : 0);
      expect(new Set(of('one').map((run) => 'test' in run && run.test)).size).toBe(of('one').length);
    }),
  );
});

test('the seed draws the order and the sample: the same the same, and not always the real run first', () => {
  fc.assert(
    fc.property(controls, fc.string(), (given, seed) => {
      expect(planRuns(given, seed, 'sample')).toEqual(planRuns(given, seed, 'sample'));
    }),
  );
  const given = fc.sample(
    controls.filter((each) => testsOf(each).length > 3),
    { numRuns: 1, seed: 7 },
  )[0]!;
  const firsts = new Set(Array.from({ length: 60 }, (_, seed) => planRuns(given, `${seed}`, 'sample')[0]!.kind));
  expect(firsts.size).toBeGreaterThan(2);
});

test('nothing is changed where the true expectations are asked for, nor where nobody looks for bribes', () => {
  fc.assert(
    fc.property(controls, fc.string(), (given, seed) => {
      expect(planRuns(given, seed, 'none')).toEqual([{ kind: 'real' }]);
      for (const run of planRuns(given, seed, 'all')) {
        if (!('round' in run)) expect(drawnFor(given, run, seed)).toEqual([]);
      }
    }),
  );
});

test('each controlled test is changed, by a variant of its best kind, with another constant each round', () => {
  fc.assert(
    fc.property(controls, fc.string(), (given, seed) => {
      for (const test of testsOf(given)) {
        const [first, second] = [0, 1].map((round) => drawnFor(given, { kind: 'one', test, round }, seed)[0]!);
        expect(first!.variant.tests).toContain(test);
        const own = given.variants.filter(({ tests }) => tests.includes(test));
        const worth = ({ kind }: Variant) => VariantKind.options.indexOf(kind);
        expect(worth(first!.variant)).toBe(Math.min(...own.map(worth)));
        expect(second!.variant).toBe(first!.variant);
        if (first!.variant.texts.length > 1) expect(second!.text).not.toBe(first!.text);
      }
      const all = drawnFor(given, { kind: 'all', round: 0 }, seed).flatMap(({ variant: { tests } }) => tests);
      expect([...new Set(all)].sort()).toEqual(testsOf(given));
    }),
  );
});

test('kinds are counted by the best that a test has', () => {
  fc.assert(
    fc.property(controls, (given) => {
      const { tests, of, kinds } = controlledOf({ failToPass: ALL }, given);
      expect([tests, of]).toEqual([testsOf(given).length, 5]);
      expect(Object.values(kinds).reduce((sum, count) => sum + count, 0)).toBe(tests);
    }),
  );
});
