import {
  type ControlCheck,
  type GradeInput,
  type GradeResult,
  PointsmanError,
  type Problem,
  partAt,
  type Ref,
} from '../../contract';
import type { Controls } from '../../grading/controls';
import { openInlineTests } from '../../grading/inline-tests';
import { type GradingPlan, judged, type RunFinding } from '../../grading/judgement';
import { controlledOf, drawnFor, planRuns, type TestRun } from '../../grading/plan';
import { suspicionsIn } from '../../grading/suspicion';
import { withVariants } from '../../grading/variants';
import { checkedBy, checksOf, tallyOf } from '../../grading/verdict';
import type { Owner } from '../../sandbox/labels';
import type { Guest } from '../../sandbox/sandbox';
import type { BlobStore } from '../../store/blobs';
import type { Problems } from '../../store/problems';
import { type Lab, type Ran, runTests, type Scope } from './run-tests';
import { runTrial, type TrialLab, testPart } from './trial';

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
  input: GradingSubject & { readonly run: TestRun; readonly role: string },
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
    signal,
  });
  const known = drawn.filter((each) => !dropped.includes(each));
  return findingOf(blobs, { problem, run, ran, checks: checksOf(known, ran.outcomes), checked: drawn.length > 0 });
}

/** A run as histories carry it. `checked`: whether wrong expectations were among it. */
async function findingOf(
  blobs: BlobStore,
  {
    problem,
    run,
    ran,
    checks,
    checked,
  }: { problem: Problem; run: TestRun; ran: Ran; checks: readonly ControlCheck[]; checked: boolean },
): Promise<RunFinding> {
  const { outcomes } = ran;
  const { failToPass, passToPass } = problem.tests;
  const alone = run.kind === 'alone' ? run.tests : [];
  return {
    ended: ran.ended,
    detail: ran.detail,
    anyTest: ran.anyTest,
    failToPass: tallyOf(failToPass, outcomes),
    passToPass: tallyOf(run.kind === 'real' ? passToPass : [], outcomes),
    failedAlone: tallyOf(alone, outcomes).missing,
    checked: checkedBy(checks),
    leftOut: ran.leftOut,
    outcomes: await blobs.put(JSON.stringify(outcomes)),
    checks: checked ? await blobs.put(JSON.stringify(checks)) : null,
    log: await blobs.put(ran.log),
    seconds: ran.seconds,
    ...(ran.rewards ? { rewards: ran.rewards } : {}),
  };
}

/** A run for a check: as above, or the whole trial of a problem that is judged where an agent worked. */
export async function runCheck(
  lab: GradingLab & TrialLab,
  input: Parameters<typeof runGrading>[1] & { readonly solved?: boolean },
  signal: AbortSignal,
): Promise<RunFinding> {
  const problem = await lab.problems.kept(input.problem);
  if (problem.tests.at === undefined) return runGrading(lab, input, signal);
  const patch = (await lab.blobs.get(input.patch.sha256)).toString('utf8');
  const ran = await runTrial(lab, { ...input, problem, patch, signal });
  return findingOf(lab.blobs, { problem, run: REAL, ran, checks: [], checked: false });
}

const REAL = { kind: 'real' } as const;

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

/** The verdict of a part's tests on a sandbox as an agent left it, with what still runs there. Throws for outages. */
export async function judgeSandbox(
  lab: GradingLab & TrialLab,
  input: { readonly owner: Owner; readonly problem: Ref; readonly part: number; readonly sandbox: Guest },
  signal: AbortSignal,
): Promise<GradeResult> {
  const { blobs, problems } = lab;
  const { owner, sandbox } = input;
  const problem = partAt(await problems.kept(input.problem), input.part);
  const plan: GradingPlan = { runs: [REAL], suspicion: [], controlled: { tests: 0, of: 0, kinds: {} } };
  return judged(plan, false, {
    async run(run) {
      const ran = await testPart(lab, { owner, problem, signal }, sandbox);
      return findingOf(blobs, { problem, run, ran, checks: [], checked: false });
    },
    each: (runs, work) => Promise.all(runs.map(work)),
    now: () => performance.now(),
  });
}
