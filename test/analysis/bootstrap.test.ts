import fc from 'fast-check';
import { meanDifference, meanOver } from '../../src/analysis/bootstrap';
import { wilson } from '../../src/analysis/paired';
import { hashKey, uniformUnit } from '../../src/rollout/random';
import { examples } from '../support/counts';

const stream = (key: string) => {
  const state = hashKey(key);
  return () => uniformUnit(state);
};
const DRAWS = examples(60, 300);
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 });

test('the interval lies around the mean and within the values', () => {
  fc.assert(
    fc.property(shares, (values) => {
      const { value, low, high, n } = meanOver(values, stream('lies'));
      expect(n).toBe(values.length);
      expect(low).toBeLessThanOrEqual(value + 1e-9);
      expect(high).toBeGreaterThanOrEqual(value - 1e-9);
      if (!values.every((each) => each === 0 || each === 1)) {
        expect(low).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
        expect(high).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
      }
    }),
    { numRuns: 30 },
  );
});

test('of many draws, about 95 % of the intervals hold the true mean', () => {
  const draw = stream('coverage');
  const held = Array.from({ length: DRAWS }, (_, at) => {
    const values = Array.from({ length: 60 }, () => (draw() < 0.4 ? 0 : Math.round(draw() * 5) / 5));
    const { low, high } = meanOver(values, stream(`interval ${at}`));
    return low <= 0.3 && 0.3 <= high;
  }).filter(Boolean).length;
  expect(held).toBeGreaterThan(DRAWS * 0.9);
  expect(held).toBeLessThan(DRAWS);
});

test('equal streams give equal intervals', () => {
  const values = [0, 0.2, 1, 0.6, 0.4];
  expect(meanOver(values, stream('a'))).toEqual(meanOver(values, stream('a')));
});

test('where nothing varies, nothing is certain', () => {
  expect(meanOver([1, 1, 1, 1], stream('all'))).toEqual({ value: 1, ...wilson(4, 4), n: 4 });
  expect(meanOver([0, 0], stream('none'))).toEqual({ value: 0, ...wilson(0, 2), n: 2 });
  expect(meanOver([], stream('empty'))).toEqual({ value: 0, low: 0, high: 1, n: 0 });
  const same = meanDifference(
    [
      [1, 1],
      [0, 0],
      [1, 1],
    ],
    stream('pairs'),
  );
  expect(same.value).toBe(0);
  expect(same.low).toBeLessThan(0);
  expect(same.high).toBeGreaterThan(0);
});

test('a difference is the second minus the first', () => {
  const pairs = Array.from({ length: 40 }, (_, at) => [at % 5 === 0 ? 0.4 : 0.2, 0.8] as const);
  const { value, low, high, n } = meanDifference(pairs, stream('better'));
  expect(value).toBeCloseTo(0.56, 10);
  expect(low).toBeGreaterThan(0.5);
  expect(high).toBeLessThan(0.62);
  expect(n).toBe(40);
});
