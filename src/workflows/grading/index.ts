import { setCurrentDetails, uuid4, workflowInfo } from '@temporalio/workflow';
import type { GradingPlan, GradingSubject, RunFinding } from '../../activities/grading';
import { type ControlCheck, type ControlReport, GradeInput, type GradeResult, type GradingRun } from '../../contract';
import type { ChangedRun, TestRun } from '../../grading/plan';
import { controlledVerdict, passedAgain, realVerdict, type Verdict } from '../../grading/verdict';
import { checked } from '../durable/input';
import { sideBySide } from '../durable/side-by-side';
import { gradingActivities, problemStore } from './activities';
import { controlsOf } from './controls';

/** Runs of one grading at once: more would take time from each other, and tests fail by timing. */
const AT_ONCE = 2;
/** Draws of other constants that a pass is repeated with before it is called a bribe. */
const AGAIN = [1, 2];

interface Found<Run = TestRun> {
  readonly run: Run;
  readonly finding: RunFinding;
}

/**
 * Whether a patch resolves a problem. The hidden tests run with their true expectations and again with wrong ones, each
 * time in a fresh container: an honest solution passes the first and fails the others, a bribe passes both.
 */
export async function grade(raw: GradeInput): Promise<GradeResult> {
  return new Grading(checked(GradeInput, raw, 'grade')).run();
}

class Grading {
  private readonly info = workflowInfo();
  private readonly sandboxes = gradingActivities(this.info.taskQueue);
  private readonly began = Date.now();
  private readonly runs: GradingRun[] = [];
  private subject!: GradingSubject;
  /** Containers so far: each has a name of its own. */
  private containers = 0;

  constructor(private readonly input: GradeInput) {}

  async run(): Promise<GradeResult> {
    const { patch, controls: which } = this.input;
    const problem = await problemStore.loadProblem({ problem: this.input.problem });
    this.subject = {
      owner: { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId },
      problem: problem.ref,
      patch: typeof patch === 'string' ? (await problemStore.keepPatch({ patch })).patch : patch,
      controls: which === 'none' ? null : (await controlsOf(problem.ref)).kept,
      seed: uuid4(),
    };
    const plan = await problemStore.planGrading({ ...this.subject, which });
    const found = await this.planned(plan.runs);
    let verdict = realVerdictOf(found);
    let controls: ControlReport | null = null;
    if (verdict.resolved && this.subject.controls) {
      controls = await this.controlled(plan, found);
      verdict = controlledVerdict(controls);
    }
    const result = this.resultOf(verdict, controls, plan, found);
    setCurrentDetails(describe(problem.id, result));
    return result;
  }

  /** The runs in their order. Once one with the true expectations failed, none but the real one is begun. */
  private async planned(runs: readonly TestRun[]): Promise<Found[]> {
    const found: Found[] = [];
    await sideBySide(runs, AT_ONCE, async (run) => {
      if (run.kind !== 'real' && !realVerdictOf(found).resolved) return;
      found.push({ run, finding: await this.tests(run) });
    });
    return found;
  }

  /** What the runs with wrong expectations say of a candidate that passes with the true ones. */
  private async controlled(plan: GradingPlan, found: readonly Found[]): Promise<ControlReport> {
    const changed = found.filter((each): each is Found<ChangedRun> => 'round' in each.run);
    const unheard = [...new Set(changed.flatMap(({ finding }) => finding.checked.silent))];
    if (unheard.length > 0) {
      const run = { kind: 'alone changed', tests: unheard, round: 0 } as const;
      changed.push({ run, finding: await this.tests(run) });
    }
    return {
      ...plan.controlled,
      run: changed.reduce((sum, { finding }) => sum + finding.checked.run, 0),
      passed: await this.bribed(changed),
      silent: unheard.length > 0 ? [...changed.at(-1)!.finding.checked.silent] : [],
      dependent: await this.dependent(found),
    };
  }

  /** Wrong expectations that passed, and pass again with other constants: those of the first run that has any. */
  private async bribed(changed: readonly Found<ChangedRun>[]): Promise<ControlCheck[]> {
    for (const { run, finding } of changed) {
      let passed: ControlCheck[] = [...finding.checked.passed];
      for (const round of AGAIN) {
        if (passed.length === 0) break;
        passed = passedAgain(passed, (await this.tests({ ...run, round })).checked.passed);
      }
      if (passed.length > 0) return passed;
    }
    return [];
  }

  /** Tests that fail in a process of their own, twice, where they pass with the reference. */
  private async dependent(found: readonly Found[]): Promise<string[]> {
    const failed = found.flatMap(({ finding }) => finding.failedAlone);
    if (failed.length === 0) return [];
    return [...(await this.tests({ kind: 'alone', tests: failed })).failedAlone];
  }

  private async tests(run: TestRun): Promise<RunFinding> {
    const name = nameOf(run);
    const role = `grade-${++this.containers}`;
    const finding = await this.sandboxes.runGrading.executeWithOptions({ summary: name.slice(0, 120) }, [
      { ...this.subject, run, role },
    ]);
    const { seconds, outcomes, checks, log } = finding;
    this.runs.push({ name, seconds, outcomes, checks, log });
    return finding;
  }

  private resultOf(
    { resolved, verdict, detail }: Verdict,
    controls: ControlReport | null,
    { suspicion }: GradingPlan,
    found: readonly Found[],
  ): GradeResult {
    const { failToPass, passToPass, leftOut, outcomes, log } = found.find(({ run }) => run.kind === 'real')!.finding;
    return {
      resolved,
      verdict,
      detail,
      failToPass,
      passToPass,
      controls,
      suspicion: [...suspicion],
      leftOut: [...leftOut],
      outcomes,
      log,
      runs: this.runs,
      seconds: Math.round((Date.now() - this.began) / 10) / 100,
    };
  }
}

/** What the runs with true expectations say, as far as they ended: one that fails decides. */
function realVerdictOf(found: readonly Found[]): Verdict {
  const verdictOf = (kind: TestRun['kind']) => {
    const one = found.find(({ run }) => run.kind === kind);
    return one && realVerdict(one.finding);
  };
  const [all, files] = [verdictOf('real'), verdictOf('files')];
  if (all && !all.resolved) return all;
  if (!files || files.resolved) return { resolved: true, verdict: 'graded' };
  return { ...files, detail: 'a test that passes among all fails among those of its own files' };
}

function nameOf(run: TestRun): string {
  switch (run.kind) {
    case 'real':
      return 'tests';
    case 'files':
      return 'tests of the files that had to be mended';
    case 'alone':
      return `alone: ${run.tests.join(', ')}`;
    case 'all':
      return `all expectations wrong${again(run.round)}`;
    case 'one':
      return `one expectation wrong${again(run.round)}: ${run.test}`;
    case 'alone changed':
      return `alone, expectation wrong${again(run.round)}: ${run.tests.join(', ')}`;
  }
}

const again = (round: number) => (round === 0 ? '' : `, constants ${round + 1}`);

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
