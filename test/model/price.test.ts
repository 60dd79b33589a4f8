import { costOf, estimateCost, requirePrice } from '../../src/model';
import { ask, profileFor } from './fixtures';

const PRICE = { input: 3, cachedInput: 0.3, output: 15 };

test('cached tokens cost their own price, an unknown price costs nothing and says so', () => {
  const tokens = { promptTokens: 1_000_000, cachedTokens: 400_000, completionTokens: 100_000 };
  expect(costOf(tokens, PRICE).costUsd).toBeCloseTo(1.8 + 0.12 + 1.5, 10);
  expect(costOf(tokens, { input: 3, output: 15 }).costUsd).toBeCloseTo(4.5, 10);
  expect(costOf(tokens, undefined)).toEqual({ costUsd: 0, priced: false });
  expect(costOf(tokens, { input: 0, output: 0 })).toEqual({ costUsd: 0, priced: true });
});

test('the estimate lies above the cost and within the window', () => {
  const profile = profileFor('http://x/v1', { price: PRICE, maxOutputTokens: 1000, contextTokens: 2000 });
  const small = estimateCost(ask('word '.repeat(100)), profile).costUsd;
  expect(small).toBeGreaterThan((100 * 3 + 1000 * 15) / 1e6);
  const huge = estimateCost(ask('x'.repeat(1_000_000)), profile).costUsd;
  expect(huge).toBeCloseTo((2000 * 3 + 1000 * 15) / 1e6, 10);
  const own = estimateCost(ask(), { ...profile, extraBody: { max_tokens: 10 } }).costUsd;
  expect(own).toBeLessThan(0.001);
});

test('a cap over an unknown price is refused', () => {
  expect(() => requirePrice('student', undefined, 1)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  expect(() => requirePrice('student', undefined, undefined)).not.toThrow();
  expect(() => requirePrice('student', { input: 0, output: 0 }, 1)).not.toThrow();
});
