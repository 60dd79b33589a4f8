import { type GradeResult, type Problem, type ProblemCheckResult, type Ref, SandboxProfile } from '../../contract';
import type { Deps } from '../../deps';
import { judge } from '../../environments/judge';
import { ensureProblemImage } from '../../environments/problem-environment';
import { checkOf } from '../../problems/check';
import type { Outcomes } from '../../problems/outcomes';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';

export interface GradePatchInput {
  readonly owner: Owner;
  readonly problem: Ref;
  readonly patch: Ref;
  /** Names the container within the run: `grade`, or one of several that a check runs beside each other. */
  readonly role: string;
}

export interface CompareInput {
  readonly problem: Ref;
  readonly noop: GradeResult;
  readonly gold: readonly GradeResult[];
}

export function createGradingActivities(deps: Deps) {
  const { sandboxes, blobs, problems } = deps;

  return {
    /**
     * Runs a problem's tests on a patch in a fresh container without network. Retry-safe: the container is made anew and
     * removed in the end, so a retry repeats everything and keeps nothing. Throws for outages; a verdict is never one.
     */
    async gradePatch(input: GradePatchInput): Promise<GradeResult> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(input.problem);
        const patch = (await blobs.get(input.patch.sha256)).toString('utf8');
        return gradeIn(deps, input.owner, input.role, problem, patch, signal);
      });
    },

    /** Removes what a grading run may have left when its activity was given up. Retry-safe: what is gone counts. */
    async releaseGrading({ owner, role }: { owner: Owner; role: string }): Promise<void> {
      await sandboxes.remove(owner, role);
    },

    /** What runs without and with the gold patch say of the problem. Reads blobs only. */
    async compareGrades({ problem: ref, noop, gold }: CompareInput): Promise<ProblemCheckResult> {
      const problem = await problems.kept(ref);
      const read = async (grade: GradeResult) =>
        JSON.parse((await blobs.get(grade.outcomes.sha256)).toString('utf8')) as Outcomes;
      const runs = { noop: await read(noop), gold: await Promise.all(gold.map(read)) };
      const log = (await blobs.get((gold[0] ?? noop).log.sha256)).toString('utf8').slice(-400);
      return { ...checkOf(problem, { noop, gold }, runs, log), outcomes: await blobs.put(JSON.stringify(runs)) };
    },
  };
}

/** One grading from container to verdict, for activities and tests. */
async function gradeIn(
  deps: Deps,
  owner: Owner,
  role: string,
  problem: Problem,
  patch: string,
  signal: AbortSignal,
): Promise<GradeResult> {
  const { sandboxes, blobs } = deps;
  await sandboxes.remove(owner, role);
  const image = await ensureProblemImage(deps, owner, problem, signal);
  try {
    const profile = SandboxProfile.parse({ network: 'none' });
    const sandbox = await sandboxes.claim({ owner, role, image, workdir: problem.workdir, profile });
    return await judge(sandbox, problem, patch, blobs, signal);
  } finally {
    await sandboxes.remove(owner, role);
  }
}
