import { Allowance } from '../../src/workflows/setup/allowance';

const purse = { usd: 0, tokens: 0, formatRetries: 0 };
const budget = { name: 'shared', capUsd: 5 };

test('money is counted with what was spent before, and a limit goes before the budget that several runs share', () => {
  const at = (usd: number, costUsd?: number) =>
    new Allowance({ wallClockSeconds: 60, ...(costUsd ? { costUsd } : {}) }, budget, { ...purse, usd }, () => 0, {
      ...{ usd: 1, seconds: 0 },
    });
  expect(at(1, 3).overspent).toBeNull();
  expect(at(2, 3).overspent).toEqual({ status: 'limit_cost', why: '3.00 of 3 USD are spent' });
  expect(at(3).overspent).toBeNull();
  expect(at(4).overspent).toMatchObject({ status: 'limit_cost' });
});

test('time is counted with what went by before', () => {
  const at = (seconds: number) =>
    new Allowance({ wallClockSeconds: 60 }, undefined, purse, () => seconds, { usd: 0, seconds: 30 });
  expect(at(29).overspent).toBeNull();
  expect(at(30.5).overspent).toEqual({ status: 'limit_wall_clock', why: '60 of 60 seconds are over' });
});

test('an empty purse stops those who cost something, and the clock stops everybody', () => {
  const at = (seconds: number) =>
    new Allowance({ wallClockSeconds: 60, costUsd: 1 }, undefined, { ...purse, usd: 2 }, () => seconds);
  expect(at(0).overspentFor('expert')).toMatchObject({ status: 'limit_cost' });
  expect(at(0).overspentFor('builtin:rules')).toBeNull();
  expect(at(60).overspentFor('builtin:rules')).toMatchObject({ status: 'limit_wall_clock' });
});

test('limits that are raised while it runs count at once', () => {
  const limits = { wallClockSeconds: 60, costUsd: 1 };
  const allowance = new Allowance(limits, undefined, { ...purse, usd: 2 }, () => 0);
  expect(allowance.overspent).not.toBeNull();
  limits.costUsd = 3;
  expect(allowance.overspent).toBeNull();
});
