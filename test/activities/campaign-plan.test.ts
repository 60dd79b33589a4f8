import fc from 'fast-check';
import {
  type CampaignInstance,
  keyOf,
  permutation,
  plannedRollouts,
  plannedTotal,
} from '../../src/activities/campaign/plan';
import { CampaignInput } from '../../src/contract';

const REF = { sha256: 'a'.repeat(64), bytes: 1 };
const instancesOf = (count: number): CampaignInstance[] =>
  Array.from({ length: count }, (_, at) => ({ id: `i${at}`, key: `i${at}`, problem: REF, licence: null }));

const plans = fc.record({
  passes: fc.integer({ min: 1, max: 4 }),
  own: fc.array(fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), { minLength: 1, maxLength: 4 }),
  order: fc.constantFrom('passes' as const, 'instances' as const, 'shuffled' as const),
  seed: fc.integer({ min: 0, max: 99 }),
  instances: fc.integer({ min: 1, max: 12 }),
});

function planOf({ passes, own, order, seed }: typeof plans extends fc.Arbitrary<infer T> ? T : never) {
  const methods = own.map((each, at) => ({ name: `m${at}`, student: 's', passes: each }));
  const input = CampaignInput.parse({ problems: ['x'], methods, passes, order, seed });
  return { ...input, campaign: 'camp' };
}

test('every method meets every instance in each of its passes, once, whatever the order and the page', () => {
  fc.assert(
    fc.property(plans, fc.integer({ min: 1, max: 9 }), (drawn, page) => {
      const plan = planOf(drawn);
      const instances = instancesOf(drawn.instances);
      const total = plannedTotal(plan, instances.length);
      const all = plannedRollouts(plan, instances, 0, total + 3);
      expect(all).toHaveLength(total);
      const wanted = plan.methods.flatMap(({ name, passes = plan.passes }) =>
        instances.flatMap(({ id }) => Array.from({ length: passes }, (_, pass) => `camp/${name}/${id}/${pass}`)),
      );
      expect(all.map(({ id }) => id).sort()).toEqual(wanted.sort());
      const paged = [];
      for (let from = 0; from < total; from += page) paged.push(...plannedRollouts(plan, instances, from, page));
      expect(paged).toEqual(all);
    }),
  );
});

test('by passes, no instance is met again before all are; by instances, one is done before the next', () => {
  fc.assert(
    fc.property(plans, (drawn) => {
      const instances = instancesOf(drawn.instances);
      const of = (order: 'passes' | 'instances') => {
        const plan = planOf({ ...drawn, order });
        return plannedRollouts(plan, instances, 0, plannedTotal(plan, instances.length));
      };
      const passes = of('passes').map(({ pass }) => pass);
      expect(passes).toEqual(passes.toSorted((a, b) => a - b));
      const met = of('instances').map(({ instance }) => Number(instance.slice(1)));
      expect(met).toEqual(met.toSorted((a, b) => a - b));
    }),
  );
});

test('a permutation is one, differs by key, and leaves few in their place', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.string(), (n, key) => {
      const through = permutation(n, key);
      const images = Array.from({ length: n }, (_, at) => through(at));
      expect(images.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, at) => at));
    }),
  );
  const fixed = (key: string) => Array.from({ length: 1000 }, (_, at) => permutation(1000, key)(at) === at);
  expect(fixed('a').filter(Boolean).length).toBeLessThan(10);
  expect(permutation(1000, 'a')(7)).not.toBe(permutation(1000, 'b')(7));
});

test('an id becomes a part of a workflow id that tells two instances apart', () => {
  expect(keyOf('django__django-11099')).toBe('django__django-11099');
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (a, b) => {
      expect(keyOf(a)).toMatch(/^[\w.@+=:,~-]{1,100}$/);
      expect(keyOf(a) === keyOf(b)).toBe(a === b);
    }),
  );
});

test('what a rollout is made from is in its recipe; how much it may cost is not', () => {
  const instances = instancesOf(1);
  const base = { problems: ['x'], methods: [{ name: 'm', student: 's', handOver: { never: true } }] };
  const recipe = (more: object) => {
    const input = CampaignInput.parse({ ...base, ...more });
    return plannedRollouts({ ...input, campaign: 'c' }, instances, 0, 1)[0]!.recipe;
  };
  for (const same of [{ passes: 9 }, { concurrency: 30 }, { budget: { totalUsd: 3 } }, { priority: 1 }])
    expect(recipe(same)).toBe(recipe({}));
  for (const other of [{ seed: 1 }, { limits: { steps: 3 } }, { methods: [{ ...base.methods[0], student: 't' }] }])
    expect(recipe(other)).not.toBe(recipe({}));
});
