import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoSetupResult } from '../../src/contract';
import { dice, ended, NOTHING } from '../support/chaos';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import {
  act,
  folderOf,
  leftOf,
  mendOf,
  projectOf,
  readChain,
  removeFolders,
  setUp,
  shell,
  TESTS,
  telemetryOf,
  unitFor,
  withExperience,
} from '../support/set-up';
import { World } from '../support/world';

const LENGTH = 2 * COUNTS.setupKills;
const note = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) =>
    shell(`mkdir -p /opt/log && echo ${from + i} >> /opt/log/steps; sleep 1`),
  );
const DIGEST =
  'find /repo /opt /srv -type f -not -path "*/.git/*" -not -path "*/__pycache__/*" -not -path "/opt/pointsman/*" | sort | xargs sha256sum; pwd; echo "$LEVEL"; cat /opt/log/steps';
/** One trial that fails, one that mends, a rollback in the middle, and a command a second all along. */
const turns = [
  shell(TESTS),
  act('try_experience', { unit: 'calc-wrong', why: 'it may fit' }),
  act('try_experience', { unit: 'calc-right', why: 'it fits' }),
  ...note(0, LENGTH / 2),
  act('set_env', { key: 'LEVEL', value: 'three' }),
  shell('rm -r /opt/log && cd /srv'),
  act('rollback'),
  ...note(LENGTH / 2, LENGTH),
  shell(DIGEST),
  act('verify'),
  act('finish', { success: true, message: 'it is set up' }),
];

const folder = folderOf(projectOf('calc'));
const worlds: World[] = [];
afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
  removeFolders();
});

/** A world with the same agent and the same memory as the other. */
async function another(): Promise<World> {
  const world = await World.start({ script: { models: { agent: { turns } } }, profiles: { agent: {} } });
  worlds.push(world);
  await withExperience(world, (store) =>
    store.import([unitFor('calc', 'calc-wrong', 'mkdir -p /opt/other'), unitFor('calc', 'calc-right', mendOf('calc'))]),
  );
  return world;
}

/** All that must not depend on who was killed. */
async function essence(world: World, result: RepoSetupResult) {
  const { steps, told } = await readChain(world, result.head);
  return {
    status: result.status,
    tests: result.tests,
    units: result.units,
    rollbacks: result.rollbacks,
    frames: result.frames.map(({ index, label, parent }) => ({ index, label, parent })),
    moves: steps.map(({ turn }) => turn.move),
    tree: told[steps.findIndex(({ turn }) => JSON.stringify(turn.move).includes('sha256sum'))],
    telemetry: await Promise.all(['calc-wrong', 'calc-right'].map((id) => telemetryOf(world, id))),
  };
}

test(
  'a set-up whose worker is killed at random points ends as the undisturbed one: tree, telemetry, frames, and nothing left',
  async () => {
    const input = { source: `dir:${folder}`, roles: { agent: 'agent' } };
    const calm = await another();
    const expected = await essence(calm, await setUp(calm, 'set-up', input));
    expect(expected).toMatchObject({ status: 'verified', units: [{ outcome: 'failure' }, { outcome: 'success' }] });
    expect(expected.tree).toContain(`\n${LENGTH - 1}\n`);

    const world = await another();
    const handle = await world.begin('repoSetup', { judge: false, reproduce: false, ...input }, 'set-up');
    const random = dice('setup-kill');
    let kills = 0;
    for (; kills < COUNTS.setupKills && !(await ended(handle)); kills++) {
      await sleep(1_000 + random() * 4_000);
      await world.killWorkers('SIGKILL');
      world.startWorker();
      await world.workerReady();
    }
    const result = (await handle.result()) as RepoSetupResult;
    figures('set-up, worker killed', { kills, steps: result.steps, rollbacks: result.rollbacks });
    expect(kills).toBe(COUNTS.setupKills);
    expect(await essence(world, result)).toEqual(expected);
    expect(await leftOf(world, 'set-up')).toEqual(NOTHING);
  },
  minutes(5, 15),
);
