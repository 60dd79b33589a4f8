import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { RolloutResult } from '../../src/contract';
import { LABEL } from '../../src/sandbox/labels';
import { labelled, NOTHING, resultOf } from '../support/chaos';
import { examples, FULL, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const ROLLOUTS = examples(24, 2_000);
/** A worker is killed after so many, and another takes over what it had. */
const PER_WORKER = examples(8, 100);
const AT_ONCE = 8;
/** One in so many is graded as well. */
const GRADED = 10;
const bash = (command: string) => ({ thought: 'On.', tool: 'bash', args: { command } });
const script = {
  models: {
    student: { turns: [bash('ls'), bash('cat src/calc.py')], end: 'repeat' },
    expert: { position: 'match', turns: [bash('sed -i s/-/+/ src/calc.py')], end: 'submit' },
  },
};

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { student: {}, expert: {} }, env: { POINTSMAN_HOST: 'soaked' } });
});
afterAll(async () => {
  await world?.close();
});

/** What a worker and its host have after as many rollouts as each worker runs. */
interface Reading {
  readonly memoryMiB: number;
  readonly openFiles: number;
  /** Bytes in the home for each rollout so far, without what the server keeps. */
  readonly bytes: number;
  /** Containers, images, networks and volumes of runs that have ended or go on. */
  readonly things: number;
  readonly secondsPerRollout: number;
  /** Of the worker's processor time, its start included. */
  readonly cpuSecondsPerRollout: number;
}

inFull(
  'a worker that is killed after every hundred rollouts: all end, and nothing grows',
  async () => {
    const problem = { ...(await tinyProblem()), tests: TINY_TESTS };
    const input = { problem, student: 'student', expert: 'expert', handOver: { at: 2 } };
    const results: RolloutResult[] = [];
    const readings: Reading[] = [];
    let begun = 0;
    let killed: Promise<void> | undefined;
    let since = performance.now();
    const next = async (): Promise<void> => {
      while (begun < ROLLOUTS) {
        const at = begun++;
        const handle = await world.begin('rollout', { ...input, grade: at % GRADED === 0 }, `soak-${at}`);
        results.push(await resultOf(handle));
        if (results.length % PER_WORKER !== 0) continue;
        readings.push(await reading(results.length, (performance.now() - since) / 1000 / PER_WORKER));
        await killed;
        killed = world.killWorkers('SIGKILL').then(() => void world.startWorker());
        await killed;
        since = performance.now();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    await (await world.begin('janitor', { hosts: ['soaked'], olderThanSeconds: 0 }, 'janitor')).result();

    for (const [at, each] of readings.entries()) figures(`22 after ${(at + 1) * PER_WORKER}`, { ...each });
    expect(results).toHaveLength(ROLLOUTS);
    expect(new Set(results.map(({ head, status }) => `${status} ${head}`)).size).toBe(1);
    expect(results[0]).toMatchObject({ status: 'submitted', turns: { total: 4 } });
    expect(results.filter(({ resolved }) => resolved)).toHaveLength(Math.ceil(ROLLOUTS / GRADED));
    expect(await labelled(`${LABEL.scope}=${await world.scope()}`)).toEqual(NOTHING);
    if (!FULL) return;
    const [early, late] = [readings.slice(1, 6), readings.slice(-5)];
    for (const what of ['memoryMiB', 'openFiles', 'bytes', 'cpuSecondsPerRollout'] as const) {
      const most = (some: Reading[]) => Math.max(...some.map((each) => each[what]));
      expect([what, most(late) / most(early) < 1.2]).toEqual([what, true]);
    }
  },
  minutes(4, 90),
);

async function reading(rollouts: number, seconds: number): Promise<Reading> {
  const process = `/proc/${world.workerPid()}`;
  const kib = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(join(process, 'status'), 'utf8'))?.[1]);
  const things = await labelled(`${LABEL.scope}=${await world.scope()}`);
  return {
    memoryMiB: Math.round(kib / 1024),
    openFiles: readdirSync(join(process, 'fd')).length,
    bytes: Math.round(sizeOf(world.home) / rollouts),
    things: Object.values(things).flat().length,
    secondsPerRollout: seconds,
    cpuSecondsPerRollout: cpuSeconds(process) / PER_WORKER,
  };
}

/** Hundredths of a second stand there, of user and kernel. */
function cpuSeconds(process: string): number {
  const fields = readFileSync(join(process, 'stat'), 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function sizeOf(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const kept = names.filter((name) => !/^(temporal\.db|server\.log)/.test(name));
  return kept.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
