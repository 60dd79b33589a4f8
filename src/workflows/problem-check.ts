import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { ProblemCheckInput, type ProblemCheckResult } from '../contract';
import { measure, problemStore } from './durable/grading';
import { checked } from './durable/input';

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

export function describeCheck({
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
