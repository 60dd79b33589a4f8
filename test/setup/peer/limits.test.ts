import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoSetupResult } from '../../../src/contract';
import { NOTHING } from '../../support/chaos';
import { inFull } from '../../support/counts';
import {
  act,
  folderOf,
  giveUp,
  leftOf,
  mendOf,
  move,
  projectOf,
  reach,
  readChain,
  removeFolders,
  setUp,
  shell,
  TESTS,
  telemetryOf,
  unitFor,
  withExperience,
} from '../../support/set-up';
import { World } from '../../support/world';

/** A failed test run, a unit that mends it, and nothing more: each run below ends here in its own way. */
const begun = [shell(TESTS), act('try_experience', { unit: 'calc-right', why: 'it fits' })];
const models = {
  endless: { turns: [...begun], end: shell('true') },
  slow: { turns: [...begun], end: shell('sleep 5') },
  mender: { turns: [shell(mendOf('calc')), act('verify', { hint: TESTS })] },
  direct: { turns: [act('verify', { hint: TESTS })] },
  /** A verifier and a prosecutor who never come to an end. */
  looking: { turns: [], end: move('look', { command: 'sleep 4' }) },
  accusing: { turns: [], end: move('examine', { command: 'sleep 4' }) },
  killed: { turns: [...begun, shell('echo once >> /opt/count; sleep 5'), shell('cat /opt/count'), giveUp()] },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  const price = { input: 1000, output: 1000 };
  const cheap = { input: 1, output: 1 };
  const profiles = Object.fromEntries(
    Object.keys(models).map((name) => [name, { price: name === 'mender' ? cheap : price }]),
  );
  world = await World.start({ script: { models }, profiles });
  await withExperience(world, (store) => store.import([unitFor('calc', 'calc-right', mendOf('calc'))]));
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const of = (agent: string, more: object = {}) => ({ source, roles: { agent }, ...more });

/** Everything is kept: the steps, the trial, the frames; and nothing is left. */
async function keepsAll(result: RepoSetupResult): Promise<void> {
  expect(result.units).toMatchObject([{ unit: 'calc-right', outcome: 'success', kept: true }]);
  expect(result.frames.map(({ label }) => label)).toEqual(expect.arrayContaining(['base', 'before calc-right']));
  const { steps, told } = await readChain(world, result.head);
  expect(steps.length).toBeGreaterThanOrEqual(2);
  expect(told[0]).toContain("No such file or directory: '/opt/calc/mode'");
  expect(await leftOf(world, result.id)).toEqual(NOTHING);
}

// There a timeout returned before report, audit and clean-up.
test('B1b: limits of steps, time and cost end in a whole report, audited and cleaned up', async () => {
  const [steps, clock, cost] = await Promise.all([
    setUp(world, 'steps', of('endless', { limits: { steps: 3 } })),
    setUp(world, 'clock', of('slow', { limits: { wallClockSeconds: 45 } })),
    setUp(world, 'cost', of('endless', { limits: { costUsd: 4.5 } })),
  ]);
  expect(steps).toMatchObject({ status: 'limit_steps', steps: 3 });
  expect(clock).toMatchObject({ status: 'limit_wall_clock' });
  expect(cost).toMatchObject({ status: 'limit_cost' });
  expect(cost.cost.usd).toBeGreaterThanOrEqual(4.5);
  for (const result of [steps, clock, cost]) await keepsAll(result);
  expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 3, successes: 3, failures: 0 });
}, 180_000);

// There nothing counted what the verifier and the court spent.
inFull(
  'B1b: verifier and court spend from the same purse and clock, and stop where it ends',
  async () => {
    const judged = { judge: true, experience: { mode: 'off' } };
    const verifying = { agent: 'mender', verifier: 'looking' };
    const accusing = { agent: 'mender', prosecutor: 'accusing' };
    const [money, time, court, late] = await Promise.all([
      setUp(world, 'money', of('mender', { roles: verifying, limits: { costUsd: 8 } })),
      setUp(world, 'time', of('mender', { roles: verifying, limits: { wallClockSeconds: 40 } })),
      setUp(world, 'court', of('mender', { ...judged, roles: accusing, limits: { costUsd: 8 } })),
      setUp(world, 'late', of('mender', { ...judged, roles: accusing, limits: { wallClockSeconds: 60 } })),
    ]);
    expect([money.status, time.status]).toEqual(['limit_cost', 'limit_wall_clock']);
    expect(time.seconds).toBeLessThan(60);
    expect([court.status, late.status]).toEqual(['verified', 'verified']);
    expect(court.verdict).toMatchObject({ verdict: 'error', detail: expect.stringContaining('of 8 USD') });
    expect(late.verdict).toMatchObject({ verdict: 'error', detail: expect.stringContaining('of 60 seconds') });
    expect((await readChain(world, court.verdict!.heads.prosecutor)).steps.length).toBeGreaterThan(0);
    // One call may go over what is left, as long as nobody knows what it costs.
    for (const { cost } of [money, court]) {
      expect(cost.usd).toBeGreaterThanOrEqual(8);
      expect(cost.usd).toBeLessThan(14);
    }
  },
  240_000,
);

test('roles that cost nothing go on where the purse is empty', async () => {
  const sound = {
    ...projectOf('sound'),
    'test_sound.py':
      'import unittest\n\n\nclass Level(unittest.TestCase):\n    def test_it(self):\n        self.assertTrue(True)\n',
  };
  const more = { judge: true, experience: { mode: 'off' }, limits: { costUsd: 0.01 } };
  const result = await setUp(world, 'free', of('direct', { ...more, source: `dir:${folderOf(sound)}` }));
  expect(result).toMatchObject({ status: 'verified', verdict: { verdict: 'not_guilty' } });
  expect(result.cost.usd).toBeGreaterThan(0.01);
});

// There a run had no checkpoint, and its only file was written at the very end.
test('B1c: a run can be read while it goes on, and a killed worker neither loses nor repeats anything', async () => {
  const handle = await world.begin('repoSetup', of('killed', { judge: false, reproduce: false }), 'killed');
  await reach(handle, 3);
  await sleep(1500);
  const { head } = await handle.query<{ head: string }>('transcript');
  expect((await readChain(world, head)).told[0]).toContain('/opt/calc/mode');
  await world.killWorkers('SIGKILL');
  world.startWorker();
  await world.workerReady();
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({ status: 'gave_up', steps: 5 });
  expect((await readChain(world, result.head)).of('cat /opt/count')).toBe('once\n');
  await keepsAll(result);
  expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 4, successes: 4, failures: 0 });
}, 180_000);
