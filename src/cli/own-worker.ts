import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { SwitchyardError } from '../contract';
import { daemonPid, logOf, startDaemon } from '../local/processes';
import { room } from '../provision/home';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
const PATIENCE_MS = 60_000;

/** Whether the worker that this home started was killed: `down` takes the pid file away, a crash leaves it. */
export function ownWorkerDied(): boolean {
  return daemonPid('worker') === undefined && existsSync(join(room('run'), 'worker.pid'));
}

/**
 * Starts this home's worker and waits until it polls. The server remembers a dead worker's polls for a minute, so only
 * polls that came after the start count.
 */
export async function startOwnWorker(client: Client, queue: string, say: (line: string) => void): Promise<void> {
  if (daemonPid('worker') !== undefined) return;
  say('starting a worker in the background (`switchyard down` stops it)');
  const since = Date.now() / 1000;
  const pid = startDaemon({ name: 'worker', script: 'src/worker.ts', env: { SWITCHYARD_QUEUE: queue } });
  for (let waited = 0; waited < PATIENCE_MS; waited += 200) {
    if (await polledSince(client, queue, since)) return;
    if (daemonPid('worker') !== pid) break;
    await sleep(200);
  }
  throw new SwitchyardError(
    'Unavailable',
    'the worker did not come up',
    `Its log is ${logOf('worker')}; \`switchyard doctor\` checks what it needs.`,
  );
}

async function polledSince(client: Client, queue: string, since: number): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (pollers ?? []).some(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) + (at?.nanos ?? 0) / 1e9 > since);
}
