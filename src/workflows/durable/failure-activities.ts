import { proxyActivities } from '@temporalio/workflow';
import type { createFailureAnalysisActivities } from '../../activities/failure-analysis';
import { MODEL_CALL, RETRY } from './retry';

type Analysing = ReturnType<typeof createFailureAnalysisActivities>;

/** Rows, tables and files, where the workflow runs. */
export const failureStore = proxyActivities<Pick<Analysing, 'planFailures' | 'concludeFailures'>>({
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** A provider may be away for hours: tried until then, and what was answered is never asked again. */
export function judgingActivities(queue: string) {
  return proxyActivities<Pick<Analysing, 'judgeFailure'>>({ taskQueue: queue, ...MODEL_CALL });
}
