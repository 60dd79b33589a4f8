import { estimateOf } from '../../src/analysis/estimate';

it('is exact where every rollout took the same, and says nothing without any', () => {
  const earlier = Array.from({ length: 8 }, () => ({ usd: 0.5, seconds: 90 }));
  expect(estimateOf(earlier, 100, 32)).toEqual({
    rollouts: 100,
    from: 8,
    usd: { mean: 50, low: 50, high: 50 },
    // Four rounds of a minute and a half.
    hours: 0.1,
  });
  expect(estimateOf([], 100, 32)).toBeNull();
});

it('holds the sum of new rollouts nearly always', () => {
  // A fixed stream of costs between 0 and 2, most of them small.
  const cost = (at: number) => 2 * ((Math.imul(at + 1, 2_654_435_761) >>> 0) / 2 ** 32) ** 2;
  const taken = (from: number, n: number) =>
    Array.from({ length: n }, (_, at) => ({ usd: cost(from + at), seconds: 1 }));
  const trials = Array.from({ length: 400 }, (_, trial) => {
    const { usd } = estimateOf(taken(trial * 97, 20), 40, 1)!;
    const sum = taken(trial * 97 + 20, 40).reduce((all, each) => all + each.usd, 0);
    return usd.low <= sum && sum <= usd.high;
  });
  expect(trials.filter(Boolean).length / trials.length).toBeGreaterThan(0.9);
});
