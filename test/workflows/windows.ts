import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  type WorkflowBundle,
} from '@temporalio/worker';
import { World } from '../support/world';

/** A server, and a worker that serves `windowed`. */
export interface Windows {
  readonly world: World;
  readonly bundle: WorkflowBundle;
  stop(): Promise<void>;
}

export async function startWindows(
  unit: (which: number) => Promise<void>,
  serverConfig: readonly string[] = [],
): Promise<Windows> {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } } });
  const world = await World.start({ script: { models: {} }, profiles: {}, workers: 0, serverConfig });
  const bundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./windowed'), logger });
  const connection = await NativeConnection.connect({ address: world.address });
  const worker = await Worker.create({
    connection,
    namespace: world.namespace,
    taskQueue: world.queue,
    workflowBundle: bundle,
    activities: { unit },
    maxHeartbeatThrottleInterval: '1s',
  });
  const running = worker.run().finally(() => connection.close());
  const stop = async () => {
    worker.shutdown();
    await running;
    await world.close();
    await Runtime.instance().shutdown();
  };
  return { world, bundle, stop };
}
