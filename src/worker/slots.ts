import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivitySlotInfo, CustomSlotSupplier, WorkerOptions } from '@temporalio/worker';
import type pino from 'pino';
import { isPointsmanError } from '../contract';
import { ensureImage, offerImage } from '../machine/image';
import type { Permit, Places } from '../sandbox/places';
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

/**
 * Makes the base image where it is missing, or pulls it: until then no work comes here. Offers it to hosts that join. Says what
 * else keeps work away, once, and when it is gone. For as long as this process serves.
 */
export async function keepOpen(places: Places, logger: pino.Logger, signal: AbortSignal): Promise<void> {
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
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
