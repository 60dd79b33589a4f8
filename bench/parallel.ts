import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { World } from '../test/support/world';
import { peerBatch } from './peer';
import { besideMini, heading, ours, STEPS } from './rollout';

/** How many of mini-swe-agent's run at once: its goal is beside these. */
const OF_MINI = 8;

/**
 * Steps a second of rollouts that run at once on one worker, beside mini-swe-agent's own batch runner: what does not grow
 * with the rollouts beside. `npm run bench parallel [1 8 32 100]`.
 */
export async function benchParallel(args: string[]): Promise<void> {
  const counts = (args.length > 0 ? args : ['1', '8', '32', '100']).map(Number);
  await besideMini(
    async ({ world, server, times }) => {
      console.log(`load ${loadavg()[0]!.toFixed(2)} before`);
      heading(`In parallel, ${STEPS} steps each (steps a second, all together)`);
      const name = `mini-${OF_MINI}`;
      const megabytes = peerBatch(name, OF_MINI, STEPS, Number(new URL(server.url).port));
      const mini = times(name);
      line('mini-swe-agent', OF_MINI, mini.stepsPerSecond, mini.p50, `its one process ${megabytes.toFixed(0)} MB`);
      for (const many of counts) {
        const prefix = `ours-x${many}-`;
        await Promise.all(Array.from({ length: many }, (_, at) => ours(world, `${prefix}${at}`, STEPS, 0)));
        const { stepsPerSecond, p50 } = times(prefix);
        const ratio = many === OF_MINI ? `, ×${(stepsPerSecond / mini.stepsPerSecond).toFixed(2)} of mini's` : '';
        line('pointsman', many, stepsPerSecond, p50, `worker ${peakOf(world).toFixed(0)} MB at the most${ratio}`);
      }
      console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
    },
    Math.max(...counts),
  );
}

function line(who: string, many: number, stepsPerSecond: number, p50: number, memory: string): void {
  console.log(`| ${who} | ${many} | ${stepsPerSecond.toFixed(1)} steps/s | p50 ${p50.toFixed(0)} ms | ${memory} |`);
}

/** MB that the worker had at once since it began. */
function peakOf(world: World): number {
  const status = readFileSync(`/proc/${world.workerPid()}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
