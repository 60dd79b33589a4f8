import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL } from '../../src/sandbox/labels';
import { dice, labelled, NOTHING } from '../support/chaos';
import { COUNTS, FULL, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { act, folderOf, giveUp, removeFolders, shell } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

/** A frame at every other step, one of them rolled back. */
const framed = [1, 2, 3].flatMap((k) => [`mkdir -p /opt/${k} && rm -r /opt/${k}`, `echo ${k} > /opt/f; sleep 0.3`]);
const script = {
  models: {
    solo: { turns: [], generate: { steps: 8, command: 'echo {k} > f{k}; sleep 0.2' }, latencyMs: 50 },
    setter: { turns: [...framed.map(shell), act('rollback'), giveUp()], latencyMs: 50 },
  },
};
const AT_ONCE = 6;
/** One in so many is a set-up. As it shares no factor with how runs end, each of its ends comes up. */
const SETUP_EVERY = 5;
let world: World;
let source: string;
beforeAll(async () => {
  source = `dir:${folderOf({ 'setup.py': '# nothing\n' })}`;
  world = await World.start({ script, profiles: { solo: {}, setter: {} }, env: { POINTSMAN_HOST: 'leaky' } });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

test(
  'nothing outlives its run once the janitor has been',
  async () => {
    const random = dice('leaks');
    const problem = await tinyProblem();
    const input = {
      problem,
      student: 'solo',
      handOver: { never: true },
      grade: false,
      sandbox: { checkpointEvery: 3 },
    };
    const setup = { source, roles: { agent: 'setter' } };
    const told = { setups: 0, finished: 0, cancelled: 0, terminated: 0, workers: 0 };
    // The wave after which a worker is killed too: in every one of the long test, once in the short one.
    const waves = Math.ceil(COUNTS.leakRuns / AT_ONCE);
    for (let wave = 0; wave < waves; wave++) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => live(wave * AT_ONCE + i)));
      if (FULL ? wave % 5 === 4 : wave === 0) {
        const doomed = await world.begin('rollout', input, `doomed-${wave}`);
        await sleep(300 + random() * 2_000);
        await world.killWorkers('SIGKILL');
        await doomed.terminate('nobody is left to clean up');
        told.workers++;
        world.startWorker();
        await world.workerReady();
      }
      // As its schedule does: what terminated runs leave takes up this host's room until then.
      if (wave < waves - 1 && wave % 2 === 1) await sweep(`janitor-${wave}`);
    }

    function sweep(id: string): Promise<unknown> {
      return world.begin('janitor', { hosts: ['leaky'], olderThanSeconds: 0 }, id).then((run) => run.result());
    }

    async function live(n: number): Promise<void> {
      const isSetup = n % SETUP_EVERY === 0;
      const handle = await (isSetup
        ? world.begin('repoSetup', setup, `leak-${n}`)
        : world.begin('rollout', input, `leak-${n}`));
      if (isSetup) told.setups++;
      const fate = n % 6 === 0 ? 'terminated' : n % 6 === 3 ? 'cancelled' : 'finished';
      if (fate !== 'finished') await sleep(random() * 3_000);
      if (fate === 'terminated') await handle.terminate('at random').catch(() => {});
      if (fate === 'cancelled') await handle.cancel().catch(() => {});
      await handle.result().catch(() => {});
      told[fate as keyof typeof told]++;
    }

    await settled();
    const before = await labelled(`${LABEL.scope}=${await world.scope()}`);
    const swept = await sweep('janitor');
    const after = await labelled(`${LABEL.scope}=${await world.scope()}`);
    const count = (of: typeof before) => Object.values(of).flat().length;
    figures('9 nothing leaks', {
      runs: COUNTS.leakRuns,
      ...told,
      leftBefore: count(before),
      leftAfter: count(after),
      swept: JSON.stringify(swept).length > 0 ? 'yes' : 'no',
    });
    expect(before.containers.length).toBeGreaterThan(0);
    expect(after).toEqual(NOTHING);
    const halfWritten = readdirSync(join(world.home, 'ledger'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tmp'),
    );
    expect(halfWritten.length).toBeLessThanOrEqual(told.workers);
  },
  minutes(3, 40),
);

/** Until no activity of a terminated run is making things any more. */
async function settled(): Promise<void> {
  for (let last = '', same = 0; same < 4; ) {
    const now = JSON.stringify(await labelled(`${LABEL.scope}=${await world.scope()}`));
    same = now === last ? same + 1 : 0;
    last = now;
    await sleep(500);
  }
}
