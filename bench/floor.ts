import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { World } from '../test/support/world';

/**
 * Milliseconds of a step that holds two empty activities, on the same server and with the same eager queue as a rollout:
 * the floor under any harness that keeps a turn as two activities. The first five steps are warm-up.
 */
export async function floorOfTemporal(world: World, steps = 60): Promise<{ p10: number; p50: number }> {
  Runtime.install({ telemetryOptions: { logging: { forward: {}, filter: 'WARN' } } });
  const connection = await NativeConnection.connect({ address: world.address });
  const taskQueue = `${world.queue}-floor`;
  const worker = await Worker.create({
    connection,
    namespace: world.namespace,
    taskQueue,
    workflowsPath: require.resolve('./floor-workflow'),
    activities: { nothing: async (input: unknown) => input },
  });
  const taken = await worker.runUntil(async () => {
    await world.client.workflow.execute('floor', { taskQueue, workflowId: `floor-${Date.now()}`, args: [5] });
    return world.client.workflow.execute('floor', { taskQueue, workflowId: `floor-${Date.now()}`, args: [steps] });
  });
  await connection.close();
  const sorted = [...(taken as number[])].sort((a, b) => a - b);
  return { p10: sorted[Math.floor(steps / 10)] ?? 0, p50: sorted[Math.floor(steps / 2)] ?? 0 };
}
