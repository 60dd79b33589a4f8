import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type Held, Places, placesOf, placesTaken } from '../../src/sandbox/places';
import { examples } from '../support/counts';

const never = new AbortController().signal;

/** Places of an engine that runs what is made, until it is taken away. */
function engine(most: number) {
  const running = new Map<string, Held>();
  const places = new Places(
    most,
    async () => [...running.values()],
    async () => undefined,
  );
  const make = (held: Held) => places.make(held, async () => void running.set(held.name, held));
  return { running, places, make };
}
const lease = (run: string, keeps = 1): Held => ({ name: `${run}-main`, run, kind: 'lease', takes: 1, keeps });
const errand = (run: string, n = 0): Held => ({ name: `${run}-check-${n}`, run, kind: 'errand', takes: 1 });
const soon = (done: Promise<unknown>) => Promise.race([done.then(() => 'made'), sleep(700).then(() => 'waits')]);

test('what a sandbox may use says how many places it takes', () => {
  expect(placesOf({ memoryMiB: 2048, cpus: 2 })).toBe(1);
  expect(placesOf({ memoryMiB: 16_384, cpus: 2 })).toBe(4);
  expect(placesOf({ memoryMiB: 1024, cpus: 7 })).toBe(4);
});

test('a run that keeps a place for its checks never waits for one, and others wait for it', async () => {
  const { make, places, running } = engine(2);
  await make(lease('a', 2));
  await make(errand('a'));
  expect(placesTaken([...running.values()])).toBe(2);
  running.delete('a-check-0');
  const other = make(lease('b'));
  expect(await soon(other)).toBe('waits');
  await expect(places.admit(AbortSignal.timeout(300))).rejects.toThrow();
  running.clear();
  await other;
});

test('where all wait for each other, one goes ahead; where something ends by itself, it is waited for', async () => {
  const { make, running } = engine(2);
  await make(lease('a'));
  await make(lease('b'));
  await make(errand('a'));
  const second = make(errand('b'));
  expect(await soon(second)).toBe('waits');
  running.delete('a-check-0');
  await second;
});

describe('a host whose places are all held by what nobody uses', () => {
  let now = 0;
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
  afterEach(() => jest.restoreAllMocks());
  const later = (ms: number) => {
    now += ms;
  };

  test('asks after a while, counts them no more, and counts them again when they have one', async () => {
    const { make, places, running } = engine(2);
    for (const run of ['a', 'b']) running.set(`${run}-main`, lease(run));
    const asked: string[][] = [];
    const discount = (...idle: string[]) =>
      places.discount(async (held) => {
        asked.push(held.map(({ name }) => name));
        return new Set(idle);
      });
    later(14_000);
    expect([await discount('a-main', 'b-main'), asked]).toEqual([0, []]);
    await expect(places.admit(AbortSignal.timeout(300))).rejects.toThrow();
    later(2_000);
    expect([await discount('a-main', 'b-main'), asked]).toEqual([2, [['a-main', 'b-main']]]);

    later(1_000);
    const permit = await places.admit(never);
    await places.during(never, true, () => make(lease('a')));
    places.release(permit);
    later(1_000);
    await make(lease('c'));
    // Two that are used, and one that is not yet: there is no third place.
    later(1_000);
    await expect(places.admit(AbortSignal.timeout(300))).rejects.toThrow();
    expect(running.size).toBe(3);
  });

  test('does not miss one that gets its own while it asks', async () => {
    const { make, places, running } = engine(1);
    running.set('a-main', lease('a'));
    later(16_000);
    const discounted = places.discount(async () => {
      await make(lease('a'));
      return new Set(['a-main']);
    });
    expect(await discounted).toBe(0);
  });

  test('asks nobody while there is room', async () => {
    const { places, running } = engine(2);
    running.set('a-main', lease('a'));
    later(60_000);
    expect(await places.discount(async () => new Set(['a-main']))).toBe(0);
  });
});

test('what waits with a container in its hand holds nobody up for ever', async () => {
  const { make, running } = engine(2);
  await make(errand('a'));
  await make(errand('b'));
  const [first, second] = [make(errand('a', 1)), make(errand('b', 1))];
  await Promise.race([first, second]);
  expect(running.size).toBe(3);
  for (const name of ['a-check-0', 'a-check-1', 'b-check-0']) running.delete(name);
  await Promise.all([first, second]);
});

test('more than a host has is given all of it', async () => {
  const { make, running } = engine(2);
  await make({ ...lease('small'), takes: 1 });
  const large = make({ ...lease('large'), takes: 9, keeps: 9 });
  expect(await soon(large)).toBe('waits');
  running.delete('small-main');
  await large;
});

test('a poll that is under way is a place; its work takes that one, and none comes when the host leaves', async () => {
  const { make, places, running } = engine(2);
  const [first, second] = [await places.admit(never), await places.admit(never)];
  await expect(places.admit(AbortSignal.timeout(300))).rejects.toThrow();
  await places.during(never, true, () => make(lease('a')));
  places.release(second);
  expect(running.size).toBe(1);
  const third = await places.admit(never);
  for (const permit of [first, third]) places.release(permit);
  places.close();
  await expect(places.admit(AbortSignal.timeout(300))).rejects.toThrow();
  await expect(places.during(never, true, async () => 1)).rejects.toMatchObject({ code: 'Unavailable' });
  // Whatever is here may still make what it needs.
  await places.during(never, false, () => make(errand('a')));
});

test('an activity that is cancelled waits no longer', async () => {
  const { make, places } = engine(1);
  await make(lease('a'));
  const cancelled = AbortSignal.timeout(200);
  await expect(places.during(cancelled, false, () => make(lease('b')))).rejects.toThrow();
});

test('however many come at once, there are never more than places', async () => {
  const work = fc.array(fc.record({ ms: fc.integer({ min: 0, max: 4 }), takes: fc.integer({ min: 1, max: 3 }) }), {
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), work, async (most, all) => {
      const { running, places } = engine(most);
      let worst = 0;
      await Promise.all(
        all.map(({ ms, takes }, n) => {
          const held = { ...lease(`run-${n}`), takes };
          return places.make(held, async () => {
            running.set(held.name, held);
            const fitting = [...running.values()].map((each) => ({ ...each, takes: Math.min(each.takes, most) }));
            worst = Math.max(worst, placesTaken(fitting));
            setTimeout(() => running.delete(held.name), ms);
          });
        }),
      );
      expect(worst).toBeLessThanOrEqual(most);
    }),
    { numRuns: examples(8, 200) },
  );
}, 60_000);
