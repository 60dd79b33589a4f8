import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Worker } from '@temporalio/worker';
import type pino from 'pino';
import { HOST_LEAVING, type HostLeaving } from '../contract';
import { forgetJanitor } from '../machine/janitor-schedule';
import type { Sandboxes } from '../sandbox/sandbox';

const LOOK_MS = 1_000;
/** Runs that have gone on as a workflow of their own meanwhile have not heard it. */
const SAY_AGAIN_MS = 20_000;
/** The server remembers a poll for a few minutes; a poll itself lasts one. */
const POLLED_SECONDS = 70;

/** Within this, runs of a host that is stopped take along what they did; Compose kills it after 90 s. */
const GRACE_MS = 60_000;

type Order = 'drain' | 'stop';

/** What a person or a supervisor has told this process to do. */
export class Told {
  private readonly stopping = new AbortController();
  /** Aborted by a stop that is said behind something else: nothing is waited for any more. */
  readonly stopAtOnce = this.stopping.signal;
  private tell: (order: Order) => void = () => {};
  readonly first = new Promise<Order>((resolve) => {
    this.tell = resolve;
  });
  private said = false;
  private readonly onStop = () => this.say('stop');
  private readonly onDrain = () => this.say('drain');

  constructor() {
    process.on('SIGINT', this.onStop).on('SIGTERM', this.onStop).on('SIGUSR1', this.onDrain);
  }

  say(order: Order): void {
    if (this.said && order === 'stop') this.stopping.abort();
    this.said = true;
    this.tell(order);
  }

  close(): void {
    process.off('SIGINT', this.onStop).off('SIGTERM', this.onStop).off('SIGUSR1', this.onDrain);
  }
}

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
   * Takes nothing new, hands on what is here and ends the SDK's workers. Without another host a drain waits until all has ended
   * here, and a stop leaves it to the next worker.
   */
  async leave(
    order: Order,
    how: {
      readonly alone: () => Promise<boolean>;
      readonly stopAtOnce: AbortSignal;
      readonly workers: readonly { readonly queue: string; readonly worker: Worker }[];
    },
  ): Promise<void> {
    const { client, sandboxes, host, pool, logger } = this.ground;
    const { stopAtOnce, workers } = how;
    logger.info({ order }, 'takes nothing new');
    sandboxes.places.close();
    const shutdown = (wanted: (queue: string) => boolean) => {
      for (const { queue, worker } of workers) if (wanted(queue) && worker.getState() === 'RUNNING') worker.shutdown();
    };
    if (order === 'stop') shutdown((queue) => queue === pool);
    try {
      const alone = await how.alone();
      const grace = AbortSignal.any([stopAtOnce, AbortSignal.timeout(GRACE_MS)]);
      if (order === 'drain') await this.handOn({ signal: stopAtOnce, alone });
      else if (!alone) await this.handOn({ signal: grace, alone });
      // Nobody would answer its sweeps.
      if (order === 'drain') await forgetJanitor(client, host);
    } catch (error) {
      logger.warn({ error }, 'what runs here is left to be found out');
    } finally {
      shutdown(() => true);
    }
  }

  /**
   * Tells the runs that have a sandbox here, and waits until none has one any more or is about to, or until `signal`. Those
   * that are still here then are told that nobody answers here any more. `alone`: there is no other host, so they end here.
   */
  private async handOn({ signal, alone }: { readonly signal: AbortSignal; readonly alone: boolean }): Promise<void> {
    const { sandboxes, logger } = this.ground;
    const told = new Map<string, number>();
    while (!signal.aborted) {
      // Before the look, which sees what comes of it.
      const { expects } = sandboxes.places;
      const here = await sandboxes.running();
      if (here.size === 0 && !expects) break;
      for (const [run, workflowId] of alone ? [] : here) {
        if (performance.now() - (told.get(run) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) continue;
        if (!told.has(run)) logger.info({ workflowId }, 'is to go on elsewhere');
        told.set(run, performance.now());
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
