import { setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import {
  ProblemCheckInput,
  type ProblemCheckResult,
  ProblemInitInput,
  type ProblemInitResult,
  type Ref,
} from '../../contract';
import type { Owner } from '../../sandbox/labels';
import { checked } from '../durable/input';
import { gradingActivities, problemStore } from '../grading/activities';
import { controlsOf, describeControls } from '../grading/controls';

/** Whether a problem is fit for training: the gold patch resolves it every time, doing nothing does not, nothing is flaky. */
export async function problemCheck(raw: ProblemCheckInput): Promise<ProblemCheckResult> {
  const input = checked(ProblemCheckInput, raw, 'problem check');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const { ref, tests } = await problemStore.loadProblem({ problem: input.problem, toMeasure: true });
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const measures = await measure(taskQueue, owner, ref, input.runs);
  // Lists that were empty are the measured ones from here on.
  const whole = async () =>
    tests > 0 ? ref : (await problemStore.finishProblem({ problem: ref, lists: measures.lists })).problem;
  const check = { ...measures, controls: measures.admitted ? await controlsOf(await whole()) : null };
  setCurrentDetails(describeCheck(check));
  return check;
}

/**
 * Two versions of a project, or one and two patches, become a problem: environment image, hidden tests, gold patch, the
 * lists FAIL_TO_PASS and PASS_TO_PASS as running the tests without and with the gold patch gives them, and wrong
 * expectations for the tests that decide.
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
  const measures = await measure(taskQueue, owner, draft.problem, input.runs);
  const { problem } = await problemStore.finishProblem({ problem: draft.problem, lists: measures.lists });
  const check = { ...measures, controls: measures.admitted ? await controlsOf(problem) : null };
  setCurrentDetails(describeCheck(check));
  return { id: draft.id, image: environment.image, problem, check };
}

/**
 * Doing nothing once and the gold patch `runs` times, each in a container of its own and one after another: tests that
 * share a busy machine fail by timing, which is not their fault.
 */
async function measure(
  taskQueue: string,
  owner: Owner,
  problem: Ref,
  runs: number,
): Promise<Omit<ProblemCheckResult, 'controls'>> {
  const sandboxes = gradingActivities(taskQueue);
  const subject = { owner, problem, controls: null, seed: '', run: { kind: 'real' } as const };
  const { patch: nothing } = await problemStore.keepPatch({ patch: '' });
  const { patch: gold } = await problemStore.goldPatch({ problem });
  const noop = await sandboxes.runGrading.executeWithOptions({ summary: 'tests without a fix' }, [
    { ...subject, patch: nothing, role: 'check-noop' },
  ]);
  const golds = [];
  for (let run = 1; run <= runs; run++) {
    golds.push(
      await sandboxes.runGrading.executeWithOptions({ summary: `tests with the gold patch, run ${run} of ${runs}` }, [
        { ...subject, patch: gold, role: `check-gold-${run}`, solved: true },
      ]),
    );
  }
  return problemStore.compareRuns({ problem, noop, gold: golds });
}

function describeCheck(check: ProblemCheckResult): string {
  const { id, oracle, noop, failToPass, passToPass, flaky, reasons, admitted, controls } = check;
  return [
    `**${id}** — ${admitted ? 'admitted' : 'not admitted'}`,
    '',
    `oracle ${oracle}, no-op ${noop}, ${failToPass} FAIL_TO_PASS, ${passToPass} PASS_TO_PASS, ${flaky} flaky`,
    ...(controls ? [describeControls(controls)] : []),
    '',
    ...reasons.map((reason) => `- ${reason.slice(0, 500)}`),
  ].join('\n');
}
