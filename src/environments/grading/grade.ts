import { type GradeInput, type GradeResult, PointsmanError, type Problem, type Ref } from '../../contract';
import type { Controls } from '../../grading/controls';
import { openInlineTests } from '../../grading/inline-tests';
import { type GradingPlan, judged, type RunFinding } from '../../grading/judgement';
import { controlledOf, drawnFor, planRuns, type TestRun } from '../../grading/plan';
import { suspicionsIn } from '../../grading/suspicion';
import { withVariants } from '../../grading/variants';
import { checkedBy, checksOf, tallyOf } from '../../grading/verdict';
import type { Owner } from '../../sandbox/labels';
import type { Guest } from '../../sandbox/sandbox';
import type { Problems } from '../../store/problems';
import { type Lab, runTests, type Scope } from './run-tests';

export interface GradingLab extends Lab {
  readonly problems: Pick<Problems, 'kept'>;
}

export interface GradingSubject {
  readonly owner: Owner;
  readonly problem: Ref;
  readonly patch: Ref;
  /** What is known of the problem's tests; null runs them with their true expectations only. */
  readonly controls: Ref | null;
  /** Draws the sample, the order and the constants. */
  readonly seed: string;
}

/** The runs of a grading, and what a reader of the patch notices. The seed draws the same again. */
export async function planGrading(
  { blobs, problems }: Pick<GradingLab, 'blobs' | 'problems'>,
  input: GradingSubject & { readonly which: GradeInput['controls'] },
): Promise<GradingPlan> {
  const problem = await problems.kept(input.problem);
  if (problem.tests.at !== undefined) {
    throw new PointsmanError(
      'InvalidInput',
      `${problem.id} is judged in the sandbox that an agent leaves: there is no patch to judge, and the sandbox is gone`,
      'Run a rollout of it.',
    );
  }
  const controls = await controlsAt(blobs, input.controls);
  const inline = await openInlineTests();
  const patch = (await blobs.get(input.patch.sha256)).toString('utf8');
  return {
    runs: planRuns(controls, input.seed, input.which),
    suspicion: suspicionsIn(patch, {
      ids: [...problem.tests.failToPass, ...problem.tests.passToPass],
      // Where code stands beside them it is the reference's.
      tests: (controls?.files ?? []).map((file) => (inline.areIn(file) ? inline.only(file.text) : file.text)),
    }).slice(0, NOTICED),
    controlled: controlledOf(problem.tests, controls),
  };
}

/** One run of a problem's tests on a patch, in a fresh sandbox. Throws for outages; a verdict is never one. */
export async function runGrading(
  lab: GradingLab,
  input: GradingSubject & { readonly run: TestRun; readonly role: string; readonly solved?: boolean },
  signal: AbortSignal,
): Promise<RunFinding> {
  const { blobs, problems } = lab;
  const problem = await problems.kept(input.problem);
  const controls = await controlsAt(blobs, input.controls);
  const { owner, role, run } = input;
  const drawn = controls ? drawnFor(controls, run, input.seed) : [];
  const { files, dropped } = withVariants(controls?.files ?? [], drawn);
  const ran = await runTests(lab, {
    owner,
    role,
    problem,
    patch: (await blobs.get(input.patch.sha256)).toString('utf8'),
    files,
    scope: scopeOf(run, controls),
    timeoutSeconds: timeoutOf(problem, controls),
    solved: input.solved,
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
    ...(ran.rewards ? { rewards: ran.rewards } : {}),
  };
}

async function controlsAt(blobs: GradingLab['blobs'], ref: Ref | null): Promise<Controls | null> {
  return ref && (JSON.parse((await blobs.get(ref.sha256)).toString('utf8')) as Controls);
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

/** The verdict of tests on a sandbox as an agent left it, with what still runs there. Throws for outages. */
export async function judgeSandbox(
  { blobs, problems, image }: GradingLab,
  { owner, problem, sandbox }: { readonly owner: Owner; readonly problem: Ref; readonly sandbox: Guest },
  signal: AbortSignal,
): Promise<GradeResult> {
  const lab = { blobs, problems, image, sandboxes: { claim: async () => sandbox, remove: async () => {} } };
  const subject = { owner, problem, patch: await blobs.put(''), controls: null, seed: '' };
  const plan: GradingPlan = { runs: [{ kind: 'real' }], suspicion: [], controlled: { tests: 0, of: 0, kinds: {} } };
  return judged(plan, false, {
    run: (run) => runGrading(lab, { ...subject, run, role: '' }, signal),
    each: (runs, work) => Promise.all(runs.map(work)),
    now: () => Date.now(),
  });
}
