import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { createDatasetActivities } from '../../activities/dataset';
import { RETRY } from './retry';

type Making = ReturnType<typeof createDatasetActivities>;

/** Reads and writes blobs: a page, or a summary of all pages. */
export const datasetStore = proxyActivities<Omit<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** A file of any size. Its draft is dropped when the run is cancelled, so nobody may write any more by then. */
export const datasetFiles = proxyActivities<Pick<Making, 'writeDatasetFiles'>>({
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
