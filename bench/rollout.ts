import { loadavg } from 'node:os';
import type { Problem, RolloutInput, RolloutResult } from '../src/contract';
import { BASE_IMAGE } from '../src/machine/image';
import { freePort } from '../src/machine/ports';
import { World } from '../test/support/world';
import { floorOfTemporal } from './floor';
import { peerRollout, peerScripts, type ScriptedServer, scriptedServer } from './peer';
import { eventsOf, median, millis, type StepTimes, stepTimes, tookOf } from './steps';

export const STEPS = 50;
const LONG = 100;
const KIB = 8;

/**
 * What a step costs beyond model and command, beside mini-swe-agent: same image, same commands, same scripted server,
 * one run. Ours is durable (each step in the server's database and the store), mini's is not.
 */
export async function benchRollout(args: string[]): Promise<void> {
  const rounds = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 2);
  await besideMini(async ({ world, server, times }) => {
    console.log(`load ${loadavg()[0]!.toFixed(2)} before; ${rounds} rounds, ours and mini's in turn\n`);
    const starts: number[] = [];
    let peer = { containerStartMs: 0, rssMiB: 0 };
    for (let round = 0; round < rounds; round++) {
      starts.push((await ours(world, `ours-one-${round}`, STEPS, 0)).claimMs);
      peer = peerRollout(`mini-one-${round}`, STEPS, 0, server.url);
    }
    heading(`One rollout, ${STEPS} cheap steps (ms a step)`);
    row('mini-swe-agent', times('mini-one'));
    row('pointsman', times('ours-one'));
    ratio('pointsman / mini', times('ours-one'), times('mini-one'));
    await inAndBetween(world, 'ours-one-0');
    const floor = await floorOfTemporal(world);
    console.log(`| two empty activities (Temporal's own floor) | | p10 ${floor.p10} | p50 ${floor.p50} | | |`);
    console.log(
      `\ncontainer start: mini ${peer.containerStartMs.toFixed(0)} ms, pointsman ${median(starts).toFixed(0)} ms (create, start, journal, base tree)`,
    );

    await ours(world, 'ours-long', LONG, KIB);
    peerRollout('mini-long', LONG, KIB, server.url);
    heading(`One rollout, ${LONG} steps with ${KIB} KiB observations (median ms of the first and last ten)`);
    for (const [name, prefix] of [
      ['mini-swe-agent', 'mini-long'],
      ['pointsman', 'ours-long'],
    ] as const) {
      const { first10, last10, p50 } = times(prefix);
      console.log(
        `| ${name} | first ten ${first10.toFixed(1)} | last ten ${last10.toFixed(1)} | grows ×${(last10 / first10).toFixed(2)} | p50 ${p50.toFixed(1)} |`,
      );
    }
    await history(world, 'ours-long', LONG);
  });
}

interface Beside {
  readonly world: World;
  readonly server: ScriptedServer;
  /** Of the conversations whose names begin so, ours or mini's. */
  times(prefix: string): StepTimes;
}

/** A server, a worker and the scripted model that mini-swe-agent asks as well, for up to so many rollouts at once. */
export async function besideMini(measure: (beside: Beside) => Promise<void>, atOnce = 8): Promise<void> {
  if (!peerScripts())
    throw new Error(
      'the peer scripts are not beside this checkout: set POINTSMAN_BENCH_PEERS to the folder that has mini/',
    );
  const server = await scriptedServer(await freePort());
  const world = await World.start({
    script: { models: { unused: { generate: { steps: 1, command: 'true' } } } },
    profiles: profilesFor(server.url, atOnce),
    config: { worker: { janitorMinutes: 0, sandboxes: atOnce } },
  });
  try {
    await measure({ world, server, times: (prefix) => stepTimes(server.log, prefix) });
  } finally {
    server.stop();
    await world.close();
  }
}

function profilesFor(baseUrl: string, concurrency: number): Record<string, Record<string, unknown>> {
  const profile = (model: string) => ({
    provider: 'openai',
    baseUrl,
    model,
    concurrency,
    view: { reviewOnSubmit: true },
  });
  return { [`steps-${STEPS}`]: profile(`swea-${STEPS}`), [`steps-${LONG}-${KIB}`]: profile(`swea-${LONG}-${KIB}`) };
}

/** One of our rollouts of that many steps, each of whose observations has so many KiB; and how long its sandbox took to come up. */
export async function ours(
  world: World,
  conversation: string,
  steps: number,
  kib: number,
): Promise<{ claimMs: number }> {
  const problem: Problem = {
    id: conversation,
    image: BASE_IMAGE,
    workdir: '/root',
    statement: `CONV-ID: ${conversation}\nMake the requested change.`,
    tests: {
      command: 'true',
      parser: { kind: 'pytest' },
      failToPass: ['t'],
      passToPass: [],
      files: [],
      timeoutSeconds: 60,
    },
    protected: [],
    provenance: {},
  };
  const input: Partial<RolloutInput> = {
    problem,
    expert: kib ? `steps-${steps}-${kib}` : `steps-${steps}`,
    handOver: { at: 0 },
    grade: false,
    limits: { steps: steps + 10 } as RolloutInput['limits'],
  };
  const handle = await world.begin('rollout', input, conversation);
  const result = (await handle.result()) as RolloutResult;
  if (result.status !== 'submitted') throw new Error(`${conversation} ended ${result.status}: ${result.detail}`);
  const { events } = await handle.fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'claimSandbox',
  );
  const completed = events?.find(
    (event) => Number(event.activityTaskCompletedEventAttributes?.scheduledEventId) === Number(scheduled?.eventId),
  );
  return { claimMs: millis(completed?.eventTime) - millis(scheduled?.eventTime) };
}

async function history(world: World, id: string, steps: number): Promise<void> {
  const described = await world.client.workflow.getHandle(id).describe();
  const events = described.historyLength;
  console.log(
    `\nhistory: ${(described.historySize! / steps / 1024).toFixed(2)} KB and ${(events / steps).toFixed(1)} events a step (budget 4 KB, 15 events)`,
  );
}

/** Of a step: how long its activity takes, as the server sees it, and how long it is until the next one is scheduled. */
async function inAndBetween(world: World, id: string): Promise<void> {
  const turns = tookOf(await eventsOf(world, id), '', 0).filter(({ name }) => name.includes('takeTurn'));
  const between = turns.slice(1).map(({ from }, i) => from - (turns[i]!.from + turns[i]!.ms));
  console.log(
    `of a step, p50: its activity ${median(turns.map(({ ms }) => ms)).toFixed(1)} ms, until the next is scheduled ${median(between).toFixed(1)} ms`,
  );
}

export function heading(text: string): void {
  console.log(`\n### ${text}`);
}

function row(name: string, { min, p10, p50, p95, steps }: StepTimes): void {
  console.log(
    `| ${name} | min ${min.toFixed(1)} | p10 ${p10.toFixed(1)} | p50 ${p50.toFixed(1)} | p95 ${p95.toFixed(1)} | n ${steps} |`,
  );
}

function ratio(name: string, a: StepTimes, b: StepTimes): void {
  console.log(
    `| ${name} | min ×${(a.min / b.min).toFixed(2)} | p10 ×${(a.p10 / b.p10).toFixed(2)} | p50 ×${(a.p50 / b.p50).toFixed(2)} | p95 ×${(a.p95 / b.p95).toFixed(2)} | |`,
  );
}
