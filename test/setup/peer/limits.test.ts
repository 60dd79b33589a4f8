import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoSetupResult } from '../../../src/contract';
import { NOTHING } from '../../support/chaos';
import {
  act,
  folderOf,
  giveUp,
  leftOf,
  mendOf,
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
  killed: { turns: [...begun, shell('echo once >> /opt/count; sleep 5'), shell('cat /opt/count'), giveUp()] },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  const price = { input: 1000, output: 1000 };
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, { price }]));
  world = await World.start({ script: { models }, profiles });
  await withExperience(world, (store) => store.import([unitFor('calc', 'calc-right', mendOf('calc'))]));
}, 120_000);
afterAll(async () => {
  await world?.close();
  removeFolders();
}, 60_000);

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
    setUp(world, 'clock', of('slow', { limits: { wallClockSeconds: 30 } })),
    setUp(world, 'cost', of('endless', { limits: { costUsd: 4.5 } })),
  ]);
  expect(steps).toMatchObject({ status: 'limit_steps', steps: 3 });
  expect(clock).toMatchObject({ status: 'limit_wall_clock' });
  expect(cost).toMatchObject({ status: 'limit_cost' });
  expect(cost.cost.usd).toBeGreaterThanOrEqual(4.5);
  for (const result of [steps, clock, cost]) await keepsAll(result);
  expect(await telemetryOf(world, 'calc-right')).toEqual({ hits: 3, successes: 3, failures: 0 });
}, 180_000);

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
