import { proxyActivities } from '@temporalio/workflow';
import type { createCampaignActivities } from '../../activities/campaign/campaign';
import type { createCampaignEndingActivities } from '../../activities/campaign/endings';
import type { createModelActivities } from '../../activities/model';
import { RETRY } from '../durable/retry';

type Ending = ReturnType<typeof createCampaignEndingActivities>;

/**
 * Problems, plans, rows and results: blobs and questions to the server, where the workflow runs. Tried until they succeed: a
 * full disk or a server that is away must not end what thousands of rollouts hang on.
 */
export const campaignStore = proxyActivities<
  ReturnType<typeof createCampaignActivities> &
    Pick<Ending, 'endingsOf'> &
    Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>({ startToCloseTimeout: '20 minutes', heartbeatTimeout: '20 seconds', retry: RETRY });

/** Waits for rollouts, which may take hours. */
export const campaignWatch = proxyActivities<Pick<Ending, 'firstEnded'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: RETRY,
});
