// Steering once took its handlers in its constructor. A `pause` that the server had kept until the first task ran there and
// then, asked its owner what was in flight, and the owner's window was not there yet: the task failed, again and again.
// Since then nobody is heard before `listen`, which an owner calls when all that it has stands.

import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Windowed } from './windowed';
import { startWindows, type Windows } from './windows';

let windows: Windows;
beforeAll(async () => {
  windows = await startWindows(async () => {});
});
afterAll(() => windows?.stop());

test('a pause that comes with the first task is obeyed before anything is begun', async () => {
  const { client, queue } = windows.world;
  const input: Windowed = { total: 3, window: { next: 0, concurrency: 1, paused: false }, done: 0, runs: 1 };
  const startWorkflowOperation = new WithStartWorkflowOperation('windowed', {
    workflowId: 'paused-at-once',
    taskQueue: queue,
    args: [input],
    workflowIdConflictPolicy: 'FAIL',
  });
  await client.workflow.executeUpdateWithStart('pause', { startWorkflowOperation });
  const handle = client.workflow.getHandle('paused-at-once');
  expect(await handle.query('now')).toMatchObject({ inFlight: 0, done: 0, said: ['paused'] });
  await handle.executeUpdate('resume');
  expect(await handle.result()).toMatchObject({ rest: 'done', done: 3 });
  const { events } = await handle.fetchHistory();
  expect(events?.filter(({ workflowTaskFailedEventAttributes: failed }) => failed)).toEqual([]);
});
