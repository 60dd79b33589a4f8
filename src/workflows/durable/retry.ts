/** Five missed beats: a killed worker's work goes on elsewhere after this long. */
export const HEARTBEAT = '10 seconds';

/** Tried until it succeeds; where something else could be done, `maximumAttempts` ends it. */
export const RETRY = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' } as const;

/** A question to a model. A provider may be away for hours: tried until then, and what was answered is never asked again. */
export const MODEL_CALL = {
  startToCloseTimeout: '15 minutes',
  scheduleToCloseTimeout: '2 hours',
  heartbeatTimeout: HEARTBEAT,
  retry: { ...RETRY, maximumInterval: '2 minutes' },
} as const;
