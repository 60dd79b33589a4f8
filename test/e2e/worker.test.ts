import { setTimeout as sleep } from 'node:timers/promises';
import type { RolloutProgress, RolloutResult } from '../../src/contract';
import { freePort } from '../../src/machine/ports';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Go on.', tool: 'bash', args: { command } });
const script = {
  models: {
    slow: {
      turns: [
        // Longer than the ten seconds that a worker gives what runs.
        bash('for i in 1 2 3 4 5 6; do echo $i >> /tmp/count; sleep 5; done; cat /tmp/count'),
      ],
      end: 'submit',
    },
    limited: { turns: [bash('true'), bash('true')], end: 'submit' },
    hog: {
      turns: [bash('for i in $(seq 1 40); do head -c 20000000 /dev/zero >> /tmp/hog; sleep 0.5; done; echo never')],
      end: 'submit',
    },
  },
};

let world: World;
let metrics = '';
beforeAll(async () => {
  metrics = `127.0.0.1:${await freePort()}`;
  world = await World.start({
    script,
    profiles: { slow: {}, hog: {}, limited: { requestsPerSecond: 20 } },
    workers: 0,
  });
});
afterAll(async () => {
  await world?.close();
});

const input = async (student: string, more: object = {}) => ({
  problem: await tinyProblem(`worker-${student}`),
  student,
  handOver: { never: true },
  grade: false,
  ...more,
});

test('a worker that is told to stop leaves at once; the next one follows the command that is running', async () => {
  world.startWorker({ POINTSMAN_METRICS: metrics });
  await world.workerReady();
  const handle = await world.begin('rollout', await input('slow'), 'drained');
  for (let phase = ''; phase !== 'Student'; phase = ((await handle.query('progress')) as RolloutProgress).phase)
    await sleep(50);
  await sleep(1_500);
  expect(await (await fetch(`http://${metrics}/metrics`)).text()).toContain('temporal_worker_task_slots_available');

  const since = Date.now();
  await world.killWorkers('SIGTERM');
  expect(Date.now() - since).toBeLessThan(20_000);
  world.startWorker();
  const result = (await handle.result()) as RolloutResult;
  const { steps } = await world.transcripts.load(result.head);
  expect(steps[0]!.observation).toBe('1\n2\n3\n4\n5\n6\n');
  expect(steps[0]!.exitCode).toBe(0);
  expect(result).toMatchObject({ status: 'submitted', recovered: { sandboxes: 0 } });
});

test('runs are found by their search attributes', async () => {
  const found: string[] = [];
  for (let waited = 0; waited < 5_000 && found.length === 0; waited += 200) {
    for await (const each of world.client.workflow.list({
      query: `InstanceId = 'worker-slow' AND Outcome = 'submitted'`,
    }))
      found.push(each.workflowId);
    await sleep(200);
  }
  expect(found).toEqual(['drained']);
});

test('a command that fills the disk is killed, and the model is told why', async () => {
  const handle = await world.begin('rollout', await input('hog', { sandbox: { diskMiB: 64 } }), 'hog');
  const result = (await handle.result()) as RolloutResult;
  const { steps } = await world.transcripts.load(result.head);
  expect(steps[0]!.observation).toContain('[killed: this sandbox may write 64 MiB]');
  expect(steps[0]!.observation).not.toContain('never');
});

test('a profile with a rate has a task queue of its own, which the server can slow down', async () => {
  const handle = await world.begin('rollout', await input('limited'), 'limited');
  expect((await handle.result()) as RolloutResult).toMatchObject({ status: 'submitted', turns: { total: 3 } });
  const { events } = await handle.fetchHistory();
  const queues = events
    ?.map((event) => event.activityTaskScheduledEventAttributes)
    .filter((each) => each?.activityType?.name === 'callModel');
  expect(new Set(queues?.map((each) => each?.taskQueue?.name))).toEqual(new Set([world.queues().model('limited')]));
});
