import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { createReviewActivities } from '../../activities/grading/review';
import type { createModelActivities } from '../../activities/model';
import { BY_MODEL, queuesUnder, type Review, RolloutReviewInput } from '../../contract';
import { checked } from '../durable/input';
import { modelCall, modelQueue, STORE } from '../durable/retry';

type Reviewing = ReturnType<typeof createReviewActivities>;

const reviewStore = proxyActivities<
  Pick<Reviewing, 'keepReview'> & Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);

/** A model's word on a rollout whose verdict is in doubt, kept like a person's. */
export async function rolloutReview(raw: RolloutReviewInput): Promise<Review> {
  const input = checked(RolloutReviewInput, raw, 'rollout review');
  const { rollout, reviewer } = input;
  const { taskQueue } = workflowInfo();
  const profiles = await reviewStore.checkProfiles({ profiles: [reviewer] });
  const { askReviewer } = proxyActivities<Pick<Reviewing, 'askReviewer'>>(
    modelCall(modelQueue(queuesUnder(taskQueue), profiles, reviewer)),
  );
  const said = await askReviewer.executeWithOptions({ summary: `${reviewer} reviews ${rollout}` }, [input]);
  const review = { ...said, by: `${BY_MODEL}${reviewer}`, at: new Date().toISOString() };
  await reviewStore.keepReview({ rollout, review });
  return review;
}
