import type {
  ControlReport,
  GradeInput,
  LeftOut,
  Problem,
  ProblemCheckResult,
  Ref,
  Suspicion,
  Tally,
} from '../../contract';
import type { Deps } from '../../deps';
import type { Controls } from '../../grading/controls';
import { openInlineTests } from '../../grading/inline-tests';
import { controlledOf, drawnFor, planRuns, type TestRun } from '../../grading/plan';
import { suspicionsIn } from '../../grading/suspicion';
import { withVariants } from '../../grading/variants';
import { type Checked, checkedBy, checksOf, type RealRun, tallyOf } from '../../grading/verdict';
import { checkOf } from '../../problems/check';
import type { Outcomes } from '../../problems/outcomes';
import type { Owner } from '../../sandbox/labels';
import { withHeartbeat } from '../heartbeat';
import { runTests, type Scope } from './run-tests';

export interface GradingSubject {
  readonly owner: Owner;
  readonly problem: Ref;
  readonly patch: Ref;
  /** What is known of the problem's tests; null runs them with their true expectations only. */
  readonly controls: Ref | null;
  /** Draws the sample, the order and the constants. */
  readonly seed: string;
}

export interface GradingPlan {
  /** In the order in which they start. */
  readonly runs: readonly TestRun[];
  readonly suspicion: readonly Suspicion[];
  readonly controlled: Pick<ControlReport, 'tests' | 'of' | 'kinds'>;
}

/** A run of the tests as histories carry it: counts, blobs and the first names. */
export interface RunFinding extends RealRun {
  readonly failToPass: Tally;
  readonly passToPass: Tally;
  /** Of tests that had a process of their own those that did not pass in it. */
  readonly failedAlone: readonly string[];
  readonly checked: Checked;
  readonly leftOut: readonly LeftOut[];
  readonly outcomes: Ref;
  /** All that `checked` counts; null for a run with true expectations. */
  readonly checks: Ref | null;
  readonly log: Ref;
  readonly seconds: number;
}

export function createGradingActivities(deps: Deps) {
  const { blobs, problems } = deps;
  const json = async <T>(ref: Ref) => JSON.parse((await blobs.get(ref.sha256)).toString('utf8')) as T;
  const textOf = async (ref: Ref) => (await blobs.get(ref.sha256)).toString('utf8');

  return {
    /** The runs of a grading, and what a reader of the patch notices. Retry-safe: the seed draws the same again. */
    async planGrading(input: GradingSubject & { readonly which: GradeInput['controls'] }): Promise<GradingPlan> {
      const problem = await problems.kept(input.problem);
      const controls = input.controls && (await json<Controls>(input.controls));
      const inline = await openInlineTests();
      return {
        runs: planRuns(controls, input.seed, input.which),
        suspicion: suspicionsIn(await textOf(input.patch), {
          ids: [...problem.tests.failToPass, ...problem.tests.passToPass],
          // Where code stands beside them it is the reference's.
          tests: (controls?.files ?? []).map((file) => (inline.areIn(file) ? inline.only(file.text) : file.text)),
        }).slice(0, NOTICED),
        controlled: controlledOf(problem.tests, controls),
      };
    },

    /**
     * One run of a problem's tests on a patch, in a fresh container without network. Retry-safe: the container is made anew
     * and removed in the end, so a retry repeats everything and keeps nothing. Throws for outages; a verdict is never one.
     */
    async runGrading(input: GradingSubject & { readonly run: TestRun; readonly role: string }): Promise<RunFinding> {
      return withHeartbeat(async (signal) => {
        const problem = await problems.kept(input.problem);
        const controls = input.controls && (await json<Controls>(input.controls));
        const { owner, role, run } = input;
        const drawn = controls ? drawnFor(controls, run, input.seed) : [];
        const { files, dropped } = withVariants(controls?.files ?? [], drawn);
        const ran = await runTests(deps, {
          owner,
          role,
          problem,
          patch: await textOf(input.patch),
          files,
          scope: scopeOf(run, controls),
          timeoutSeconds: timeoutOf(problem, controls),
          signal,
        });
        const { outcomes, ended } = ran;
        const { failToPass, passToPass } = problem.tests;
        const checks = checksOf(
          drawn.filter((each) => !dropped.includes(each)),
          outcomes,
        );
        const alone = run.kind === 'alone' ? run.tests : [];
        return {
          ended,
          detail: ran.detail,
          anyTest: ran.anyTest,
          failToPass: tallyOf(failToPass, outcomes),
          passToPass: tallyOf(run.kind === 'real' ? passToPass : [], outcomes),
          failedAlone: tallyOf(alone, outcomes).missing,
          checked: checkedBy(checks),
          leftOut: ran.leftOut,
          outcomes: await blobs.put(JSON.stringify(outcomes)),
          checks: drawn.length > 0 ? await blobs.put(JSON.stringify(checks)) : null,
          log: await blobs.put(ran.log),
          seconds: ran.seconds,
        };
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

/** Suspicions that a history carries: who has more is looked at anyway. */
const NOTICED = 50;

function scopeOf(run: TestRun, controls: Controls | null): Scope {
  if (run.kind === 'alone' || run.kind === 'alone changed') return { alone: run.tests };
  return controls?.narrowed && run.kind !== 'real' ? { files: controls.files.map(({ path }) => path) } : 'all';
}

/** A machine may be slower than the one that the problem's limit was set on: at least five times what the reference takes. */
function timeoutOf({ tests }: Problem, controls: Controls | null): number {
  return Math.max(tests.timeoutSeconds, 5 * (controls?.seconds ?? 0));
}
