import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { ProblemCheckInput, type ProblemCheckResult, ProblemInitInput, type ProblemInitResult } from '../../contract';
import { checked } from '../durable/input';
import { gradingActivities, measure, problemStore } from './grading';

/** Whether a problem is fit for training: the gold patch resolves it every time, doing nothing does not, nothing is flaky. */
export async function problemCheck(raw: ProblemCheckInput): Promise<ProblemCheckResult> {
  const input = checked(ProblemCheckInput, raw, 'problem check');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const problem = await problemStore.loadProblem({ problem: input.problem });
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const check = await measure(taskQueue, owner, problem.ref, input.runs);
  setCurrentDetails(describeCheck(check));
  return check;
}

function describeCheck({
  id,
  oracle,
  noop,
  failToPass,
  passToPass,
  flaky,
  reasons,
  admitted,
}: ProblemCheckResult): string {
  return [
    `**${id}** — ${admitted ? 'admitted' : 'not admitted'}`,
    '',
    `oracle ${oracle}, no-op ${noop}, ${failToPass.length} FAIL_TO_PASS, ${passToPass.length} PASS_TO_PASS, ${flaky.length} flaky`,
    '',
    ...reasons.map((reason) => `- ${reason.slice(0, 500)}`),
  ].join('\n');
}

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
