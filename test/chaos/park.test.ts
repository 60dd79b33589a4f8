import { setTimeout as sleep } from 'node:timers/promises';
import type { RolloutProgress, RolloutResult } from '../../src/contract';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const script = { models: { solo: { turns: [], generate: { steps: 8, command: 'echo {k} >> kept' }, latencyMs: 150 } } };
let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { solo: {} } });
}, 90_000);
afterAll(async () => {
  await world?.close();
}, 60_000);

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
  await restart({ solo: {} });
  await handle.executeUpdate('resume');
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', turns: { total: 9 } });
  const patch = (await world.blobs.get(result.patch!.sha256)).toString();
  expect(patch).toContain('+1\n+2\n+3\n+4\n+5\n+6\n+7\n+8\n');
}, 120_000);

test('a parked run can be abandoned, and keeps its work', async () => {
  const handle = await parked('park-abandon');
  await handle.executeUpdate('abandon');
  const result = (await handle.result()) as RolloutResult;
  expect(result.status).toBe('cancelled');
  expect((await world.blobs.get(result.patch!.sha256)).toString()).toContain('+1\n+2\n');
  await restart({ solo: {} });
}, 120_000);
