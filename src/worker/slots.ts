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

/** Of the containers here, those whose runs wait for nothing but the queue of sandboxes, or for other hosts that serve it. */
async function unused(opening: Opening, held: readonly Held[]): Promise<Set<string>> {
  const runs = [...new Map(held.map(({ run, workflow = '' }) => [run, workflow]))];
  const away = await Promise.all(runs.map((run) => isAway(opening, run).catch(() => false)));
  const idle = new Set(runs.flatMap(([run], at) => (away[at] ? [run] : [])));
  return new Set(held.flatMap(({ run, name }) => (idle.has(run) ? [name] : [])));
}

async function isAway({ client, pool }: Opening, [run, workflow]: readonly [string, string]): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(workflow).describe();
  const pending = raw.pendingActivities ?? [];
  if (pending.length === 0 || raw.workflowExecutionInfo?.firstRunId !== run) return false;
  return pending.every(
    ({ state, activityOptions, lastWorkerIdentity }) =>
      // Servers before 1.28 do not tell the queue.
      activityOptions?.taskQueue?.name === pool &&
      (state === PENDING_ACTIVITY_STATE_SCHEDULED || lastWorkerIdentity !== client.options.identity),
  );
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
export async function keepOpen(opening: Opening, signal: AbortSignal): Promise<void> {
  const { places, logger } = opening;
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
    const idle = await places.discount((held) => unused(opening, held)).catch(() => 0);
    if (idle > 0) logger.info({ idle }, 'containers that nobody uses take no places');
    await sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
