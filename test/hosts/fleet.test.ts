import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import Docker from 'dockerode';
import { BASE_IMAGE, type Drained, type Problem, type RepoSetupResult, type RolloutResult } from '../../src/contract';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { LABEL } from '../../src/sandbox/labels';
import { firstValue } from '../../src/store/history';
import { ledgerOf, pastTurn, resultOf } from '../support/chaos';
import { examples, inFull } from '../support/counts';
import { type ImageRegistry, openRegistry } from '../support/registry';
import { type SecondEngine, startSecondEngine } from '../support/second-engine';
import { act, folderOf, mendOf, projectOf, removeFolders, shell, TESTS } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const STEPS = examples(8, 60);
const steps = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, k) => ({
    thought: 'On.',
    tool: 'bash',
    args: { command: `echo ${k} >> kept; sleep ${seconds}` },
  }));
const script = {
  models: {
    student: { turns: steps(STEPS, 0.2), end: 'submit', latencyMs: 100 },
    agent: { turns: [shell(TESTS), shell(mendOf('calc')), act('verify')] },
    short: { turns: steps(2, 1), end: 'submit' },
  },
};

/** Two hosts of one fleet, `a` and `b`, each with an engine of its own; a registry is all that they share beside the home. */
let world: World;
let registry: ImageRegistry;
let engine: SecondEngine;
let problem: Problem;
let there: DockerSandboxes;
const engines: Record<string, Docker> = { a: new Docker() };
const workers: Record<string, ChildProcess> = {};

const join = (host: string) => {
  const there = host === 'b' ? { DOCKER_HOST: engine.host } : {};
  workers[host] = world.startWorker({ POINTSMAN_HOST: host, POINTSMAN_ONLY_HOST: '0', ...there });
};

beforeAll(async () => {
  [registry, engine] = await Promise.all([openRegistry(), startSecondEngine()]);
  engines.b = engine.docker;
  there = new DockerSandboxes('test-fleet', undefined, {}, engine.docker);
  engine.lend(registry.port);
  const tiny = await tinyProblem();
  const { images } = new DockerSandboxes('test-fleet', undefined, { registry: registry.place });
  problem = { ...tiny, image: await images.share(tiny.image) };
  world = await World.start({
    script,
    profiles: { student: {}, short: {}, agent: {} },
    workers: 0,
    config: { images: { registry: registry.place }, worker: { sandboxes: 2 } },
  });
});
afterAll(async () => {
  await world?.close();
  await engine?.close();
  await registry?.close();
  removeFolders();
});

const begin = (student: string, id: string, sandbox: object = {}) =>
  world.begin('rollout', { problem, student, handOver: { never: true }, grade: false, sandbox }, id);

/** The host that the run's sandbox was first made on, once it is. */
async function hostOf(handle: WorkflowHandle): Promise<string> {
  for (;;) {
    for (const { activityTaskCompletedEventAttributes: done } of (await handle.fetchHistory()).events ?? []) {
      const host = firstValue<{ hostName?: string }>(done?.result)?.hostName;
      if (host !== undefined) return host;
    }
    await sleep(50);
  }
}

/** The host that makes the run's sandbox, while it does. */
async function makerOf(handle: WorkflowHandle): Promise<string> {
  for (;;) {
    const { raw } = await handle.describe();
    const at = raw.pendingActivities?.[0]?.lastWorkerIdentity?.match(/^pointsman@(\S+) /);
    if (at) return at[1]!;
    await sleep(50);
  }
}

const exited = (worker: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (worker.exitCode !== null) resolve(worker.exitCode);
    else worker.once('exit', resolve);
  });

/** Those whose janitor is on a schedule. */
async function sweptHosts(): Promise<string[]> {
  const described = Object.keys(engines).map((host) =>
    world.client.schedule
      .getHandle(`janitor-${host}`)
      .describe()
      .then(
        () => [host],
        () => [],
      ),
  );
  return (await Promise.all(described)).flat();
}

let calm: RolloutResult;

test('a host without base image, whose registry is busy, takes nothing; it takes its share once it has it', async () => {
  join('a');
  await world.workerReady();
  calm = await resultOf(await begin('student', 'calm'));
  registry.answerWith(429);
  join('b');
  while (!world.workerLog().includes('no sandbox can start here yet')) await sleep(100);
  const before = await Promise.all([begin('short', 'before-0'), begin('short', 'before-1')]);
  expect((await Promise.all(before.map(resultOf))).map(({ status }) => status)).toEqual(['submitted', 'submitted']);
  expect(await engine.docker.listImages()).toEqual([]);
  registry.answerWith(undefined);
  while (!(await there.images.find(BASE_IMAGE))) await sleep(50);
  // More than fit on one host, until the second has noticed that it may.
  for (const hosts = new Set<string>(); !hosts.has('b'); ) {
    const after = await Promise.all(Array.from({ length: 4 }, () => begin('short', `after-${randomUUID()}`)));
    for (const host of await Promise.all(after.map(hostOf))) hosts.add(host);
    expect((await Promise.all(after.map(resultOf))).map(({ status }) => status)).toEqual(Array(4).fill('submitted'));
  }
}, 180_000);

test('what a set-up leaves is named by its digest, and every host can have it', async () => {
  const setUp = await world.begin(
    'repoSetup',
    {
      source: `dir:${folderOf(projectOf('calc'))}`,
      roles: { agent: 'agent' },
      judge: false,
      reproduce: false,
      experience: { mode: 'off' },
    },
    'set-up',
  );
  const { status, image } = (await setUp.result()) as RepoSetupResult;
  expect([status, image]).toEqual(['verified', expect.stringMatching(/^localhost:\d+\/team\/environment@sha256:/)]);
  for (const docker of Object.values(engines)) {
    const { images } = new DockerSandboxes('test-fleet', undefined, {}, docker);
    expect(await images.fetch(image!)).toBe(true);
  }
});

/** Has the run's host leave in the middle; gives how it ended, and where. */
async function leftBy(id: string, leave: (host: string) => unknown): Promise<RolloutResult> {
  const handle = await begin('student', id);
  await pastTurn(handle, 2);
  const from = await hostOf(handle);
  await leave(from);
  const [result] = await Promise.all([resultOf(handle), exited(workers[from]!)]);
  expect(result).toMatchObject({ status: 'submitted', head: calm.head, patch: calm.patch, workspace: calm.workspace });
  expect(ledgerOf(world, handle.firstExecutionRunId)).toHaveLength(STEPS + 1);
  expect(await engines[from]!.listContainers({ all: true, filters: { label: [`${LABEL.workflow}=${id}`] } })).toEqual(
    [],
  );
  join(from);
  return result;
}

test('a host that is drained hands on what it has, and ends: no step is done again', async () => {
  const result = await leftBy('drained', async (host) => {
    const drained = (await (await world.begin('drain', { host }, `drain-${host}`)).result()) as Drained;
    expect(drained).toEqual({ host, runs: 1 });
    expect(await sweptHosts()).toEqual(['a', 'b']);
    await exited(workers[host]!);
    expect(await sweptHosts()).toEqual(['a', 'b'].filter((each) => each !== host));
  });
  expect(result.recovered).toEqual({ sandboxes: 0, redoneSteps: 0 });
});

test('what a drained host has begun is waited for and handed on, though it has no sandbox yet', async () => {
  const environment = { source: `dir:${folderOf(projectOf('slow'))}`, base: BASE_IMAGE, setup: ['sleep 5'] };
  const slow = { ...problem, image: 'pointsman/test-slow:1', environment };
  const handle = await world.begin(
    'rollout',
    { problem: slow, student: 'short', handOver: { never: true }, grade: false },
    'begun',
  );
  const host = await makerOf(handle);
  expect(await (await world.begin('drain', { host }, 'drain-early')).result()).toEqual({ host, runs: 0 });
  await exited(workers[host]!);
  expect(await resultOf(handle)).toMatchObject({ status: 'submitted', recovered: { sandboxes: 0, redoneSteps: 0 } });
  join(host);
});

test('one that is stopped hands on at once, too', async () => {
  const result = await leftBy('stopped', (host) => workers[host]!.kill('SIGTERM'));
  expect(result.recovered).toEqual({ sandboxes: 0, redoneSteps: 0 });
});

inFull(
  'a host that is lost with its frames costs the time to notice it once, and nothing else',
  async () => {
    let handle = await begin('student', 'lost-0', { checkpointEvery: 4 });
    for (let n = 1; (await hostOf(handle)) !== 'b'; n++)
      handle = await begin('student', `lost-${n}`, { checkpointEvery: 4 });
    await pastTurn(handle, 9);
    const since = Date.now();
    workers.b!.kill('SIGKILL');
    await engine.kill();
    const result = await resultOf(handle);
    expect(result).toMatchObject({ status: 'submitted', head: calm.head, recovered: { sandboxes: 1 } });
    expect(Date.now() - since).toBeLessThan(330_000);
  },
  600_000,
);
