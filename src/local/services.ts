import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { temporal } from '@temporalio/proto';
import { queuesUnder, SwitchyardError } from '../contract';
import { startDevServer } from '../provision/dev-server';
import { daemonPid, logOf, startDaemon } from './processes';

const LOCAL = '127.0.0.1:7233';
const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;

export interface Local {
  readonly address: string;
  /** Web UI of a server that we know; undefined for one that was configured. */
  readonly ui: string | undefined;
}

/**
 * Where the Temporal server is. One that the environment or a Temporal profile names is taken as it is; without any, the
 * local development server is started when nothing answers.
 */
export async function ensureServer(say: (line: string) => void): Promise<Local> {
  const { address } = loadClientConnectConfig().connectionOptions;
  if (isConfigured() && address && address !== LOCAL && address !== 'localhost:7233') return { address, ui: undefined };
  const server = await startDevServer();
  if (server.started) say(`started a Temporal development server at ${server.address} (\`switchyard down\` stops it)`);
  process.env.TEMPORAL_ADDRESS ??= server.address;
  return { address: server.address, ui: server.ui };
}

function isConfigured(): boolean {
  return Boolean(process.env.TEMPORAL_ADDRESS || process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE);
}

/** Whether a worker polls the queue for workflows now. */
export async function hasWorker(client: Client, queue: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  const recent = Date.now() / 1000 - 65;
  return (pollers ?? []).some((poller) => Number(poller.lastAccessTime?.seconds ?? 0) > recent);
}

/**
 * A worker for a local server: the one that runs, else a new one in the background. Workers of a configured server are
 * its operator's business.
 */
export async function ensureWorker(
  client: Client,
  queue: string,
  local: Local,
  say: (line: string) => void,
): Promise<void> {
  const own = daemonPid('worker');
  if (own !== undefined || (await hasWorker(client, queue))) return;
  if (!local.ui) {
    throw new SwitchyardError(
      'Unavailable',
      `no worker polls the task queue ${queue} on ${local.address}`,
      `Start one with \`switchyard worker start\`; it also polls ${queuesUnder(queue).sandboxes}.`,
    );
  }
  say('starting a worker in the background (`switchyard down` stops it)');
  const pid = startDaemon({ name: 'worker', script: 'src/worker.ts', env: { SWITCHYARD_QUEUE: queue } });
  for (let waited = 0; waited < 60_000; waited += 200) {
    if (await hasWorker(client, queue)) return;
    if (daemonPid('worker') !== pid) break;
    await sleep(200);
  }
  throw new SwitchyardError(
    'Unavailable',
    'the worker did not come up',
    `Its log is ${logOf('worker')}; \`switchyard doctor\` checks what it needs.`,
  );
}

export async function connect(): Promise<{ connection: Connection; namespace: string }> {
  const config = loadClientConnectConfig();
  const connection = await Connection.connect({ ...config.connectionOptions, connectTimeout: '10s' }).catch(
    (error: Error) => {
      throw new SwitchyardError(
        'Unavailable',
        `no Temporal server answers at ${config.connectionOptions.address ?? LOCAL}: ${error.message}`,
        'Start one with `switchyard up`, or set TEMPORAL_ADDRESS.',
      );
    },
  );
  return { connection, namespace: config.namespace ?? 'default' };
}
