import { setTimeout as sleep } from 'node:timers/promises';
import type { RepoSetupResult, RolloutResult } from '../../src/contract';
import { NOTHING, pastTurn } from '../support/chaos';
import { COUNTS, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import {
  act,
  activitiesOf,
  folderOf,
  leftOf,
  mendOf,
  projectOf,
  reach,
  readChain,
  removeAllOf,
  removeFolders,
  sandboxOf,
  shell,
  TESTS,
  unitFor,
  withExperience,
} from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const notes = (count: number) => Array.from({ length: count }, (_, i) => `echo ${i} >> /opt/steps; sleep 0.5`);
/** A command that wants it when it runs wants it when it is done again, too. */
const greeter = { name: 'greeter', port: 8081, start: 'exec python3 -m http.server 8081 -d /opt' };
const GREETED = `python3 -c "import urllib.request as u; u.urlretrieve('http://127.0.0.1:8081/hello', '/opt/greeting')"`;
const script = {
  models: {
    agent: {
      turns: [
        shell(TESTS),
        shell('echo hello > /opt/hello'),
        act('start_service', { service: greeter }),
        shell(GREETED),
        ...notes(3).map(shell),
        shell('rm -r /srv && cp /opt/steps /opt/kept'),
        ...notes(8).map(shell),
        shell(mendOf('calc')),
        shell('cat /opt/greeting /opt/kept /opt/steps'),
        act('verify'),
      ],
    },
    /** Comes back from two wrong turns; the second time from one of before its host was lost. */
    astray: {
      turns: [
        shell('echo one >> /opt/steps'),
        shell('rm -rf /opt/never; echo wrong >> /opt/steps; sleep 5'),
        act('rollback'),
        shell('cat /opt/steps'),
        shell(mendOf('calc')),
        shell('rm -rf /opt/never; echo wrong again >> /opt/steps'),
        act('rollback', { frames: 9 }),
        shell('cat /opt/steps /opt/calc/mode'),
        act('verify'),
      ],
    },
    /** Tries a unit that does not help; the check of it takes so long that a host can be lost meanwhile. */
    trier: {
      turns: [
        shell(`sleep 15; ${TESTS}`),
        act('try_experience', { unit: 'calc-wrong' }),
        shell('ls /opt/other'),
        shell(mendOf('calc')),
        act('verify'),
      ],
    },
    pruned: {
      turns: [
        shell(mendOf('calc')),
        shell('rm -rf /opt/never; echo one >> /opt/steps'),
        shell('sleep 8; cat /opt/steps'),
        act('verify'),
      ],
    },
    student: {
      turns: [...notes(12), 'cat /opt/steps'].map((command) => ({ thought: 'On.', tool: 'bash', args: { command } })),
      end: 'submit',
    },
  },
};
const COUNTED = 'hello\n0\n1\n2\n0\n1\n2\n0\n1\n2\n3\n4\n5\n6\n7\n';

const setUpInput = { source: `dir:${folderOf(projectOf('calc'))}`, roles: { agent: 'agent' }, reproduce: false };
const worlds: World[] = [];
afterAll(async () => {
  await Promise.all(worlds.map((world) => world.close()));
  removeFolders();
});

async function worldWith(env: Record<string, string>): Promise<World> {
  const world = await World.start({
    script,
    profiles: { agent: {}, astray: {}, trier: {}, pruned: {}, student: {} },
    env,
  });
  worlds.push(world);
  return world;
}

test(
  'the only host being away costs time and nothing else: no sandbox is made again, no step is redone',
  async () => {
    const world = await worldWith({});
    const setUp = await world.begin('repoSetup', { judge: false, ...setUpInput }, 'set-up');
    const problem = await tinyProblem('away');
    const rollout = await world.begin(
      'rollout',
      { problem, student: 'student', handOver: { never: true }, grade: false },
      'rollout',
    );
    await Promise.all([reach(setUp, 11), pastTurn(rollout, 3)]);
    await world.killWorkers('SIGKILL');
    await sleep(COUNTS.awaySeconds * 1000);
    world.startWorker();
    const ended = (await setUp.result()) as RepoSetupResult;
    const rolled = (await rollout.result()) as RolloutResult;
    figures('away, the only host', { seconds: COUNTS.awaySeconds, setUp: ended.status, rollout: rolled.status });

    expect(ended.status).toBe('verified');
    expect((await activitiesOf(setUp)).filter((name) => name === 'prepareSetup')).toHaveLength(1);
    expect((await readChain(world, ended.head)).of('cat /opt/greeting')).toBe(COUNTED);
    expect(rolled).toMatchObject({ status: 'submitted', recovered: { sandboxes: 0, redoneSteps: 0 } });
    expect(await leftOf(world, 'set-up')).toEqual(NOTHING);
  },
  minutes(4, 8),
);

inFull(
  'frames that somebody pruned with their sandbox are made again from what was recorded',
  async () => {
    const world = await worldWith({});
    const input = { ...setUpInput, roles: { agent: 'pruned' }, judge: false, experience: { mode: 'off' } };
    const setUp = await world.begin('repoSetup', input, 'pruned');
    await reach(setUp, 3);
    await sleep(1_000);
    await removeAllOf(world, 'pruned');
    const ended = (await setUp.result()) as RepoSetupResult;
    expect(ended.status).toBe('verified');
    const { steps, told } = await readChain(world, ended.head);
    expect(told[2]).toBe('one\n');
    expect(steps.flatMap(({ notes }) => notes)).toContain(
      'its frames were lost: the sandbox was made again from what was recorded',
    );
    expect(await leftOf(world, 'pruned')).toEqual(NOTHING);
  },
  minutes(2, 2),
);

// Only as long as it takes until a host counts as lost.
inFull(
  'a host that stays away is replaced by another, and the set-up goes on from what was recorded',
  async () => {
    const world = await worldWith({ POINTSMAN_ONLY_HOST: '', POINTSMAN_HOST: 'first' });
    const setUp = await world.begin('repoSetup', setUpInput, 'set-up');
    await reach(setUp, 11);
    await world.killWorkers('SIGKILL');
    world.startWorker({ POINTSMAN_HOST: 'second' });
    const ended = (await setUp.result()) as RepoSetupResult;
    const made = (await activitiesOf(setUp)).filter((name) => name === 'prepareSetup').length;
    figures('away, one host of two', { setUp: ended.status, verdict: ended.verdict?.verdict, made });
    expect(ended).toMatchObject({ status: 'verified', verdict: { verdict: 'not_guilty' } });
    expect(made).toBe(2);
    expect((await readChain(world, ended.head)).of('cat /opt/greeting')).toBe(COUNTED);
  },
  minutes(1, 8),
);

inFull(
  'a host that is lost before a rollback: the sandbox that is made elsewhere is what the rollback leads to',
  async () => {
    const world = await worldWith({ POINTSMAN_ONLY_HOST: '', POINTSMAN_HOST: 'first' });
    const input = { ...setUpInput, roles: { agent: 'astray' }, judge: false, experience: { mode: 'off' } };
    const setUp = await world.begin('repoSetup', input, 'astray');
    await reach(setUp, 2);
    // It pauses after the command that runs now: the rollback finds no host.
    await setUp.executeUpdate('pause');
    for (;;) {
      const { phase } = (await setUp.query('progress')) as { phase: string };
      if (phase === 'Paused') break;
      await sleep(200);
    }
    await world.killWorkers('SIGKILL');
    // The two share an engine here: what the first had went with it.
    await (await sandboxOf(world, 'astray')).remove({ force: true });
    world.startWorker({ POINTSMAN_HOST: 'second' });
    await world.workerReady();
    await setUp.executeUpdate('resume');
    const ended = (await setUp.result()) as RepoSetupResult;
    const { steps, told } = await readChain(world, ended.head);
    figures('away, before a rollback', {
      setUp: ended.status,
      undone: steps.map(({ undoes }) => undoes.length).join(''),
    });
    expect(steps[2]!.undoes).toEqual([2]);
    expect(steps[2]!.notes).toContain('its frames were lost: the sandbox was made again from what was recorded');
    expect(told[3]).toBe('one\n');
    // No further back than to what was made again, which nothing undoes.
    expect(steps[6]!.undoes).toEqual([4, 5, 6]);
    expect(told[7]).toMatch(/^one\n.*No such file/s);
    expect(ended.rollbacks).toBe(2);
    expect(await leftOf(world, 'astray')).toEqual(NOTHING);
  },
  minutes(1, 8),
);

inFull(
  'a host that is lost under a trial: one that fails is taken back on the next host, and a race is run there',
  async () => {
    const world = await worldWith({ POINTSMAN_ONLY_HOST: '', POINTSMAN_HOST: 'first' });
    const wrong = (id: string) => unitFor('calc', id, 'mkdir -p /opt/other && echo exact > /opt/other/mode');
    await withExperience(world, (store) => store.import([wrong('calc-wrong'), wrong('calc-worse')]));
    const input = { ...setUpInput, roles: { agent: 'trier' }, judge: false };
    const begin = (id: string, speculate: number) =>
      world.begin('repoSetup', { ...input, experience: { mode: 'frozen', speculate } }, id);
    const [alone, race] = await Promise.all([begin('alone', 1), begin('race', 2)]);
    for (;;) {
      const [one, several] = await Promise.all([activitiesOf(alone), activitiesOf(race)]);
      // The command that failed, the trial, and now the check.
      const checks = one.filter((name) => name === 'runSetup').length === 3;
      if (checks && several.includes('raceTrials')) break;
      await sleep(100);
    }
    await sleep(2_000);
    await world.killWorkers('SIGKILL');
    await Promise.all([removeAllOf(world, 'alone'), removeAllOf(world, 'race')]);
    world.startWorker({ POINTSMAN_HOST: 'second' });
    for (const handle of [alone, race]) {
      const ended = (await handle.result()) as RepoSetupResult;
      figures(`away, under a trial (${handle.workflowId})`, { setUp: ended.status });
      expect(ended.status).toBe('verified');
      expect(ended.units.map(({ kept }) => kept)).not.toContain(true);
      const { steps, of } = await readChain(world, ended.head);
      expect(of('calc-wrong')).toContain('rolled back: nothing that it did is there');
      expect(steps[1]!.undoes).toEqual([2]);
      expect(of('ls /opt/other')).toMatch(/No such file/);
      expect(await leftOf(world, handle.workflowId)).toEqual(NOTHING);
    }
  },
  minutes(1, 8),
);
