import fc from 'fast-check';
import { changedBudget, holdOf, paced, spend, spentToday } from '../../src/workflows/campaign/gate';

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 2, 1, 12);
const fresh = (budget = {}) => ({
  cost: { usd: 0, tokens: 0 },
  today: { day: '', usd: 0 },
  budget,
  total: { setAt: 0, spent: false },
  startsPerMinute: null as number | null,
  nextStart: 0,
});
const dollars = (usd: number) => ({ usd, tokens: 1 });

test('a day that is used up holds until midnight UTC, and not a moment longer', () => {
  const state = fresh({ dailyUsd: 1 });
  spend(state, dollars(0.6), NOON, NOON);
  expect(holdOf(state, NOON)).toBeUndefined();
  spend(state, dollars(0.5), NOON, NOON);
  const midnight = Date.UTC(2026, 2, 2);
  expect(holdOf(state, NOON)).toEqual({
    reason: "today's $1 are used up; goes on at 2026-03-02 00:00 UTC",
    until: midnight,
  });
  expect(holdOf(state, midnight - 1)?.until).toBe(midnight);
  expect(holdOf(state, midnight)).toBeUndefined();
});

test('what ended yesterday is of yesterday, and the days add up to the whole', () => {
  const times = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 * DAY }), fc.integer({ min: 0, max: 100 })));
  fc.assert(
    fc.property(times, (drawn) => {
      const state = fresh();
      const ends = drawn.toSorted(([a], [b]) => a - b);
      for (const [at, cents] of ends) spend(state, dollars(cents / 100), NOON + at, NOON + at);
      const last = NOON + (ends.at(-1)?.[0] ?? 0);
      const sameDay = ends.filter(([at]) => Math.floor((NOON + at) / DAY) === Math.floor(last / DAY));
      expect(spentToday(state, last)).toBeCloseTo(
        sameDay.reduce((sum, [, cents]) => sum + cents / 100, 0),
        6,
      );
      expect(spentToday(state, last + 2 * DAY)).toBe(0);
      expect(state.cost.usd).toBeCloseTo(
        ends.reduce((sum, [, cents]) => sum + cents / 100, 0),
        6,
      );
    }),
  );
  const state = fresh();
  spend(state, dollars(1), NOON - DAY, NOON);
  expect([spentToday(state, NOON), state.cost.usd]).toEqual([0, 1]);
});

test('a total that is used up holds for good; a higher one does not', () => {
  const state = fresh({ totalUsd: 1 });
  spend(state, dollars(0.9), NOON, NOON);
  expect(holdOf(state, NOON)).toBeUndefined();
  state.total.spent = true;
  expect(holdOf(state, NOON)).toEqual({ reason: 'the budget of $1 is used up', final: true });
  state.total.spent = false;
  spend(state, dollars(0.2), NOON, NOON);
  expect(holdOf(state, NOON)?.final).toBe(true);
  state.budget = changedBudget(state.budget, { totalUsd: 2 });
  expect(holdOf(state, NOON)).toBeUndefined();
});

test('a change of the budget leaves what it does not name, and null takes a cap off', () => {
  expect(changedBudget({ totalUsd: 1, dailyUsd: 2 }, { dailyUsd: 3 })).toEqual({ totalUsd: 1, dailyUsd: 3 });
  expect(changedBudget({ totalUsd: 1, dailyUsd: 2 }, { totalUsd: null })).toEqual({ dailyUsd: 2 });
});

test('at a rate, never more are begun in any minute, however long it rested before', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), waits, (rate, idle) => {
      const state = { ...fresh(), startsPerMinute: rate };
      const starts: number[] = [];
      let now = NOON;
      for (const wait of idle) {
        now = Math.max(now + wait, holdOf(state, now + wait)?.until ?? 0);
        expect(holdOf(state, now)).toBeUndefined();
        paced(state, now);
        starts.push(now);
      }
      for (const start of starts)
        expect(starts.filter((at) => at >= start && at < start + 60_000 - 1).length).toBeLessThanOrEqual(rate);
    }),
  );
});
