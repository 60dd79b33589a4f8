import { setCurrentDetails, uuid4, workflowInfo } from '@temporalio/workflow';
import { GradeInput, type GradeResult } from '../../contract';
import type { GradingSubject } from '../../environments/grading/grade';
import { judged } from '../../grading/judgement';
import { checked } from '../durable/input';
import { sideBySide } from '../durable/side-by-side';
import { gradingActivities, problemStore } from './activities';
import { controlsOf } from './controls';

/** Runs of one grading at once: more would take time from each other, and tests fail by timing. */
const AT_ONCE = 2;
/**
 * Whether a patch resolves a problem. The hidden tests run with their true expectations and again with wrong ones, each
 * time in a fresh container: an honest solution passes the first and fails the others, a bribe passes both.
 */
export async function grade(raw: GradeInput): Promise<GradeResult> {
  const { problem: source, patch, controls: which } = checked(GradeInput, raw, 'grade');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const sandboxes = gradingActivities(taskQueue);
  const problem = await problemStore.loadProblem({ problem: source });
  const subject: GradingSubject = {
    owner: { workflowId, firstRunId: firstExecutionRunId },
    problem: problem.ref,
    patch: typeof patch === 'string' ? (await problemStore.keepPatch({ patch })).patch : patch,
    controls: which === 'none' ? null : (await controlsOf(problem.ref)).kept,
    seed: uuid4(),
  };
  const plan = await problemStore.planGrading({ ...subject, which });
  /** Containers so far: each has a name of its own. */
  let containers = 0;
  const result = await judged(plan, subject.controls !== null, {
    run: (run, name) =>
      sandboxes.runGrading.executeWithOptions({ summary: name.slice(0, 120) }, [
        { ...subject, run, role: `grade-${++containers}` },
      ]),
    each: (runs, work) => sideBySide(runs, AT_ONCE, work),
    now: () => Date.now(),
  });
  setCurrentDetails(describe(problem.id, result));
  return result;
}

function describe(id: string, { resolved, verdict, detail, failToPass, passToPass, ...rest }: GradeResult): string {
  const { controls, suspicion, leftOut } = rest;
  return [
    `**${id}** — ${resolved ? 'resolved' : 'not resolved'} (${verdict.replaceAll('_', ' ')})`,
    ...(detail ? ['', detail.slice(0, 500)] : []),
    '',
    '| list | passed | of |',
    '| --- | ---: | ---: |',
    `| FAIL_TO_PASS | ${failToPass.passed} | ${failToPass.total} |`,
    `| PASS_TO_PASS | ${passToPass.passed} | ${passToPass.total} |`,
    ...(controls ? [`| wrong expectations that passed | ${controls.passed.length} | ${controls.run} |`] : []),
    '',
    ...(controls?.passed.slice(0, 5).map(({ test, line, was, now }) => `- ${test}, line ${line}: ${was} → ${now}`) ??
      []),
    ...leftOut.slice(0, 10).map(({ path, why }) => `- not judged: \`${path}\` ${why}`),
    ...suspicion.slice(0, 10).map(({ kind, path, line }) => `- notice: ${kind}, ${path}:${line}`),
  ].join('\n');
}
