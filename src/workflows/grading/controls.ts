import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, ParentClosePolicy, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import { type ProblemControls, ProblemControlsInput, type Ref } from '../../contract';
import { checked } from '../durable/input';
import { sideBySide } from '../durable/side-by-side';
import { gradingActivities, problemStore } from './activities';

const AT_ONCE = 2;

/** What is known of a problem's tests. Made where it is not yet: once for a problem, whoever asks, and waited for by all. */
export async function controlsOf(problem: Ref): Promise<ProblemControls> {
  for (;;) {
    const known = await problemStore.keptControls({ problem });
    if (known) return known;
    try {
      return await executeChild(problemControls, {
        args: [{ problem }],
        workflowId: `controls/${problem.sha256.slice(0, 24)}`,
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        staticSummary: 'wrong expectations for its tests',
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await sleep('5 seconds');
    }
  }
}

/**
 * Finds wrong expectations for the hidden tests of a problem and keeps those that are believed: with the reference they
 * fail twice, with different constants, by their own line, and without it they do not pass. Tests that the reference passes
 * in a process of their own are noted beside them.
 */
export async function problemControls(raw: ProblemControlsInput): Promise<ProblemControls> {
  const input = checked(ProblemControlsInput, raw, 'problem controls');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const sandboxes = gradingActivities(taskQueue);
  const { ref: problem, id } = await problemStore.loadProblem({ problem: input.problem });
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const draft = await sandboxes.draftControls.executeWithOptions({ summary: 'tests with the reference' }, [
    { owner, problem },
  ]);
  const trials: Ref[] = [];
  for (let round = 0; round < draft.rounds; round++) {
    const runs = [
      { with: 'gold', constants: 0 },
      { with: 'gold', constants: 1 },
      { with: 'nothing', constants: 0 },
    ] as const;
    trials.push(
      ...(await sideBySide(runs, AT_ONCE, (run) =>
        sandboxes.tryControls.executeWithOptions(
          { summary: `wrong expectations ${round + 1} of ${draft.rounds}, with ${run.with}` },
          [{ owner, problem, draft: draft.draft, round, ...run }],
        ),
      )),
    );
  }
  const controls = await problemStore.keepControls({ problem, draft: draft.draft, trials });
  setCurrentDetails(`**${id}** — ${describeControls(controls)}`);
  return controls;
}

/** `controls: 41 of 44 tests (36 value, 5 must-fail)`. */
export function describeControls({ tests, of, kinds }: ProblemControls): string {
  const each = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  return `controls: ${tests} of ${of} tests${each.length > 0 ? ` (${each.join(', ')})` : ''}`;
}
