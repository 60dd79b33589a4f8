import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Asking } from '../../activities/evaluation/answer';
import type { Settled } from '../../activities/evaluation/evaluation';
import {
  type EvaluationCarry,
  EvaluationInput,
  type EvaluationProgress,
  type EvaluationResult,
  type EvaluationStatus,
  queuesUnder,
  type Ref,
} from '../../contract';
import { publish } from '../durable/attributes';
import { Compensations } from '../durable/compensations';
import { isCancellation } from '../durable/failures';
import { checked } from '../durable/input';
import { OutcomePages } from '../durable/outcome-pages';
import { Phase } from '../durable/phase';
import { type ModelQueue, modelQueue } from '../durable/retry';
import { type Rest, SlidingWindow } from '../durable/sliding-window';
import { Steering, takeCostCap } from '../durable/steering';
import { evaluationStore, judgeActivities } from './activities';
import { Candidates } from './candidate';

const progressQuery = defineQuery<EvaluationProgress>('progress');

/**
 * PASS@k and self-repair of a solver on function problems (R2E, section 5). Every sample of every problem is asked for and run
 * in a fresh container, many at once; then what no sample solved is repaired in conversations that say what was seen. Samples
 * go round by round over all problems, so that an evaluation that is ended early says something of each.
 */
export async function evaluation(raw: EvaluationInput): Promise<EvaluationResult> {
  return new Evaluation(checked(EvaluationInput, raw, 'evaluation')).run();
}

class Evaluation {
  /** All that the next run goes on with. */
  private readonly state: EvaluationCarry;
  private readonly phase = new Phase('Starting', () => this.show());
  private readonly steering: Steering;
  private readonly window: SlidingWindow;
  private readonly pages: OutcomePages;
  private readonly info = workflowInfo();
  private readonly owner = { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId };
  private readonly queues = queuesUnder(this.info.taskQueue);
  private recent: Settled[] = [];
  private continuing = false;

  constructor(private readonly input: EvaluationInput) {
    this.state = input.carry ?? {
      set: null,
      repairs: null,
      window: { next: 0, concurrency: input.concurrency, paused: false },
      pages: [],
      done: 0,
      passed: 0,
      cost: { usd: 0, tokens: 0 },
      costUsd: input.costUsd,
    };
    this.steering = new Steering(this.state.window, this.phase);
    this.window = new SlidingWindow(this.state.window, this.steering);
    this.pages = new OutcomePages(this.state.pages, 'outcomes');
    setHandler(progressQuery, () => this.progress(), { description: 'Where the evaluation is and what it has used.' });
  }

  async run(): Promise<EvaluationResult> {
    const { state, input } = this;
    // A person may steer a run that has not begun.
    this.steering.listen();
    takeCostCap(state, 'this evaluation was started without a cap of its own');
    const solverQueue = await this.solverQueue();
    state.set ??= await evaluationStore.openProblemSet.executeWithOptions({ summary: labelOf(input) }, [
      { problems: input.problems, only: input.only },
    ]);
    const { problemSet, problems } = state.set;
    if (!input.carry) {
      publish({ InstanceId: labelOf(input), Student: input.solver });
      upsertMemo({ problems, samples: input.samples, context: input.context });
    }
    try {
      const rest = await this.work(this.candidates(solverQueue, state.set), state.set);
      await this.turnPage();
      if (rest === 'full') {
        this.continuing = true;
        return await continueAsNew<typeof evaluation>({ ...input, carry: state });
      }
      return await this.conclude(STATUS[rest], problemSet);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(async () => {
        await this.turnPage();
        upsertMemo({ result: await this.conclude('cancelled', problemSet) });
      });
      throw error;
    } finally {
      if (!this.continuing) await this.release();
    }
  }

  /** Where the solver is asked. Throws `InvalidInput` for one that cannot be, or not under the cap. */
  private async solverQueue(): Promise<ModelQueue> {
    const { input, queues } = this;
    const profiles = input.solver.startsWith('builtin:') ? [] : [input.solver];
    const capUsd = input.costUsd ?? input.budget?.capUsd;
    const summary = `model: ${input.solver}`;
    const checked = await evaluationStore.checkProfiles.executeWithOptions({ summary }, [{ profiles, capUsd }]);
    return modelQueue(queues, checked, input.solver);
  }

  private candidates(solverQueue: ModelQueue, { problemSet, problems }: ProblemSet): Candidates {
    const { input, owner, queues, state, steering, window } = this;
    return new Candidates({
      input,
      owner,
      queues,
      solverQueue,
      problemSet,
      problems,
      steering,
      asking: () => this.asking(),
      spent: ({ usd, tokens }) => {
        state.cost.usd += usd;
        state.cost.tokens += tokens;
      },
      exhausted: () => window.stop(),
    });
  }

  /** Samples, then repairs; each as far as the window goes. */
  private async work(candidates: Candidates, { problemSet, problems }: ProblemSet): Promise<Rest> {
    const { state, input, window, phase } = this;
    if (!state.repairs) {
      phase.enter('Sampling');
      const rest = await window.run(problems * input.samples, async (unit) => {
        const place = { at: unit % problems, sample: Math.floor(unit / problems), repair: 0 };
        await this.settle(await candidates.solve(place, []));
      });
      if (rest !== 'done' || input.repairs === 0) return rest;
      await this.turnPage();
      state.repairs = await evaluationStore.planRepairs.executeWithOptions({ summary: 'what no sample solved' }, [
        { problemSet, pages: state.pages },
      ]);
      state.window.next = 0;
    }
    phase.enter('Repairing');
    const { plan, problems: unsolved } = state.repairs;
    return window.run(unsolved, async (unit) => {
      const start = await evaluationStore.repairAt({ plan, unit });
      for await (const settled of candidates.repair(start.at, start.sample, start.outcome)) await this.settle(settled);
    });
  }

  private async settle(settled: Settled | undefined): Promise<void> {
    if (!settled) return;
    const { state, pages } = this;
    pages.add(settled.outcome);
    state.done += 1;
    state.passed += settled.passed ? 1 : 0;
    this.recent = [...this.recent, settled].slice(-8);
    if (pages.full) await this.turnPage();
    this.show();
  }

  private turnPage(): Promise<void> {
    const { pages, state } = this;
    return pages.turn(() => publish({ Step: state.done, CostUsd: state.cost.usd }));
  }

  private async conclude(status: EvaluationStatus, problemSet: Ref): Promise<EvaluationResult> {
    const { state, input, recent } = this;
    const { solver, context, planFirst, samples, k, repairs, seed } = input;
    const asked = { solver, context, planFirst, samples, k, repairs, seed };
    const concluded = await evaluationStore.concludeEvaluation.executeWithOptions({ summary: 'figures and report' }, [
      { ...asked, status, problemSet, pages: state.pages },
    ]);
    const result = { id: this.owner.workflowId, ...concluded };
    upsertMemo({ passAtK: result.passAtK.map(({ k: drawn, estimate }) => ({ k: drawn, value: estimate.value })) });
    this.phase.enter('Done', { Outcome: status, Step: state.done, CostUsd: state.cost.usd });
    setCurrentDetails(evaluationDetails({ input, progress: this.progress(), recent, result }));
    return result;
  }

  /** Images of this run that candidates started from. Those of other hosts are the janitor's. */
  private async release(): Promise<void> {
    const { owner } = this;
    const summary = 'images of this run are removed';
    await new Compensations([{ kind: 'leftovers' }], (records) =>
      judgeActivities(this.queues).undo.executeWithOptions({ summary }, [{ owner, records }]),
    ).run();
  }

  private asking(): Asking {
    const { solver, context, planFirst, temperature, topP, seed, budget } = this.input;
    const { costUsd } = this.state;
    const own = costUsd === undefined ? undefined : { name: `evaluation ${this.owner.firstRunId}`, capUsd: costUsd };
    return { solver, context, planFirst, temperature, topP, seed, budget: budget ?? own };
  }

  private show(): void {
    const { input, recent, phase } = this;
    setCurrentDetails(evaluationDetails({ input, progress: this.progress(), recent, waiting: phase.reason }));
  }

  private progress(): EvaluationProgress {
    const { state, window, phase, input } = this;
    return {
      phase: phase.name,
      candidates: (state.set?.problems ?? 0) * input.samples,
      toRepair: state.repairs?.problems ?? null,
      done: state.done,
      passed: state.passed,
      inFlight: window.inFlight,
      concurrency: state.window.concurrency,
      cost: state.cost,
      paused: state.window.paused,
    };
  }
}

type ProblemSet = NonNullable<EvaluationCarry['set']>;

const STATUS: Readonly<Record<Exclude<Rest, 'full'>, EvaluationStatus>> = {
  done: 'complete',
  stopped: 'budget_exhausted',
  abandoned: 'abandoned',
};

/** The file that the problems came from, for lists. */
function labelOf({ problems }: EvaluationInput): string {
  const name = typeof problems === 'string' ? problems.split('/').slice(-2).join('/') : problems.sha256.slice(0, 12);
  return name.slice(-120);
}

interface ShownEvaluation {
  readonly input: EvaluationInput;
  readonly progress: EvaluationProgress;
  /** The last outcomes. */
  readonly recent: readonly Settled[];
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
  readonly result?: EvaluationResult;
}

/** Markdown for the Temporal UI's "Current Details". */
function evaluationDetails({ input, progress, recent, waiting, result }: ShownEvaluation): string {
  const { phase, candidates, toRepair, done, passed, inFlight, cost } = progress;
  const share = result?.passAtK.map(({ k, estimate }) => `PASS@${k} ${percent(estimate.value)}`).join(', ');
  return [
    `**${input.solver}** — ${result ? `${result.status}: ${share}` : (waiting ?? phase)}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${done} candidates done, ${passed} of them passed; ${candidates} first answers are asked for` +
      `${toRepair === null ? '' : `, then ${toRepair} problems are repaired`}. ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(recent.length > 0 ? ['```', ...recent.map(line), '```', ''] : []),
    `In full: \`pointsman evaluation show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** The UI cuts long lines of a code block off without a sign. */
function line({ verdict, problem }: Settled): string {
  return `${verdict.replaceAll('_', ' ').padEnd(11)} ${problem.length > 60 ? `…${problem.slice(-59)}` : problem}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
