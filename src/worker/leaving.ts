import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type pino from 'pino';
import { HOST_LEAVING, type HostLeaving } from '../contract';
import type { Sandboxes } from '../sandbox/sandbox';

const LOOK_MS = 1_000;
/** Runs that have gone on as a workflow of their own meanwhile have not heard it. */
const SAY_AGAIN_MS = 20_000;
/** The server remembers a poll for a few minutes; a poll itself lasts one. */
const POLLED_SECONDS = 70;

interface Ground {
  readonly client: Client;
  readonly sandboxes: Sandboxes;
  readonly host: string;
  /** Queue of work that opens sandboxes. */
  readonly pool: string;
  readonly logger: pino.Logger;
}

/** How a host that leaves hands on what it has: runs are told, and go on elsewhere from where they are. */
export class Leaving {
  /** From here on, commands that are cut off are not to be waited for here. */
  handsOn = false;

  constructor(private readonly ground: Ground) {}

  /** Whether there is another host for what runs here. Where it is not known, what runs here stays. */
  async hasOthers(): Promise<boolean> {
    const { client, pool, host } = this.ground;
    const since = Date.now() / 1000 - POLLED_SECONDS;
    const asked = client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: pool },
      taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    const { pollers } = await asked.catch(() => ({ pollers: [] }));
    return (pollers ?? []).some(
      ({ identity, lastAccessTime }) =>
        Number(lastAccessTime?.seconds ?? 0) > since && !identity?.startsWith(`pointsman@${host} `),
    );
  }

  /**
   * Tells the runs that have a sandbox here, and waits until none has one any more, or until `signal`. Those that are still
   * here then are told that nobody answers here any more. `alone`: there is no other host, so they end here.
   */
  async handOn({ signal, alone }: { readonly signal: AbortSignal; readonly alone: boolean }): Promise<void> {
    const { sandboxes, logger } = this.ground;
    const told = new Map<string, number>();
    for (let here = await sandboxes.running(); here.size > 0 && !signal.aborted; here = await sandboxes.running()) {
      for (const [run, workflowId] of alone ? [] : here) {
        if (Date.now() - (told.get(run) ?? 0) < SAY_AGAIN_MS) continue;
        if (!told.has(run)) logger.info({ workflowId }, 'is to go on elsewhere');
        told.set(run, Date.now());
        await this.say(workflowId, run, false);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    if (alone) return;
    this.handsOn = true;
    for (const [run, workflowId] of await sandboxes.running()) await this.say(workflowId, run, true);
  }

  private async say(workflowId: string, firstExecutionRunId: string, gone: boolean): Promise<void> {
    const { client, host, logger } = this.ground;
    const handle = client.workflow.getHandle(workflowId, undefined, { firstExecutionRunId });
    const said: HostLeaving = { host, gone };
    // One that has ended, or whose server is away, is found out by its next attempt.
    await handle.signal(HOST_LEAVING, said).catch((error: unknown) => logger.warn({ error, workflowId }, 'not told'));
  }
}
