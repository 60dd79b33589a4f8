import { ActivityCancellationType, workflowInfo } from '@temporalio/workflow';
import type { CheckedProfiles } from '../../activities/model';
import type { Queues } from '../../contract';

/** A killed worker's work goes on elsewhere after this long, and a cancel is heard within two fifths of it. */
export const HEARTBEAT = '10 seconds';
/** Of a question to a model, which takes longer than most commands, and of which there is one a turn. */
const MODEL_HEARTBEAT = '20 seconds';

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

/** Where a profile is asked, and for how many seconds one answer is waited. */
export interface ModelQueue {
  readonly taskQueue: string;
  /** Whether that is the profile's own, and not the one of workflows. */
  readonly own: boolean;
  readonly timeoutSeconds: number;
}

/** By what `checkProfiles` found; a check that an earlier version recorded names no times. */
export function modelQueue(
  queues: Queues,
  { ownQueue, timeoutSeconds = {} }: CheckedProfiles,
  profile: string,
): ModelQueue {
  const own = ownQueue.includes(profile);
  return {
    taskQueue: own ? queues.model(profile) : queues.workflows,
    own,
    timeoutSeconds: timeoutSeconds[profile] ?? 600,
  };
}

/** A call may wait so long for a place: a slow server has one for hundreds of runs, and none of them is at fault. */
const PLACE_SECONDS = 7 * 24 * 3600;
/** With growing pauses, two hours of a provider that refuses at once. */
const MODEL_ATTEMPTS = 70;

/**
 * A question to a model. A provider may be away for hours: tried until then, and what was answered is never asked again.
 * The request itself ends after the profile's `timeoutSeconds`, in the worker, and a worker that died is noticed by its
 * heartbeat; there is no limit over all attempts, because waiting for a place would count into it.
 */
export function modelCall({ taskQueue, timeoutSeconds }: ModelQueue) {
  return {
    taskQueue,
    startToCloseTimeout: (timeoutSeconds + PLACE_SECONDS) * 1000,
    heartbeatTimeout: MODEL_HEARTBEAT,
    retry: { ...RETRY, maximumInterval: '2 minutes', maximumAttempts: MODEL_ATTEMPTS },
  } as const;
}
