import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import { GradeInput, type GradeResult } from '../../contract';
import { checked } from '../durable/input';
import { gradingActivities, problemStore } from './grading';

/** Runs a problem's tests on a patch in a fresh container without network, and says whether the patch resolves it. */
export async function grade(raw: GradeInput): Promise<GradeResult> {
  const input = checked(GradeInput, raw, 'grade');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const { problem, patch } = {
    problem: await problemStore.loadProblem({ problem: input.problem }),
    patch: typeof input.patch === 'string' ? (await problemStore.keepPatch({ patch: input.patch })).patch : input.patch,
  };
  const graded = await gradingActivities(taskQueue).gradePatch.executeWithOptions(
    { summary: `tests of ${problem.id}` },
    [{ owner, problem: problem.ref, patch, role: 'grade' }],
  );
  setCurrentDetails(describe(problem.id, graded));
  return graded;
}

function describe(id: string, { resolved, verdict, failToPass, passToPass, flags }: GradeResult): string {
  const lines = [
    `**${id}** — ${resolved ? 'resolved' : 'not resolved'} (${verdict})`,
    '',
    '| list | passed | of |',
    '| --- | ---: | ---: |',
    `| FAIL_TO_PASS | ${failToPass.passed} | ${failToPass.total} |`,
    `| PASS_TO_PASS | ${passToPass.passed} | ${passToPass.total} |`,
  ];
  return [...lines, '', ...flags.slice(0, 20).map((flag) => `- \`${flag.kind}\` ${flag.detail}`)].join('\n');
}
