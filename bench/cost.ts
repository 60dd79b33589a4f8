import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Problem, RolloutResult } from '../src/contract';
import { tinyStages } from '../test/support/scripted-campaign';
import { World } from '../test/support/world';

/** Rollouts that wait for their model at the same time. */
const ROLLOUTS = 8;
/** List price of Temporal Cloud, in USD a million actions. */
const USD_A_MILLION = 50;
/** Turns of the rollout that the price is quoted for. */
const TURNS_QUOTED = 80;

/**
 * What a rollout costs at a server that bills: actions as the server counts them itself (its metric `action`), events and
 * bytes of history. `cost --turns 20 --seconds 10`: a model that takes so long for each turn.
 */
export async function benchCost(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { turns: { type: 'string', default: '20' }, seconds: { type: 'string', default: '10' } },
  });
  const [turns, seconds] = [Number(values.turns), Number(values.seconds)];
  const [problem] = (await tinyStages(1)).problems as [Problem];
  const looks = Array.from({ length: turns }, (_, n) => ({ tool: 'bash', args: { command: `echo ${n}` } }));
  const world = await World.start({
    script: { models: { slow: { turns: looks, latencyMs: seconds * 1000 } } },
    profiles: { slow: { concurrency: ROLLOUTS } },
  });
  try {
    const before = await settled(world);
    const ended = await Promise.all(Array.from({ length: ROLLOUTS }, (_, n) => rollout(world, problem, `cost-${n}`)));
    const after = await settled(world);
    // The last turn submits.
    const steps = ROLLOUTS * (turns + 1);
    console.log(`${ROLLOUTS} rollouts of ${turns + 1} turns, ${seconds} s a turn; load ${loadavg()[0]!.toFixed(2)}\n`);
    console.log('| actions, as the server counts them | a rollout | a turn |\n|---|--:|--:|');
    const kinds = [...after].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const);
    const counted = kinds.filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one);
    const line = (name: string, count: number) =>
      console.log(`| ${name} | ${(count / ROLLOUTS).toFixed(1)} | ${(count / steps).toFixed(2)} |`);
    for (const [kind, count] of counted) line(kind, count);
    const all = counted.reduce((sum, [, count]) => sum + count, 0);
    line('**all**', all);
    line(
      'events',
      ended.reduce((sum, { events }) => sum + events, 0),
    );
    line(
      'bytes of history',
      ended.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    const quoted = (all / steps) * TURNS_QUOTED;
    const usd = (quoted * USD_A_MILLION) / 1e6;
    console.log(
      `\n${TURNS_QUOTED} turns: ${quoted.toFixed(0)} actions, $${usd.toFixed(4)} at $${USD_A_MILLION} a million`,
    );
  } finally {
    await world.close();
  }
}

async function rollout(world: World, problem: Problem, id: string): Promise<{ events: number; bytes: number }> {
  const handle = await world.begin(
    'rollout',
    { problem, student: 'slow', handOver: { never: true }, grade: false },
    id,
  );
  const { status, detail } = (await handle.result()) as RolloutResult;
  if (status !== 'submitted') throw new Error(`${id} ended ${status}: ${detail}`);
  const { historyLength, historySize = 0 } = await handle.describe();
  return { events: historyLength, bytes: historySize };
}

/** Actions by kind, once the server has counted what it did. */
async function settled(world: World): Promise<Map<string, number>> {
  await sleep(2_000);
  const counts = new Map<string, number>();
  // As Prometheus spells it.
  const label = world.namespace.replaceAll(/\W/g, '_');
  for (const [, labels = '', value] of (await world.serverMetrics()).matchAll(/^action\{([^}]*)\} (\S+)$/gm)) {
    if (!labels.includes(`namespace="${label}"`)) continue;
    const kind = /action_type="([^"]*)"/.exec(labels)?.[1] ?? 'other';
    counts.set(kind, (counts.get(kind) ?? 0) + Number(value));
  }
  return counts;
}
