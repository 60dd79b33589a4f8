import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Finding } from './doctor';

const TASK_QUEUE = 'pointsman';
const DAY = 24 * 3600;
/** How long a worker counts as there after its last poll: two long polls. */
const FRESH_MS = 150_000;

/** The Temporal server that the environment or a Temporal profile names: does it answer, keep histories, have workers? */
export async function serverFindings(): Promise<Finding[]> {
  let address = '';
  let connection: Connection | undefined;
  try {
    const config = loadClientConnectConfig();
    address = config.connectionOptions.address ?? 'localhost:7233';
    connection = await Connection.connect({ ...config.connectionOptions, connectTimeout: 3000 });
    const client = new Client({ connection, namespace: config.namespace ?? 'default' });
    return await connection.withDeadline(Date.now() + 8000, async () => [
      await server(client, address),
      await retention(client),
      await workers(client),
      await problems(client),
    ]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const todo =
      'Run `npm run demo`, which starts a development server; or set TEMPORAL_ADDRESS or a Temporal profile (docs/self-hosting.md).';
    return [{ what: 'Temporal server', state: 'missing', found: `${address}: ${reason}`, todo }];
  } finally {
    await connection?.close();
  }
}

async function server(client: Client, address: string): Promise<Finding> {
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  return { what: 'Temporal server', state: 'ok', found: `${serverVersion} at ${address}`, todo: '' };
}

async function retention(client: Client): Promise<Finding> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY;
  return {
    what: 'Retention',
    state: days < 30 ? 'warn' : 'ok',
    found: `namespace ${namespace} keeps histories for ${days} days`,
    todo: days < 30 ? `temporal operator namespace update -n ${namespace} --retention 30d` : '',
  };
}

async function workers(client: Client): Promise<Finding> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: TASK_QUEUE },
    taskQueueType: 1,
  });
  const alive = (pollers ?? []).filter(({ lastAccessTime }) => {
    return Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - FRESH_MS;
  });
  return alive.length > 0
    ? { what: 'Workers', state: 'ok', found: alive.map(({ identity }) => identity).join(', '), todo: '' }
    : { what: 'Workers', state: 'warn', found: `none polls ${TASK_QUEUE}`, todo: 'Start one: pointsman worker start' };
}

/** Workflow code that throws does not end its run: the server keeps trying, and says so in this search attribute. */
async function problems(client: Client): Promise<Finding> {
  const what = 'Stuck workflows';
  const stuck: string[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: 'TemporalReportedProblems IS NOT NULL',
    pageSize: 20,
  })) {
    if (stuck.push(workflowId) >= 20) break;
  }
  if (stuck.length === 0) return { what, state: 'ok', found: 'none', todo: '' };
  const todo = `temporal workflow describe -w ${stuck[0]} tells the failure; with corrected code they go on by themselves.`;
  return { what, state: 'warn', found: stuck.join(', '), todo };
}
