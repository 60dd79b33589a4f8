import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { RepoSetupResult } from '../../src/contract';
import { NOTHING } from '../support/chaos';
import { inFull } from '../support/counts';
import {
  act,
  folderOf,
  giveUp,
  leftOf,
  mendOf,
  projectOf,
  reach,
  readChain,
  removeAllOf,
  removeFolders,
  setUp,
  shell,
  TESTS,
  telemetryOf,
  unitFor,
  withExperience,
} from '../support/set-up';
import { World } from '../support/world';

/** What each leaves tells whose files are in the sandbox afterwards. */
const units = [
  unitFor('calc', 'calc-wrong', 'touch /opt/by-wrong && mkdir -p /opt/other && echo exact > /opt/other/mode'),
  unitFor('calc', 'calc-slow', `touch /opt/by-slow && sleep 45 && ${mendOf('calc')}`),
  unitFor('calc', 'calc-quick', `touch /opt/by-quick && sleep 6 && ${mendOf('calc')}`),
];
const useless = ['calq-a', 'calq-b', 'calq-c'].map((id) => unitFor('calq', id, `touch /opt/${id}`));
/** Leads to another error, as a rung of a ladder does: the command came further. */
const rungs = [
  unitFor('cald', 'cald-useless', 'touch /opt/cald-useless'),
  unitFor('cald', 'cald-rung', 'mkdir -p /opt/cald && echo rounded > /opt/cald/mode'),
];
/** What the command that had failed leaves when it passes, in the lane that wins. */
const CHECKED = `${TESTS} && echo checked >> /opt/checked`;
const lost = ['cale-slow', 'cale-quick'].map((id) =>
  unitFor('cale', id, `touch /opt/by-${id} && sleep ${id === 'cale-slow' ? 45 : 1} && ${mendOf('cale')}`),
);
const work = 'mkdir -p /srv/work && touch /srv/work/before && cd /srv/work && export KEPT=yes';
const look = 'pwd; echo "$KEPT"; ls -I pointsman /opt /srv/work';

const models = {
  racing: {
    turns: [
      shell(work),
      shell(TESTS),
      act('try_experience', { unit: 'calc-slow' }),
      shell(look),
      act('verify', { hint: TESTS }),
    ],
  },
  ladder: {
    turns: [
      shell(TESTS),
      act('try_experience', { unit: 'cald-useless' }),
      shell('cat /opt/cald/mode; ls /opt'),
      giveUp(),
    ],
  },
  lost: {
    turns: [
      shell(CHECKED),
      act('try_experience', { unit: 'cale-slow' }),
      shell('sleep 8; ls -I pointsman /opt; cat /opt/checked'),
      shell('true'),
      giveUp(),
    ],
  },
  vain: { turns: [shell(work), shell(TESTS), act('try_experience', { unit: 'calq-a' }), shell(look), giveUp()] },
};

let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf(projectOf('calc'))}`;
  world = await World.start({ script: { models }, profiles: { racing: {}, vain: {}, ladder: {}, lost: {} } });
  await withExperience(world, (store) => store.import([...units, ...useless, ...rungs, ...lost]));
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const input = (agent: string, of = source) => ({ source: of, roles: { agent }, experience: { speculate: 3 } });

async function quickHasWon(result: RepoSetupResult): Promise<void> {
  expect(result).toMatchObject({ status: 'verified', tests: { passed: 1 } });
  const outcomes = Object.fromEntries(result.units.map(({ unit, outcome, kept }) => [unit, [outcome, kept]]));
  expect(outcomes).toEqual({
    'calc-wrong': ['failure', false],
    'calc-slow': ['neutral', false],
    'calc-quick': ['success', true],
  });
  expect((await readChain(world, result.head)).of(look.slice(0, 8))).toMatch(
    /^\/repo\nyes\n\/opt:\nby-quick\ncalc\n\n\/srv\/work:\nbefore\n$/,
  );
  // Looking changed nothing, so none was taken before the verify.
  expect(result.frames.map(({ label }) => label)).toEqual(['base', 'before calc-slow', 'after calc-quick']);
}

test('of three units at once the first success becomes the sandbox, and the others leave nothing', async () => {
  const result = await setUp(world, 'race', input('racing'));
  await quickHasWon(result);
  expect(await telemetryOf(world, 'calc-quick')).toEqual({ hits: 1, successes: 1, failures: 0 });
  expect(await telemetryOf(world, 'calc-wrong')).toEqual({ hits: 1, successes: 0, failures: 1 });
  expect(await telemetryOf(world, 'calc-slow')).toEqual({ hits: 1, successes: 0, failures: 0 });
  expect(await leftOf(world, 'race')).toEqual(NOTHING);
});

inFull(
  'a worker that is killed during the race changes nothing of how it ends',
  async () => {
    const handle = await world.begin('repoSetup', { ...input('racing'), judge: false, reproduce: false }, 'killed');
    const docker = new Docker();
    const filters = { label: [`pointsman.scope=${await world.scope()}`, 'pointsman.role=lane-2'] };
    while ((await docker.listContainers({ filters })).length === 0) await new Promise((go) => setTimeout(go, 100));
    await world.killWorkers('SIGKILL');
    world.startWorker();
    await world.workerReady();
    await quickHasWon((await handle.result()) as RepoSetupResult);
    expect(await telemetryOf(world, 'calc-quick')).toEqual({ hits: 2, successes: 2, failures: 0 });
    expect(await leftOf(world, 'killed')).toEqual(NOTHING);
  },
  180_000,
);

inFull('what a race left is made again with its sandbox: the trial that won, and its check', async () => {
  const given = input('lost', `dir:${folderOf(projectOf('cale'))}`);
  const handle = await world.begin('repoSetup', { ...given, judge: false, reproduce: false }, 'lost');
  await reach(handle, 3);
  await sleep(1_000);
  await removeAllOf(world, 'lost');
  const { head } = (await handle.result()) as RepoSetupResult;
  const { steps, told } = await readChain(world, head);
  expect(steps[3]!.notes).toContain('its frames were lost: the sandbox was made again from what was recorded');
  expect(told[2]).toBe('by-cale-quick\ncale\nchecked\nchecked\n');
});

test('where none succeeds nothing of them is kept, and nothing of what was there before is lost', async () => {
  const result = await setUp(world, 'vain', input('vain', `dir:${folderOf(projectOf('calq'))}`));
  expect(result.units.map(({ unit, outcome, kept }) => [unit, outcome, kept])).toEqual(
    expect.arrayContaining(useless.map(({ id }) => [id, 'failure', false])),
  );
  expect((await readChain(world, result.head)).of(look.slice(0, 8))).toBe('/repo\nyes\n/opt:\n\n/srv/work:\nbefore\n');
  expect(result).toMatchObject({ status: 'gave_up', rollbacks: 0 });
});

test.each(['keep', 'rollback'] as const)(
  'a trial after which the command came further is adopted, whatever is done with those that nobody can judge: %s',
  async (neutral) => {
    const given = input('ladder', `dir:${folderOf(projectOf('cald'))}`);
    const result = await setUp(world, `ladder-${neutral}`, { ...given, experience: { ...given.experience, neutral } });
    expect(result.units.map(({ unit, outcome, kept: stays }) => [unit, outcome, stays])).toEqual(
      expect.arrayContaining([
        ['cald-useless', 'failure', false],
        ['cald-rung', 'neutral', true],
      ]),
    );
    expect((await readChain(world, result.head)).of('cat /opt').startsWith('rounded')).toBe(true);
  },
);
