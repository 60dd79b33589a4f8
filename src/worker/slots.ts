import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { ActivitySlotInfo, CustomSlotSupplier, WorkerOptions } from '@temporalio/worker';
import type pino from 'pino';
import { isPointsmanError } from '../contract';
import { ensureImage, offerImage } from '../machine/image';
import type { Held, Permit, Places } from '../sandbox/places';
import type { Leaving } from './leaving';

const FIXED = { type: 'fixed-size', numSlots: 2 } as const;
const LOOK_MS = 5_000;

/** Of each queue of a host's sandboxes: a server bounds the open polls of a namespace, which all hosts share. */
export const FEW_POLLS = { maxConcurrentActivityTaskPolls: 2 } as const;

/**
 * How a host polls the queue of work that opens sandboxes: a place is taken before each poll, so what finds none here stays in
 * the queue, where a host with room finds it.
 */
export function polledByPlaces(places: Places): Pick<WorkerOptions, 'tuner' | 'interceptors'> {
  const slots: CustomSlotSupplier<ActivitySlotInfo> = {
    type: 'custom',
    reserveSlot: (_context, signal) => places.admit(signal),
    // An activity may be handed over with a workflow's answer only where its queue is the workflow's.
    tryReserveSlot: () => null,
    markSlotUsed: () => {},
    releaseSlot: ({ permit }) => places.release(permit as Permit),
  };
  return {
    tuner: {
      activityTaskSlotSupplier: slots,
      workflowTaskSlotSupplier: FIXED,
      localActivityTaskSlotSupplier: FIXED,
      nexusTaskSlotSupplier: FIXED,
    },
    interceptors: {
      activity: [
        ({ cancellationSignal }) => ({
          inbound: { execute: (input, next) => places.during(cancellationSignal, true, () => next(input)) },
        }),
      ],
    },
  };
}

/**
 * Containers that an activity makes wait for their places until it is cancelled. Where this host leaves for good, what is cut
 * off says so: its run would wait for minutes for a host that does not come back.
 */
export function waitingFor(places: Places, leaving: Leaving): Pick<WorkerOptions, 'interceptors'> {
  return {
    interceptors: {
      activity: [
        ({ cancellationSignal }) => ({
          inbound: {
            execute: async (input, next) => {
              try {
                return await places.during(cancellationSignal, false, () => next(input));
              } catch (error) {
                const { message } = (cancellationSignal.reason ?? {}) as { message?: string };
                const cut = leaving.handsOn && message === 'WORKER_SHUTDOWN';
                throw cut ? ApplicationFailure.nonRetryable('its host has left', 'HostLost') : error;
              }
            },
          },
        }),
      ],
    },
  };
}

const { PENDING_ACTIVITY_STATE_SCHEDULED } = temporal.api.enums.v1.PendingActivityState;

/** Of the runs that have a sandbox here, those that wait for nothing but one, as the server tells it. */
async function inQueue(client: Client, pool: string, leases: readonly Held[]): Promise<Set<string>> {
  const waiting = leases.map(async ({ workflow, run }) => {
    if (workflow === undefined) return [];
    const { raw } = await client.workflow.getHandle(workflow).describe();
    const pending = raw.pendingActivities ?? [];
    const waits = pending.every(
      // Servers before 1.27 do not tell the queue.
      ({ state, activityOptions }) =>
        state === PENDING_ACTIVITY_STATE_SCHEDULED && activityOptions?.taskQueue?.name === pool,
    );
    return waits && pending.length > 0 && raw.workflowExecutionInfo?.firstRunId === run ? [run] : [];
  });
  return new Set((await Promise.all(waiting.map((each) => each.catch(() => [])))).flat());
}

/** What a host needs so that work comes to it. */
interface Opening {
  readonly places: Places;
  readonly client: Client;
  /** Queue of work that opens sandboxes. */
  readonly pool: string;
  readonly logger: pino.Logger;
}

/**
 * Makes the base image where it is missing, or pulls it: until then no work comes here. Offers it to hosts that join. Says what
 * else keeps work away, once, and when it is gone; sandboxes that nobody uses any more keep none away. For as long as this
 * process serves.
 */
export async function keepOpen({ places, client, pool, logger }: Opening, signal: AbortSignal): Promise<void> {
  let said: string | undefined;
  let offered = false;
  while (!signal.aborted) {
    const image = await ensureImage((doing) => logger.info({ doing }, 'base image')).catch((error: unknown) =>
      logger.warn({ error }, 'no sandbox can start here yet'),
    );
    if (image && !offered)
      offered = await offerImage().then(
        () => true,
        (error: unknown) => {
          logger.warn({ error }, 'hosts that join cannot have this base image');
          return !(isPointsmanError(error) && error.code === 'Unavailable');
        },
      );
    const obstacle = await places.obstacle().catch((error: Error) => error.message);
    if (obstacle !== said) {
      if (obstacle === undefined) logger.info('takes new work again');
      else logger.warn({ obstacle }, 'takes no new work for now');
      said = obstacle;
    }
    const idle = await places.discount((leases) => inQueue(client, pool, leases)).catch(() => 0);
    if (idle > 0) logger.info({ idle }, 'runs that wait for a sandbox have one here that nobody uses: not counted');
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
