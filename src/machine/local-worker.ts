import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PointsmanError, queuesUnder } from '../contract';
import { room } from '../home';
import { ensureDocker } from './docker';
import { ensureImage } from './image';
import type { Local } from './local-services';
import { daemonPid, logOf, startDaemon } from './processes';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
/** The server remembers a poll for this long after the worker's death. */
const MEMORY_SECONDS = 65;
const PATIENCE_MS = 60_000;

export interface BackgroundWorker {
  /** Name of its log and pid file in this home. */
  readonly name: string;
  readonly queue: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Whether a worker polled the queue for workflows after `since` (seconds since the epoch; a minute ago unless told). */
export async function hasWorker(
  client: Client,
  queue: string,
  since = Date.now() / 1000 - MEMORY_SECONDS,
): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (pollers ?? []).some(({ lastAccessTime: at }) => Number(at?.seconds ?? 0) + (at?.nanos ?? 0) / 1e9 > since);
}

/** Starts a worker in the background and waits until it polls. Only polls after its start count: a dead one's linger. */
export async function startWorker(client: Client, { name, queue, env }: BackgroundWorker): Promise<number> {
  const since = Date.now() / 1000;
  const pid = startDaemon({
    name,
    program: 'worker',
    env: { POINTSMAN_ONLY_HOST: '1', ...env, POINTSMAN_QUEUE: queue },
  });
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (await hasWorker(client, queue, since)) return pid;
    if (daemonPid(name) !== pid) break;
    await sleep(100);
  }
  throw new PointsmanError(
    'Unavailable',
    'the worker did not come up',
    `Its log is ${logOf(name)}; \`pointsman doctor\` checks what it needs.`,
  );
}

/**
 * Starts this home's worker with what its sandboxes need, as far as that can be had here: without an engine it still
 * serves what runs no code, and what does waits for one.
 */
export async function startOwnWorker(client: Client, queue: string, say: (line: string) => void): Promise<void> {
  try {
    await ensureDocker(say);
    await ensureImage(say);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`sandboxes cannot start yet: ${why} (\`pointsman doctor\` says what to do)`);
  }
  say('starting a worker in the background (`pointsman down` stops it)');
  await startWorker(client, { name: 'worker', queue });
}

/** Whether the worker that this home started was killed: `down` takes the pid file away, a crash leaves it. */
export function wasKilled(): boolean {
  return daemonPid('worker') === undefined && existsSync(join(room('run'), 'worker.pid'));
}

/**
 * A worker for a local server: the one that runs, else a new one in the background, also where ours was killed and the
 * server does not know it yet. Workers of a configured server are its operator's business.
 */
export async function ensureWorker(
  client: Client,
  queue: string,
  local: Local,
  say: (line: string) => void,
): Promise<void> {
  if (daemonPid('worker') !== undefined) return;
  if (!wasKilled() && (await hasWorker(client, queue))) return;
  if (!local.ui) {
    if (await hasWorker(client, queue)) return;
    throw new PointsmanError(
      'Unavailable',
      `no worker polls the task queue ${queue} on ${local.address}`,
      `Start one with \`pointsman worker start\`; it also polls ${queuesUnder(queue).sandboxes}.`,
    );
  }
  await startOwnWorker(client, queue, say);
}
