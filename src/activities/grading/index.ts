import type { GradeInput, GradeResult, Lease, ProblemCheckResult, Ref } from '../../contract';
import type { Deps } from '../../deps';
import { type GradingSubject, judgeSandbox, planGrading, runCheck } from '../../environments/grading/grade';
import { labOf } from '../../environments/problem-environment';
import type { GradingPlan, RunFinding } from '../../grading/judgement';
import { checkOf } from '../../problems/check';
import type { Outcomes } from '../../problems/outcomes';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';
import { asLost, assertHere } from '../rollout/sandbox-host';

export function createGradingActivities(deps: Deps) {
  const { blobs, problems } = deps;
  const json = async <T>(ref: Ref) => JSON.parse((await blobs.get(ref.sha256)).toString('utf8')) as T;
  const textOf = async (ref: Ref) => (await blobs.get(ref.sha256)).toString('utf8');

  return {
    /** As `planGrading` says. Retry-safe: the seed draws the same again. */
    async planGrading(input: GradingSubject & { readonly which: GradeInput['controls'] }): Promise<GradingPlan> {
      return withHeartbeat(() => planGrading(deps, input));
    },

    /**
     * As `runCheck` says. Retry-safe: the container is made anew and removed in the end, so a retry repeats everything and
     * keeps nothing.
     */
    async runGrading(input: Parameters<typeof runCheck>[1]): Promise<RunFinding> {
      return withHeartbeat((signal) => runCheck(labOf(deps), input, signal));
    },

    /**
     * The verdict on the run's own sandbox, for problems that are judged there. Retry-safe: tests and reward are written
     * anew; what the tests themselves change in the sandbox stays, as it does in the systems that such problems come from.
     */
    async judgeSandbox({
      owner,
      lease,
      problem,
      part = 0,
    }: {
      owner: Owner;
      lease: Lease;
      problem: Ref;
      part?: number;
    }): Promise<GradeResult> {
      return withHeartbeat(async (signal) => {
        assertHere(deps, lease);
        const sandbox = deps.sandboxes.at(lease.container);
        return judgeSandbox(labOf(deps), { owner, problem, part, sandbox }, signal).catch(asLost);
      });
    },

    /** What runs without and with the gold patch say of the problem. Reads and writes blobs only. */
    async compareRuns({
      problem: ref,
      noop,
      gold,
    }: {
      problem: Ref;
      noop: RunFinding;
      gold: readonly RunFinding[];
    }): Promise<Omit<ProblemCheckResult, 'controls'>> {
      const problem = await problems.kept(ref);
      const read = (run: RunFinding) => json<Outcomes>(run.outcomes);
      const outcomes = { noop: await read(noop), gold: await Promise.all(gold.map(read)) };
      const log = (await textOf((gold[0] ?? noop).log)).slice(-400);
      const { tests, ...check } = checkOf(problem, { noop, gold }, outcomes, log);
      return {
        ...check,
        lists: await blobs.put(JSON.stringify(tests)),
        outcomes: await blobs.put(JSON.stringify(outcomes)),
      };
    },
  };
}
