import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { Compensation } from '../../src/contract';
import { World } from '../support/world';

let world: World;
let worker: Worker;
let running: Promise<void>;
/** What was to be undone, by call. */
const undone: Compensation[][] = [];

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
  world = await World.start({ script: { models: {} }, profiles: {}, workers: 0 });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('./compensated'),
    logger: new DefaultLogger('ERROR'),
  });
  const connection = await NativeConnection.connect({ address: world.address });
  worker = await Worker.create({
    connection,
    namespace: world.namespace,
    taskQueue: world.queue,
    workflowBundle,
    activities: {
      async undo(records: Compensation[]): Promise<void> {
        undone.push(records);
        if (undone.length === 1) throw new Error('the engine is away for a moment');
      },
    },
  });
  running = worker.run().finally(() => connection.close());
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await world?.close();
  await Runtime.instance().shutdown();
});

test('what two runs of a workflow made is undone once, in reverse, when it is cancelled', async () => {
  const handle = await world.begin('compensated', { undo: [], run: 0 }, 'compensated');
  const second = async () => (await handle.describe()).runId !== handle.firstExecutionRunId;
  while (!(await second())) await new Promise((resolve) => setTimeout(resolve, 50));
  await world.client.workflow.getHandle('compensated').cancel();
  await expect(handle.result()).rejects.toThrow();
  const inReverse = [
    { kind: 'frame', index: 1 },
    { kind: 'frame', index: 0 },
    { kind: 'container', role: 'main' },
    { kind: 'leftovers' },
  ];
  // The first attempt failed; what is gone counts as undone, so the second is told the same.
  expect(undone).toEqual([inReverse, inReverse]);
});
