import { workflowInfo } from '@temporalio/workflow';

/** Five missed beats: a killed worker's work goes on elsewhere after this long. */
export const HEARTBEAT = '10 seconds';

/**
 * A host whose tasks nobody takes for 3 minutes is lost; a restarted worker takes them sooner. Where the workflow has no
 * other place to run than that host, there is nothing to go on with elsewhere: it waits, and finds everything as it was.
 */
export function lostAfter(host: string): { scheduleToStartTimeout?: '3 minutes' } {
  return host === workflowInfo().taskQueue ? {} : { scheduleToStartTimeout: '3 minutes' };
}

/** Tried until it succeeds; where something else could be done, `maximumAttempts` ends it. */
export const RETRY = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const;

/** A question to a model. A provider may be away for hours: tried until then, and what was answered is never asked again. */
export const MODEL_CALL = {
  startToCloseTimeout: '15 minutes',
  scheduleToCloseTimeout: '2 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { ...RETRY, maximumInterval: '2 minutes' },
} as const;
