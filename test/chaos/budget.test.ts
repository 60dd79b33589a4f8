import { join } from 'node:path';
import type { RolloutResult } from '../../src/contract';
import { FileBudgets } from '../../src/store/local/budgets';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const CAP = 1;
const price = { input: 10, cachedInput: 10, output: 20 };
const script = {
  models: {
    priced: { turns: [], generate: { steps: 400, command: 'echo {k}' }, latencyMs: 100 },
    unpriced: { turns: [], end: 'submit' },
  },
};

let world: World;
beforeAll(async () => {
  const maxOutputTokens = 500;
  world = await World.start({
    script,
    profiles: { priced: { price, maxOutputTokens }, unpriced: { maxOutputTokens } },
  });
});
afterAll(async () => {
  await world?.close();
});

test(
  'rollouts in parallel keep one budget',
  async () => {
    const budget = { name: 'shared', capUsd: CAP };
    const input = {
      problem: await tinyProblem(),
      student: 'priced',
      handOver: { never: true },
      grade: false,
      budget,
      limits: { steps: 400 },
    };
    const handles = await Promise.all(
      Array.from({ length: COUNTS.budgetRollouts }, (_, i) => world.begin('rollout', input, `spender-${i}`)),
    );
    const results = (await Promise.all(handles.map((handle) => handle.result()))) as RolloutResult[];
    const spent = results.reduce((sum, { cost }) => sum + cost.usd, 0);
    const booked = await new FileBudgets(join(world.home, 'budgets')).status('shared');
    figures('7 shared budget', {
      rollouts: results.length,
      capUsd: CAP,
      spentUsd: spent,
      bookedUsd: booked.spentUsd,
      stillReserved: booked.open.length,
      turns: results.reduce((sum, { turns }) => sum + turns.total, 0),
    });
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['budget_exhausted']));
    expect(spent).toBeLessThanOrEqual(CAP);
    expect(spent).toBeGreaterThan(CAP * 0.8);
    expect(booked.spentUsd).toBeCloseTo(spent, 6);
    expect(booked.open).toEqual([]);
  },
  minutes(3, 15),
);

test.each([{ budget: { name: 'other', capUsd: CAP } }, { limits: { costUsd: CAP } }])(
  'an unknown price under a cap is refused at the start: %j',
  async (cap) => {
    const before = world.rehearsal.stats().requests;
    const input = {
      problem: await tinyProblem(),
      student: 'unpriced',
      handOver: { never: true },
      grade: false,
      ...cap,
    };
    const handle = await world.begin('rollout', input, `unpriced-${Object.keys(cap)[0]}`);
    await expect(handle.result()).rejects.toMatchObject({
      cause: { cause: { type: 'InvalidInput', message: expect.stringContaining('price') } },
    });
    expect(world.rehearsal.stats().requests).toBe(before);
  },
);
