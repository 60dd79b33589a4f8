import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createDatasetActivities } from '../../activities/dataset';

type Making = ReturnType<typeof createDatasetActivities>;

const RETRY = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '1 minute',
  maximumAttempts: 20,
} as const;

/** Reads and writes blobs: a page, or a summary of all pages. */
export const datasetStore = proxyActivities<Omit<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: RETRY,
});

/** A file of any size. Its draft is dropped when the run is cancelled, so nobody may write any more by then. */
export const datasetFiles = proxyActivities<Pick<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: RETRY,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
