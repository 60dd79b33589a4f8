import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import type { CampaignProgress, CampaignResult, Problem } from '../src/contract';
import { tinyStages } from '../test/support/scripted-campaign';
import { World } from '../test/support/world';

/** How often the worker's memory is printed while rollouts wait for a slow model. */
const PRINTED_MS = 5 * 60_000;
/** Rollouts at once in the runs that keep the machine busy. */
const BUSY = 8;
/** Rollouts begun without a campaign, for comparison. */
const BARE = 60;
/** Rollouts whose histories say which worker did their work. */
const SAMPLED = 40;

/** Rollouts that wait for their model most of the time, all on one worker. */
interface Slow {
  readonly atOnce: number;
  readonly turns: number;
  /** Of the model, a turn. */
  readonly seconds: number;
}

/**
 * What a campaign costs beyond its rollouts, whether the worker's memory grows with it, and whether a worker that comes
 * later takes its share. Rollouts are short and their model is scripted, so that the machinery is what is measured.
 * `campaign 1000 --at-once 48 --turns 6 --model 3`; with 0 rollouts only those that wait for a slow model.
 */
export async function benchCampaign(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'at-once': { type: 'string', default: '48' },
      turns: { type: 'string', default: '6' },
      model: { type: 'string', default: '3' },
    },
  });
  const rollouts = Number(positionals[0] ?? 1_000);
  const slow: Slow = { atOnce: Number(values['at-once']), turns: Number(values.turns), seconds: Number(values.model) };
  const [problem] = (await tinyStages(1)).problems as [Problem];
  const looks = Array.from({ length: slow.turns }, (_, n) => ({ tool: 'bash', args: { command: `echo ${n}` } }));
  const script = {
    models: { quick: { turns: [] }, slow: { turns: looks, latencyMs: slow.seconds * 1000 } },
  };
  const world = await World.start({
    script,
    profiles: { quick: {}, slow: { concurrency: slow.atOnce } },
    config: { worker: { janitorMinutes: 0, sandboxes: slow.atOnce + BUSY } },
  });
  try {
    console.log(`load ${loadavg()[0]!.toFixed(2)} before\n`);
    await inFlight(world, problem, slow);
    if (rollouts === 0) return;
    const bare = await withoutCampaign(world, problem);
    await many(world, problem, rollouts, bare);
    console.log(`\nload ${loadavg()[0]!.toFixed(2)} after`);
  } finally {
    await world.close();
  }
}

const methodOf = (student: string) => ({ name: 'on-policy', student, handOver: { never: true } });
const begin = (world: World, id: string, problem: Problem, student: string, more: object) =>
  world.begin('campaign', { problems: [problem], methods: [methodOf(student)], ...more }, id);
const progressOf = (handle: WorkflowHandle) => handle.query<CampaignProgress>('progress').catch(() => undefined);

async function inFlight(world: World, problem: Problem, { atOnce, turns, seconds }: Slow): Promise<void> {
  const before = worker(world).rssMiB;
  const since = Date.now();
  const passing = () => ((Date.now() - since) / 60_000).toFixed(1);
  let printed = since;
  const measure = () => {
    const { rssMiB } = worker(world);
    if (Date.now() - printed >= PRINTED_MS) {
      printed = Date.now();
      console.log(`after ${passing()} min: worker ${rssMiB.toFixed(0)} MiB, load ${loadavg()[0]!.toFixed(2)}`);
    }
    return rssMiB;
  };
  const limits = { steps: turns + 2 };
  const handle = await begin(world, 'slow', problem, 'slow', { passes: atOnce, concurrency: atOnce, limits });
  const [ended, peak] = await watched(handle, measure);
  const ideal = (seconds * (turns + 1)) / 60;
  console.log('### In flight on one worker');
  console.log(
    `| ${peak.inFlight} rollouts at once | ${passing()} min, of which each waits ${ideal.toFixed(1)} min for its model | worker ${before.toFixed(0)} → ${peak.value.toFixed(0)} MiB at the most |`,
  );
  if (ended.counts.finished !== atOnce) throw new Error(`${ended.counts.finished} of ${atOnce} finished`);
}

/** Seconds a rollout when a client starts them by itself, so many at once. */
async function withoutCampaign(world: World, problem: Problem): Promise<number> {
  const since = Date.now();
  let next = 0;
  const lane = async () => {
    while (next < BARE) {
      const input = { problem, student: 'quick', handOver: { never: true }, attempt: next };
      await (await world.begin('rollout', input, `bare/${next++}`)).result();
    }
  };
  await Promise.all(Array.from({ length: BUSY }, lane));
  return (Date.now() - since) / 1000 / BARE;
}

async function many(world: World, problem: Problem, rollouts: number, bare: number): Promise<void> {
  const since = Date.now();
  const handle = await begin(world, 'many', problem, 'quick', { passes: rollouts, concurrency: BUSY });
  const first = world.workerPid();
  const points: [done: number, rssMiB: number][] = [];
  let second: { at: number; done: number } | undefined;
  for (;;) {
    const { status } = await handle.describe();
    if (status.name !== 'RUNNING' && status.name !== 'CONTINUED_AS_NEW') break;
    const progress = await progressOf(handle);
    if (progress) points.push([progress.counts.finished, worker(world, first).rssMiB]);
    // The memory of the first worker is looked at while it is alone.
    if (!second && progress && progress.counts.finished >= rollouts * 0.8) {
      world.startWorker({ POINTSMAN_HOST: 'second' });
      second = { at: Date.now(), done: progress.counts.finished };
    }
    await sleep(1_000);
  }
  const result = (await handle.result()) as CampaignResult;
  const alone = points.filter(([done]) => done >= rollouts * 0.2 && done <= (second?.done ?? rollouts));
  const seconds = ((second?.at ?? Date.now()) - since) / 1000 / (second?.done ?? rollouts);
  const { events, bytes, runs } = await historyOf(world, handle);
  console.log(`\n### ${rollouts} rollouts of one turn, ${BUSY} at once, one worker for the first 80 %`);
  console.log(
    `| a rollout by the campaign | ${(seconds * 1000).toFixed(0)} ms (${(60 / seconds).toFixed(0)} a minute) |`,
  );
  console.log(`| a rollout begun by a client, ${BUSY} at once | ${(bare * 1000).toFixed(0)} ms |`);
  console.log(`| of the campaign's own | ${((seconds - bare) * 1000).toFixed(0)} ms a rollout |`);
  console.log(
    `| history of the campaign | ${(events / rollouts).toFixed(1)} events, ${(bytes / rollouts / 1024).toFixed(1)} KB a rollout, ${runs} runs |`,
  );
  console.log(
    `| memory of the worker from rollout ${alone[0]?.[0]} to ${alone.at(-1)?.[0]} | ${alone[0]?.[1].toFixed(0)} → ${alone.at(-1)?.[1].toFixed(0)} MiB, ${(slope(alone) * 1024).toFixed(1)} KiB a rollout |`,
  );
  console.log(`| finished | ${result.counts.finished} of ${result.planned} |`);
  console.log('\n### A second worker, begun at 80 %');
  for (const [who, share] of await sharesOf(world, rollouts)) console.log(`| ${who} | ${(share * 100).toFixed(0)} % |`);
}

/** Shares of the activities of the last rollouts, by worker. */
async function sharesOf(world: World, rollouts: number): Promise<[string, number][]> {
  const done = new Map<string, number>();
  let all = 0;
  for (let pass = rollouts - SAMPLED; pass < rollouts; pass++) {
    const { events } = await world.client.workflow.getHandle(`many/on-policy/tiny-0/${pass}`).fetchHistory();
    for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
      if (!started?.identity) continue;
      all += 1;
      done.set(started.identity, (done.get(started.identity) ?? 0) + 1);
    }
  }
  return [...done].map(([who, n]) => [who, n / all]);
}

/** Follows a campaign to its end; gives the peaks of what is in flight and of what is measured beside it. */
async function watched(
  handle: WorkflowHandle,
  measure: () => number,
): Promise<[CampaignResult, { inFlight: number; value: number }]> {
  const peak = { inFlight: 0, value: 0 };
  let ended = false;
  const ending = (handle.result() as Promise<CampaignResult>).finally(() => {
    ended = true;
  });
  while (!ended) {
    const progress = await progressOf(handle);
    peak.inFlight = Math.max(peak.inFlight, progress?.inFlight.length ?? 0);
    peak.value = Math.max(peak.value, measure());
    await Promise.race([ending, sleep(500)]);
  }
  return [await ending, peak];
}

/** Events and bytes of all runs of a campaign. */
async function historyOf(world: World, handle: WorkflowHandle & { firstExecutionRunId?: string }) {
  let [events, bytes, runs] = [0, 0, 0];
  for (let runId = handle.firstExecutionRunId; runId; runs++) {
    const run = world.client.workflow.getHandle(handle.workflowId, runId);
    const { historyLength, historySize } = await run.describe();
    events += historyLength;
    bytes += historySize ?? 0;
    const last = (await run.fetchHistory()).events?.at(-1);
    runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return { events, bytes, runs };
}

function worker(world: World, pid = world.workerPid()): { rssMiB: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { rssMiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024 };
}

/** Least squares, in units of y by units of x. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const over = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0);
  return over / points.reduce((sum, [at]) => sum + (at - x) ** 2, 0);
}
