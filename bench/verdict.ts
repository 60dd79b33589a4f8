import { loadavg } from 'node:os';
import Docker from 'dockerode';
import type { Problem, RolloutResult } from '../src/contract';
import { NO_NETWORK } from '../src/sandbox/docker/container';
import { TINY_TESTS, tinyProblem } from '../test/support/tiny-problem';
import { World } from '../test/support/world';
import { eventsOf, median, millis, type Took, tookOf } from './steps';

const MEND = 'sed -i s/-/+/ src/calc.py';

/**
 * A rollout of one command, from its start to its graded verdict, beside what nobody can leave out: as many containers as it
 * starts, with its command in the first and its tests in each other, one after the other and nothing else, on the same
 * engine. `npm run bench verdict [10 rounds]`.
 */
export async function benchVerdict([rounds = '10']: string[]): Promise<void> {
  const docker = new Docker();
  const problem = { ...(await tinyProblem()), tests: TINY_TESTS };
  const world = await World.start({
    script: { models: { mends: { turns: [{ tool: 'bash', args: { command: MEND } }], end: 'submit' } } },
    profiles: { mends: {} },
    config: { worker: { janitorMinutes: 0 } },
  });
  try {
    // The first one makes what is made once: the image of the problem's tests, and its controls.
    await rollout(world, problem, 'first');
    const containers = await startsDuring(docker, () => rollout(world, problem, 'counted'));
    const [ours, bare]: [number[], number[]] = [[], []];
    const activities = new Map<string, Took[]>();
    for (let round = 0; round < Number(rounds); round++) {
      ours.push(await timed(() => rollout(world, problem, `round-${round}`)));
      for (const took of await activitiesOf(world, `round-${round}`))
        activities.set(took.name, [...(activities.get(took.name) ?? []), took]);
      bare.push(await timed(() => bareContainers(docker, problem, containers)));
    }
    console.log(`${rounds} rounds in turn, load ${loadavg()[0]!.toFixed(2)}\n`);
    console.log('| | min (ms) | p50 (ms) |\n|---|--:|--:|');
    console.log(`| a rollout of one command, start to verdict | ${line(ours)} |`);
    console.log(`| its ${containers} containers and their commands | ${line(bare)} |`);
    console.log(
      `| ratio | ×${(least(ours) / least(bare)).toFixed(2)} | ×${(median(ours) / median(bare)).toFixed(2)} |`,
    );
    console.log('\n| its activities | begins at (ms, p50) | takes (ms, p50) |\n|---|--:|--:|');
    for (const [name, all] of activities) {
      const [from, ms] = [median(all.map((each) => each.from)), median(all.map((each) => each.ms))];
      console.log(`| ${name} | ${from.toFixed(0)} | ${ms.toFixed(0)} |`);
    }
  } finally {
    await world.close();
  }
}

async function rollout(world: World, problem: Problem, id: string): Promise<void> {
  const handle = await world.begin('rollout', { problem, student: 'mends', handOver: { never: true } }, id);
  const { status, resolved, detail } = (await handle.result()) as RolloutResult;
  if (status !== 'submitted' || !resolved) throw new Error(`${id} ended ${status}, resolved ${resolved}: ${detail}`);
}

async function activitiesOf(world: World, id: string): Promise<Took[]> {
  const [rollout, grade] = await Promise.all([id, `${id}/grade`].map((each) => eventsOf(world, each)));
  const began = millis(rollout![0]!.eventTime);
  return [...tookOf(rollout!, 'rollout', began), ...tookOf(grade!, 'grade', began)];
}

/** How many containers start on the engine, whoever starts them. */
async function startsDuring(docker: Docker, work: () => Promise<void>): Promise<number> {
  const events = await docker.getEvents({ filters: { type: ['container'], event: ['start'] } });
  let starts = 0;
  events.on('data', (chunk: Buffer) => {
    starts += chunk.toString('utf8').split('\n').filter(Boolean).length;
  });
  await work();
  (events as unknown as { destroy(): void }).destroy();
  return starts;
}

async function bareContainers(docker: Docker, { image, workdir }: Problem, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const container = await docker.createContainer({
      Image: image,
      Cmd: ['sleep', '600'],
      ...NO_NETWORK,
      HostConfig: { NetworkMode: 'none', Init: true },
    });
    await container.start();
    const command = at === 0 ? MEND : TINY_TESTS.command;
    const exec = await container.exec({ Cmd: ['bash', '-c', command], WorkingDir: workdir, AttachStdout: true });
    const stream = await exec.start({});
    stream.resume();
    await new Promise((ended) => stream.on('end', ended));
    await container.remove({ force: true });
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const least = (all: readonly number[]) => Math.min(...all);
const line = (all: readonly number[]) => `${least(all).toFixed(0)} | ${median(all).toFixed(0)}`;
