import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { temporal } from '@temporalio/proto';
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
    console.log(`${ROLLOUTS} rollouts of ${turns + 1} turns, ${seconds} s a turn; load ${loadavg()[0]!.toFixed(2)}`);
    const kinds = [...after].map(([kind, count]) => [kind, count - (before.get(kind) ?? 0)] as const);
    const table = (what: string, counted: Iterable<readonly [string, number]>) => {
      console.log(`\n| ${what} | a rollout | a turn |\n|---|--:|--:|`);
      const sorted = [...counted].filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one);
      const all = sorted.reduce((sum, [, count]) => sum + count, 0);
      for (const [name, count] of [...sorted, ['**all**', all] as const])
        console.log(`| ${name} | ${(count / ROLLOUTS).toFixed(1)} | ${(count / steps).toFixed(2)} |`);
      return all;
    };
    const all = table('actions, as the server counts them', kinds);
    table('events of history', timesOf(ended.flatMap(({ events }) => events)));
    table('activities', timesOf(ended.flatMap(({ activities }) => activities)));
    const bytes = ended.reduce((sum, each) => sum + each.bytes, 0);
    console.log(`\n${(bytes / steps / 1024).toFixed(2)} KB of history a turn`);
    const quoted = (all / steps) * TURNS_QUOTED;
    const usd = (quoted * USD_A_MILLION) / 1e6;
    console.log(
      `${TURNS_QUOTED} turns: ${quoted.toFixed(0)} actions, $${usd.toFixed(4)} at $${USD_A_MILLION} a million`,
    );
  } finally {
    await world.close();
  }
}

interface Cost {
  readonly events: readonly string[];
  readonly activities: readonly string[];
  readonly bytes: number;
}

async function rollout(world: World, problem: Problem, id: string): Promise<Cost> {
  const handle = await world.begin(
    'rollout',
    { problem, student: 'slow', handOver: { never: true }, grade: false },
    id,
  );
  const { status, detail } = (await handle.result()) as RolloutResult;
  if (status !== 'submitted') throw new Error(`${id} ended ${status}: ${detail}`);
  const { historySize = 0 } = await handle.describe();
  const { events } = await handle.fetchHistory();
  return {
    events: (events ?? []).map(({ eventType }) => temporal.api.enums.v1.EventType[eventType ?? 0]!),
    activities: (events ?? []).flatMap((each) => each.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
    bytes: historySize,
  };
}

function timesOf(names: readonly string[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
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
