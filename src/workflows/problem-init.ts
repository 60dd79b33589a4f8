import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { ProblemInitInput, type ProblemInitResult } from '../contract';
import { gradingActivities, measure, problemStore } from './durable/grading';
import { checked } from './durable/input';
import { describeCheck } from './problem-check';

/**
 * Two versions of a project, or one and two patches, become a problem: environment image, hidden tests, gold patch, and
 * the lists FAIL_TO_PASS and PASS_TO_PASS as running the tests without and with the gold patch gives them.
 */
export async function problemInit(raw: ProblemInitInput): Promise<ProblemInitResult> {
  const input = checked(ProblemInitInput, raw, 'problem init');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const sandboxes = gradingActivities(taskQueue);
  const environment = await sandboxes.buildProblemImage.executeWithOptions(
    { summary: `environment of ${input.before}`.slice(0, 120) },
    [{ owner, input }],
  );
  const draft = await sandboxes.draftProblem({ owner, input, environment });
  const check = await measure(taskQueue, owner, draft.problem, input.runs);
  setCurrentDetails(describeCheck(check));
  const { problem } = await problemStore.finishProblem({ problem: draft.problem, check });
  return { id: draft.id, image: environment.image, problem, check };
}
