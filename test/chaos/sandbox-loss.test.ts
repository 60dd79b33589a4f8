import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import Docker from 'dockerode';
import type { RolloutInput, RolloutResult } from '../../src/contract';
import { containerOf, dice, ended, ledgerOf, pastTurn, resultOf } from '../support/chaos';
import { COUNTS, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { commandsOf, longScript } from '../support/long-script';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const steps = COUNTS.rolloutSteps;
const long = longScript(steps);
const docker = new Docker();
let world: World;
let calm: RolloutResult;

const start = async (id: string, sandbox: Partial<RolloutInput['sandbox']> = {}) =>
  world.begin(
    'rollout',
    {
      problem: await tinyProblem(),
      student: 'student',
      expert: 'expert',
      handOver: { at: long.handOver },
      limits: { steps: steps + 5 },
      grade: false,
      sandbox,
    },
    id,
  );

/** The same trajectory, with every command's effect in the sandbox once, and no answer asked for twice. */
async function expectUndisturbed(handle: WorkflowHandle & { firstExecutionRunId: string }, result: RolloutResult) {
  const { steps: chain } = await world.transcripts.load(result.head);
  expect(chain.at(-2)!.observation.trim().split('\n').map(Number)).toEqual(commandsOf(steps));
  expect(result).toMatchObject({ status: 'submitted', head: calm.head, workspace: calm.workspace, patch: calm.patch });
  expect(ledgerOf(world, handle.firstExecutionRunId)).toHaveLength(long.calls);
}

beforeAll(
  async () => {
    world = await World.start({ script: long.script, profiles: long.profiles });
    calm = await resultOf(await start('calm'));
  },
  minutes(3, 3),
);
afterAll(async () => {
  await world?.close();
});

test.each([
  ['the recorded actions', 0],
  ['the newest frame', 10],
])(
  'a container removed at random points is rebuilt from %s',
  async (from, checkpointEvery) => {
    const random = dice(`sandbox-loss ${checkpointEvery}`);
    const handle = await start(`removed-${checkpointEvery}`, { checkpointEvery });
    const container = await containerOf(handle);
    let losses = 0;
    for (let turn = 0; losses < COUNTS.sandboxLosses; ) {
      turn = await pastTurn(handle, turn);
      await sleep(random() * (steps / (COUNTS.sandboxLosses + 1)) * 60);
      if (await ended(handle)) break;
      // One that is being rebuilt is not there to be lost.
      await docker
        .getContainer(container)
        .remove({ force: true })
        .then(
          () => losses++,
          () => {},
        );
    }
    const result = await resultOf(handle);
    const timings = await world.timings.of(handle.firstExecutionRunId);
    const { sandboxes, redoneSteps } = result.recovered;
    figures(`2 container removed, from ${from}`, {
      losses,
      recovered: sandboxes,
      redoneSteps,
      head: result.head === calm.head ? 'same' : 'OTHER',
    });
    await expectUndisturbed(handle, result);
    expect(losses).toBe(COUNTS.sandboxLosses);
    expect(sandboxes).toBeGreaterThan(0);
    expect([...timings.values()].some(({ redone }) => redone === 1)).toBe(redoneSteps > 0);
  },
  minutes(2, 15),
);

test(
  'a container that stopped and was started again just goes on',
  async () => {
    const handle = await start('stopped');
    const container = docker.getContainer(await containerOf(handle));
    await pastTurn(handle, 4);
    await handle.executeUpdate('pause');
    while (((await handle.query('progress')) as { phase: string }).phase !== 'Paused') await sleep(30);
    await container.kill();
    await container.start();
    await handle.executeUpdate('resume');
    const result = await resultOf(handle);
    figures('2 container stopped and started', {
      recovered: result.recovered.sandboxes,
      head: result.head === calm.head ? 'same' : 'OTHER',
    });
    await expectUndisturbed(handle, result);
    expect(result.recovered).toEqual({ sandboxes: 0, redoneSteps: 0 });
  },
  minutes(2, 2),
);

inFull(
  'a command that dies with its container is not taken for one that ended',
  async () => {
    const random = dice('stopped in a command');
    const handle = await start('stopped-busy');
    const container = docker.getContainer(await containerOf(handle));
    for (let turn = 0, times = 0; times < 3; times++) {
      turn = await pastTurn(handle, turn);
      await sleep(random() * 900);
      if (await ended(handle)) break;
      // In the middle of anything: the run may meet the stopped container, the started one, or the gap between.
      await container.kill().catch(() => {});
      await container.start().catch(() => {});
    }
    const result = await resultOf(handle);
    figures('2 container stopped in a command', {
      ...result.recovered,
      head: result.head === calm.head ? 'same' : 'OTHER',
    });
    await expectUndisturbed(handle, result);
  },
  minutes(2, 2),
);

inFull(
  'worker and container at once, and the next worker while it rebuilds',
  async () => {
    const handle = await start('both', { checkpointEvery: 10 });
    const container = docker.getContainer(await containerOf(handle));
    await pastTurn(handle, 14);
    await Promise.all([world.killWorkers('SIGKILL'), container.remove({ force: true })]);
    world.startWorker();
    await world.workerReady();
    await sleep(1_500);
    await world.killWorkers('SIGKILL');
    world.startWorker();
    const result = await resultOf(handle);
    figures('2 worker and container at once', {
      ...result.recovered,
      head: result.head === calm.head ? 'same' : 'OTHER',
    });
    await expectUndisturbed(handle, result);
  },
  minutes(3, 3),
);
