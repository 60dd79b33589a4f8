import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { RepoSetupResult, RolloutProgress, RolloutResult, SetupProgress } from '../../src/contract';
import { folderOf, giveUp, projectOf, reach, readChain, removeFolders, shell } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const script = {
  models: {
    solo: { turns: [], generate: { steps: 8, command: 'echo {k} >> kept' }, latencyMs: 150 },
    /** Thinks so long that an answer can be waited for. */
    setter: { turns: [shell('echo one >> /opt/steps'), shell('cat /opt/steps'), giveUp()], latencyMs: 2_000 },
  },
};
const profiles = { solo: {}, setter: {} };
let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

/** A run whose model profile goes away under it: nothing that it could do anything about. */
async function parked(id: string) {
  const input = { problem: await tinyProblem(), student: 'solo', handOver: { never: true }, grade: false };
  const handle = await world.begin('rollout', input, id);
  const until = async (reached: (progress: RolloutProgress) => boolean) => {
    for (;;) {
      const progress = await handle.query<RolloutProgress>('progress').catch(() => undefined);
      if (progress && reached(progress)) return;
      await sleep(50);
    }
  };
  await until(({ turn }) => turn >= 2);
  await restart({});
  await until(({ phase }) => phase === 'Parked');
  return handle;
}

async function restart(profiles: Record<string, Record<string, unknown>>): Promise<void> {
  world.writeConfig(profiles);
  await world.killWorkers('SIGTERM');
  world.startWorker();
  await world.workerReady();
}

test('trouble that is not the run’s own parks it; mended and resumed, it ends as if nothing had been', async () => {
  const handle = await parked('park-resume');
  await restart(profiles);
  await handle.executeUpdate('resume');
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', turns: { total: 9 } });
  const patch = (await world.blobs.get(result.patch!.sha256)).toString();
  expect(patch).toContain('+1\n+2\n+3\n+4\n+5\n+6\n+7\n+8\n');
});

test('a parked run can be abandoned, and keeps its work', async () => {
  const handle = await parked('park-abandon');
  await handle.executeUpdate('abandon');
  const result = (await handle.result()) as RolloutResult;
  expect(result.status).toBe('cancelled');
  expect((await world.blobs.get(result.patch!.sha256)).toString()).toContain('+1\n+2\n');
  await restart(profiles);
});

/** What hours of attempts come to, at once. Only an attempt that runs can be the last one. */
async function outOfAttempts(handle: WorkflowHandle, activity: string, message: string): Promise<void> {
  for (;;) {
    const { raw } = await handle.describe();
    const tried = raw.pendingActivities?.find(({ activityType }) => activityType?.name === activity);
    const { workflowId } = handle;
    const failed = tried
      ? await world.client.activity
          .fail({ workflowId, activityId: tried.activityId! }, ApplicationFailure.nonRetryable(message, 'Unavailable'))
          .then(
            () => true,
            () => false,
          )
      : false;
    if (failed) return;
    await sleep(50);
  }
}

async function isParked(handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { phase } = await handle.query<SetupProgress>('progress');
    if (phase === 'Parked') return;
    await sleep(50);
  }
}

test('a set-up whose provider is away for too long is parked; resumed, it asks for that turn and no other again', async () => {
  const source = `dir:${folderOf(projectOf('calc'))}`;
  const input = { source, roles: { agent: 'setter' }, judge: false, reproduce: false, experience: { mode: 'off' } };
  const asked = () => world.rehearsal.stats().requests;
  const before = asked();
  const handle = await world.begin('repoSetup', input, 'park-provider');
  await reach(handle, 2);
  await outOfAttempts(handle, 'takeMove', 'the provider does not answer');
  await isParked(handle);
  await handle.executeUpdate('resume');
  const { status, steps, head } = (await handle.result()) as RepoSetupResult;
  expect([status, steps]).toEqual(['gave_up', 3]);
  expect((await readChain(world, head)).told[1]).toBe('one\n');
  // The second turn twice.
  expect(asked() - before).toBe(4);
});

test('a set-up whose sources nobody gives can be abandoned: it ends with what it has, which is nothing', async () => {
  const source = `archive:https://127.0.0.1:9/gone.tar.gz#sha256=${'0'.repeat(64)}`;
  const handle = await world.begin('repoSetup', { source }, 'park-fetching');
  await outOfAttempts(handle, 'prepareSetup', 'the registry does not answer');
  await isParked(handle);
  await handle.executeUpdate('abandon');
  expect((await handle.result()) as RepoSetupResult).toMatchObject({
    ...{ status: 'cancelled', detail: 'abandoned by a person', source, sha256: '', head: '' },
    ...{ steps: 0, frames: [], image: null, verdict: null },
  });
});
