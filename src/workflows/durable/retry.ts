import { ActivityCancellationType, workflowInfo } from '@temporalio/workflow';
import type { Queues } from '../../contract';

/** Five missed beats: a killed worker's work goes on elsewhere after this long. */
export const HEARTBEAT = '10 seconds';

/**
 * A host whose tasks nobody takes for 3 minutes is lost; a restarted worker takes them sooner. Where the workflow has no
 * other place to run than that host, there is nothing to go on with elsewhere: it waits, and finds everything as it was.
 */
export function lostAfter(host: string): { scheduleToStartTimeout?: '3 minutes' } {
  return host === workflowInfo().taskQueue ? {} : { scheduleToStartTimeout: '3 minutes' };
}

/** What a second attempt finds as the first did. */
const FINAL: string[] = ['Tampered'];

/** Tried until it succeeds; where something else could be done, `maximumAttempts` ends it. */
export const RETRY = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const;

/** Blobs, rows and questions to the server, where the workflow runs: seconds as a rule, and a beat while somebody is at it. */
export const STORE = {
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
} as const;

/**
 * On any host with room. An attempt makes its own container, so trouble with one host is tried again on another, for half
 * an hour before the run parks. A cancelled one is waited for: its container must be gone before the run is.
 */
export function onAnyHost(queues: Queues) {
  return {
    taskQueue: queues.sandboxes,
    startToCloseTimeout: '2 hours',
    heartbeatTimeout: HEARTBEAT,
    retry: { ...RETRY, maximumAttempts: 40, nonRetryableErrorTypes: FINAL },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  } as const;
}

/** A question to a model. A provider may be away for hours: tried until then, and what was answered is never asked again. */
export const MODEL_CALL = {
  startToCloseTimeout: '15 minutes',
  scheduleToCloseTimeout: '2 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { ...RETRY, maximumInterval: '2 minutes' },
} as const;
