import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { Config } from '../../src/config';
import { type GradeResult, type RepoSetupResult, type RolloutResult, SandboxProfile } from '../../src/contract';
import { obstacleHere } from '../../src/machine/local-worker';
import { removeContainer } from '../../src/sandbox/docker/container';
import { removeImage } from '../../src/sandbox/docker/images';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { LABEL } from '../../src/sandbox/labels';
import { pastTurn } from '../support/chaos';
import { examples } from '../support/counts';
import { act, folderOf, mendOf, projectOf, removeFolders, shell, TESTS } from '../support/set-up';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'On.', tool: 'bash', args: { command } });
const script = {
  models: {
    student: { turns: [bash('sed -i s/-/+/ src/calc.py'), bash('sleep 1')], end: 'submit' },
    framed: { turns: Array.from({ length: 8 }, (_, k) => bash(`echo ${k} >> kept; sleep 0.3`)), end: 'submit' },
    slow: { turns: [bash('sleep 3')], end: 'submit' },
    agent: { turns: [shell(TESTS), shell(mendOf('calc')), act('verify')] },
  },
};
const FIX = `diff --git a/src/calc.py b/src/calc.py
--- a/src/calc.py
+++ b/src/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
`;
const PLACES = 2;
const ROLLOUTS = examples(2, 24);

let world: World;
beforeAll(async () => {
  world = await World.start({
    script,
    profiles: { student: {}, framed: {}, slow: {}, agent: {} },
    config: { worker: { sandboxes: PLACES } },
  });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const input = async (student: string, more: object = {}) => ({
  problem: { ...(await tinyProblem()), tests: TINY_TESTS },
  student,
  handOver: { never: true },
  ...more,
});

/** Every moment's number of containers of ours, by what the engine tells. */
async function countRunning() {
  const docker = new Docker();
  const label = [`${LABEL.scope}=${await world.scope()}`, LABEL.role];
  const events = await docker.getEvents({ filters: { type: ['container'], event: ['start', 'die'], label } });
  const running = new Set<string>();
  let most = 0;
  let text = '';
  const kinds = new Set<string>();
  events.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines.filter(Boolean)) {
      const { Action, Actor } = JSON.parse(line) as {
        Action: string;
        Actor: { ID: string; Attributes: Record<string, string> };
      };
      const role = Actor.Attributes[LABEL.role] ?? '';
      if (['reach', 'network'].includes(role)) continue;
      kinds.add(role);
      if (Action === 'start') running.add(Actor.ID);
      else running.delete(Actor.ID);
      most = Math.max(most, running.size);
    }
  });
  return {
    stop: () => {
      (events as unknown as { destroy(): void }).destroy();
      return { most, kinds: kinds.size };
    },
  };
}

test(
  'no more containers run than there are places, whatever they are for',
  async () => {
    const counted = await countRunning();
    const setUp = await world.begin(
      'repoSetup',
      { source: `dir:${folderOf(projectOf('calc'))}`, roles: { agent: 'agent' }, experience: { mode: 'off' } },
      'placed-set-up',
    );
    const rollouts = await Promise.all(
      Array.from({ length: ROLLOUTS }, async (_, n) => world.begin('rollout', await input('student'), `placed-${n}`)),
    );
    const ended = Promise.all(rollouts.map((handle) => handle.result() as Promise<RolloutResult>));
    // One is lost on the way, and made again.
    const lost = new Docker().getContainer(await firstMain());
    await lost.remove({ force: true });
    expect((await ended).map(({ grade }) => grade?.resolved)).toEqual(Array(ROLLOUTS).fill(true));
    expect((await setUp.result()) as RepoSetupResult).toMatchObject({ status: 'verified' });
    const { most, kinds } = counted.stop();
    expect(most).toBeLessThanOrEqual(PLACES);
    expect(most).toBeGreaterThan(0);
    // Agents, judges, checks, the image that is kept.
    expect(kinds).toBeGreaterThan(3);
  },
  examples(120_000, 900_000),
);

async function firstMain(): Promise<string> {
  const docker = new Docker();
  const label = [`${LABEL.scope}=${await world.scope()}`, `${LABEL.role}=main`];
  for (;;) {
    const [found] = (await docker.listContainers({ filters: { label } })).filter(
      ({ Labels }) => Labels[LABEL.workflow]?.startsWith('placed-') && Labels[LABEL.workflow] !== 'placed-set-up',
    );
    if (found) return found.Id;
    await sleep(20);
  }
}

test('what finds no place waits in the queue: nothing is tried and refused', async () => {
  const handles = await Promise.all(
    Array.from({ length: 3 }, async (_, n) =>
      world.begin('rollout', await input('slow', { grade: false }), `queued-${n}`),
    ),
  );
  await sleep(3_000);
  const claims = await Promise.all(
    handles.map(async (handle) => {
      const { raw } = await handle.describe();
      return raw.pendingActivities?.filter(({ activityType }) => activityType?.name === 'claimSandbox') ?? [];
    }),
  );
  const waiting = claims.flat();
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.map(({ attempt, lastFailure }) => [attempt, lastFailure?.message])).toEqual(
    waiting.map(() => [1, undefined]),
  );
  const results = (await Promise.all(handles.map((handle) => handle.result()))) as RolloutResult[];
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill('submitted'));
});

test('a worker that was killed while it made a sandbox in every place holds nobody up for ever', async () => {
  await world.killWorkers();
  const handles = await Promise.all(
    Array.from({ length: PLACES + 1 }, async (_, n) =>
      world.begin('rollout', await input('slow', { grade: false }), `left-${n}`),
    ),
  );
  // As that worker had made them; the first run in the queue is not among those that have one.
  const sandboxes = new DockerSandboxes(await world.scope(), readFileSync(join(world.home, 'secret')));
  const { image, workdir } = await tinyProblem();
  const profile = SandboxProfile.parse({});
  for (const { workflowId, firstExecutionRunId } of handles.slice(1))
    await sandboxes.claim({
      owner: { workflowId, firstRunId: firstExecutionRunId },
      ...{ role: 'main', image, workdir, profile },
    });
  sandboxes.close();
  world.startWorker();
  const results = (await Promise.all(handles.map((handle) => handle.result()))) as RolloutResult[];
  expect(results).toEqual(
    handles.map(() => expect.objectContaining({ status: 'submitted', recovered: { sandboxes: 0, redoneSteps: 0 } })),
  );
}, 240_000);

test('nor does one that was killed while it ran tests in every place', async () => {
  const command = `sleep 4; ${TINY_TESTS.command}`;
  const problem = { ...(await tinyProblem()), tests: { ...TINY_TESTS, command } };
  const handles = await Promise.all(
    Array.from({ length: PLACES + 1 }, async (_, n) =>
      world.begin('grade', { problem, patch: FIX, controls: 'none' }, `tests-${n}`),
    ),
  );
  const filters = { label: [`${LABEL.scope}=${await world.scope()}`, LABEL.role] };
  const running = () => new Docker().listContainers({ filters });
  while ((await running()).length < PLACES) await sleep(50);
  await world.killWorkers();
  expect(await running()).toHaveLength(PLACES);
  world.startWorker();
  const grades = (await Promise.all(handles.map((handle) => handle.result()))) as GradeResult[];
  expect(grades.map(({ resolved }) => resolved)).toEqual(handles.map(() => true));
}, 240_000);

test('a sandbox that is lost with its frames is made again from what was recorded', async () => {
  const docker = new Docker();
  const handle = await world.begin(
    'rollout',
    await input('framed', { grade: false, sandbox: { checkpointEvery: 2 } }),
    'framed',
  );
  await pastTurn(handle, 4);
  const filters = { label: [`${LABEL.workflow}=framed`] };
  const frames = await docker.listImages({ filters });
  expect(frames.length).toBeGreaterThan(0);
  for (const { Id } of await docker.listContainers({ all: true, filters })) await removeContainer(docker, Id);
  for (const { RepoTags } of frames) for (const name of RepoTags ?? []) await removeImage(docker, name);
  const result = (await handle.result()) as RolloutResult;
  expect(result).toMatchObject({ status: 'submitted', recovered: { sandboxes: 1 } });
  expect((await world.blobs.get(result.patch!.sha256)).toString()).toContain('+0\n+1\n+2\n+3\n+4\n+5\n+6\n+7\n');
});

test('an engine whose disk is all but full is given nothing new', async () => {
  const full = new DockerSandboxes('test-full', undefined, { places: 4, freeDiskGiB: 1_000_000 });
  const why = /GiB are free on the engine's disk, less than worker.freeDiskGiB/;
  expect(await full.places.obstacle()).toMatch(why);
  // As `pointsman status` says it.
  expect(await obstacleHere(Config.parse({ worker: { freeDiskGiB: 1_000_000 } }))).toMatch(why);
  await expect(full.places.admit(AbortSignal.timeout(700))).rejects.toMatchObject({ name: 'TimeoutError' });
  full.close();
});
