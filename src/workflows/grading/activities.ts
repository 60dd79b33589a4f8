import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createGradingActivities } from '../../activities/grading';
import type { createControlActivities } from '../../activities/grading/controls';
import type { createProblemActivities } from '../../activities/problems/problem';
import { queuesUnder } from '../../contract';
import { RETRY, STORE } from '../durable/retry';

/** Work on problems and their controls that needs no sandbox. */
export const problemStore = proxyActivities<
  ReturnType<typeof createProblemActivities> &
    Pick<ReturnType<typeof createGradingActivities>, 'planGrading' | 'compareRuns'> &
    Pick<ReturnType<typeof createControlActivities>, 'keptControls' | 'keepControls'>
>(STORE);

type OnHost = Pick<ReturnType<typeof createGradingActivities>, 'runGrading'> &
  Pick<ReturnType<typeof createControlActivities>, 'draftControls' | 'tryControls'> &
  ReturnType<typeof createProblemActivities>;

/** On any host with room. An attempt makes its own container, so trouble with one host is tried again on another. */
export function gradingActivities(taskQueue: string) {
  return proxyActivities<OnHost>({
    taskQueue: queuesUnder(taskQueue).sandboxes,
    startToCloseTimeout: '6 hours',
    heartbeatTimeout: '20 seconds',
    retry: { ...RETRY, maximumAttempts: 20 },
    // The container must be gone before the run is.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
}
