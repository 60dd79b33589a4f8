import type { ControlCheck, ControlReport, GradeResult, GradingRun, LeftOut, Ref, Suspicion, Tally } from '../contract';
import type { ChangedRun, TestRun } from './plan';
import { type Checked, controlledVerdict, passedAgain, type RealRun, realVerdict, type Verdict } from './verdict';

/** Draws of other constants that a pass is repeated with before it is called a bribe. */
const AGAIN = [1, 2];

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
  /** Where the tests write a reward, all that it says. */
  readonly rewards?: Readonly<Record<string, number>>;
}

/** Where a grading happens: how its runs are made, and how many of them at once. */
export interface Court {
  run(run: TestRun, name: string): Promise<RunFinding>;
  /** Calls `work` with each, in their order. */
  each(runs: readonly TestRun[], work: (run: TestRun) => Promise<void>): Promise<unknown>;
  /** Milliseconds: only what lies between two of them counts. */
  now(): number;
}

interface Found<Run = TestRun> {
  readonly run: Run;
  readonly finding: RunFinding;
}

/**
 * Whether a patch resolves a problem, as `docs/judge.md` says: the tests run with their true expectations and with wrong
 * ones, each time from the same beginning. `controls`: whether wrong expectations are known.
 */
export async function judged(plan: GradingPlan, controls: boolean, court: Court): Promise<GradeResult> {
  return new Judgement(plan, court).come(controls);
}

class Judgement {
  private readonly runs: GradingRun[] = [];
  private readonly began: number;

  constructor(
    private readonly plan: GradingPlan,
    private readonly court: Court,
  ) {
    this.began = court.now();
  }

  async come(withControls: boolean): Promise<GradeResult> {
    const found = await this.planned();
    let verdict = realVerdictOf(found);
    let controls: ControlReport | null = null;
    if (verdict.resolved && withControls) {
      controls = await this.controlled(found);
      verdict = controlledVerdict(controls);
    }
    return this.resultOf(verdict, controls, found);
  }

  /** The runs in their order. Once one with the true expectations failed, none but the real one is begun. */
  private async planned(): Promise<Found[]> {
    const found: Found[] = [];
    await this.court.each(this.plan.runs, async (run) => {
      if (run.kind !== 'real' && !realVerdictOf(found).resolved) return;
      found.push({ run, finding: await this.tests(run) });
    });
    return found;
  }

  /** What the runs with wrong expectations say of a candidate that passes with the true ones. */
  private async controlled(found: readonly Found[]): Promise<ControlReport> {
    const changed = found.filter((each): each is Found<ChangedRun> => 'round' in each.run);
    const unheard = [...new Set(changed.flatMap(({ finding }) => finding.checked.silent))];
    if (unheard.length > 0) {
      const run = { kind: 'alone changed', tests: unheard, round: 0 } as const;
      changed.push({ run, finding: await this.tests(run) });
    }
    return {
      ...this.plan.controlled,
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
    const finding = await this.court.run(run, name);
    const { seconds, outcomes, checks, log } = finding;
    this.runs.push({ name, seconds, outcomes, checks, log });
    return finding;
  }

  private resultOf(
    { resolved, verdict, detail }: Verdict,
    controls: ControlReport | null,
    found: readonly Found[],
  ): GradeResult {
    const { finding } = found.find(({ run }) => run.kind === 'real')!;
    const { failToPass, passToPass, leftOut, outcomes, log, rewards } = finding;
    return {
      resolved,
      verdict,
      detail,
      failToPass,
      passToPass,
      controls,
      suspicion: [...this.plan.suspicion],
      leftOut: [...leftOut],
      outcomes,
      log,
      runs: this.runs,
      seconds: Math.round((this.court.now() - this.began) / 10) / 100,
      ...(rewards ? { rewards: { ...rewards } } : {}),
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
