import { proxyActivities } from '@temporalio/workflow';
import type { createCovariateShiftActivities } from '../../activities/covariate-shift';
import { RETRY } from './retry';

type Shifting = ReturnType<typeof createCovariateShiftActivities>;

/** Rows, tables and files, where the workflow runs. */
export const shiftStore = proxyActivities<Pick<Shifting, 'planShift' | 'planTurns' | 'concludeShift'>>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** Seconds of computing a turn, in a thread of the process that takes it. */
export const shiftMeasures = proxyActivities<Pick<Shifting, 'measureShift'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** A provider may be away for hours: tried until then, and what was embedded is never asked for again. */
export function embeddingActivities(queue: string) {
  return proxyActivities<Pick<Shifting, 'embedTrajectory'>>({
    taskQueue: queue,
    startToCloseTimeout: '1 hour',
    scheduleToCloseTimeout: '4 hours',
    heartbeatTimeout: '10 seconds',
    retry: { ...RETRY, maximumInterval: '2 minutes' },
  });
}
