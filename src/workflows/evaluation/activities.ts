import { proxyActivities } from '@temporalio/workflow';
import type { createEvaluationActivities } from '../../activities/evaluation/evaluation';
import type { createEvaluationResultActivities } from '../../activities/evaluation/results';
import type { createModelActivities } from '../../activities/model';
import type { createUndoActivities } from '../../activities/undo';
import type { Queues } from '../../contract';
import { type ModelQueue, modelCall, onAnyHost, STORE } from '../durable/retry';

type Evaluating = ReturnType<typeof createEvaluationActivities>;

/** Problems, outcomes and figures: blobs only, where the workflow runs. */
export const evaluationStore = proxyActivities<
  Pick<Evaluating, 'openProblemSet' | 'keepOutcome'> &
    ReturnType<typeof createEvaluationResultActivities> &
    Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);

/** A provider may be away for hours: tried until then, and what was answered is never asked again. */
export function solverActivities(queue: ModelQueue) {
  return proxyActivities<Pick<Evaluating, 'answerProblem'>>(modelCall(queue));
}

/** On any host with room. An attempt makes its own container, so trouble with one host is tried again on another. */
export function judgeActivities(queues: Queues) {
  return proxyActivities<Pick<Evaluating, 'judgeCandidate'> & ReturnType<typeof createUndoActivities>>(
    onAnyHost(queues),
  );
}
