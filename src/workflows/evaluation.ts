import {
  CancellationScope,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Settled } from '../activities/evaluation';
import {
  type EvaluationCarry,
  EvaluationInput,
  type EvaluationProgress,
  type EvaluationResult,
  type EvaluationStatus,
  queuesUnder,
} from '../contract';
import { publish } from './durable/attributes';
import { takeCostCap } from './durable/cost-cap';
import { evaluationStore, judgeActivities } from './durable/evaluation-activities';
import { Candidates } from './durable/evaluation-candidate';
import { evaluationDetails } from './durable/evaluation-details';
import { isCancellation } from './durable/failures';
import { checked } from './durable/input';
import { OutcomePages } from './durable/outcome-pages';
import { Phase } from './durable/phase';
import { type Rest, SlidingWindow } from './durable/sliding-window';

const progressQuery = defineQuery<EvaluationProgress>('progress');

/**
 * PASS@k and self-repair of a solver on function problems (R2E, section 5). Every sample of every problem is asked for and run
 * in a fresh container, many at once; then what no sample solved is repaired in conversations that say what was seen. Samples
 * go round by round over all problems, so that an evaluation that is ended early says something of each.
 */
export async function evaluation(raw: EvaluationInput): Promise<EvaluationResult> {
  const input = checked(EvaluationInput, raw, 'evaluation');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const queues = queuesUnder(taskQueue);
  const state: EvaluationCarry = input.carry ?? {
    set: null,
    repairs: null,
    window: { next: 0, concurrency: input.concurrency, paused: false },
    pages: [],
    done: 0,
    passed: 0,
    cost: { usd: 0, tokens: 0 },
    ...(input.costUsd === undefined ? {} : { costUsd: input.costUsd }),
  };
  const phase = new Phase('Starting', show);
  const pages = new OutcomePages(state.pages, 'outcomes');
  let recent: Settled[] = [];
  let continuing = false;
  const window = new SlidingWindow(state.window, (reason) => phase.wait(reason));
  setHandler(progressQuery, progress, { description: 'Where the evaluation is and what it has used.' });
  takeCostCap(state, 'this evaluation was started without a cap of its own');

  // Handlers stand from here on: a person may steer a run that has not begun.
  const builtin = input.solver.startsWith('builtin:');
  const capUsd = input.costUsd ?? input.budget?.capUsd;
  const { ownQueue } = await evaluationStore.checkProfiles.executeWithOptions({ summary: `model: ${input.solver}` }, [
    { profiles: builtin ? [] : [input.solver], ...(capUsd === undefined ? {} : { capUsd }) },
  ]);
  state.set ??= await evaluationStore.openProblemSet.executeWithOptions({ summary: labelOf(input) }, [
    { problems: input.problems, only: input.only },
  ]);
  const { problemSet, problems } = state.set;
  if (!input.carry) {
    publish({ InstanceId: labelOf(input), Student: input.solver });
    upsertMemo({ problems, samples: input.samples, context: input.context });
  }
  const candidates = new Candidates({
    input,
    owner,
    queues,
    solverQueue: ownQueue.includes(input.solver) ? queues.model(input.solver) : queues.workflows,
    problemSet,
    problems,
    window,
    asking,
    spent: ({ usd, tokens }) => {
      state.cost.usd += usd;
      state.cost.tokens += tokens;
    },
    exhausted: () => window.stop(),
  });

  try {
    const rest = await work();
    await turnPage();
    if (rest === 'full') {
      continuing = true;
      return await continueAsNew<typeof evaluation>({ ...input, carry: state });
    }
    return await conclude(STATUS[rest]);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await turnPage();
      upsertMemo({ result: await conclude('cancelled') });
    });
    throw error;
  } finally {
    if (!continuing) await CancellationScope.nonCancellable(release);
  }

  /** Images of this run that candidates started from. Those of other hosts are the janitor's. */
  async function release(): Promise<void> {
    await judgeActivities(queues).releaseSandbox.executeWithOptions({ summary: 'images of this run go' }, [{ owner }]);
  }

  /** Samples, then repairs; each as far as the window goes. */
  async function work(): Promise<Rest> {
    if (!state.repairs) {
      phase.enter('Sampling');
      const rest = await window.run(problems * input.samples, async (unit) => {
        const place = { at: unit % problems, sample: Math.floor(unit / problems), repair: 0 };
        await settle(await candidates.solve(place, []));
      });
      if (rest !== 'done' || input.repairs === 0) return rest;
      await turnPage();
      state.repairs = await evaluationStore.planRepairs.executeWithOptions({ summary: 'what no sample solved' }, [
        { problemSet, pages: state.pages },
      ]);
      state.window.next = 0;
    }
    phase.enter('Repairing');
    const { plan, problems: unsolved } = state.repairs;
    return window.run(unsolved, async (unit) => {
      const start = await evaluationStore.repairAt({ plan, unit });
      for await (const settled of candidates.repair(start.at, start.sample, start.outcome)) await settle(settled);
    });
  }

  async function settle(settled: Settled | undefined): Promise<void> {
    if (!settled) return;
    pages.add(settled.outcome);
    state.done += 1;
    state.passed += settled.passed ? 1 : 0;
    recent = [...recent, settled].slice(-8);
    if (pages.full) await turnPage();
    show();
  }

  function turnPage(): Promise<void> {
    return pages.turn(() => publish({ Step: state.done, CostUsd: state.cost.usd }));
  }

  async function conclude(status: EvaluationStatus): Promise<EvaluationResult> {
    const { solver, context, planFirst, samples, k, repairs, seed } = input;
    const asked = { solver, context, planFirst, samples, k, repairs, seed };
    const concluded = await evaluationStore.concludeEvaluation.executeWithOptions({ summary: 'figures and report' }, [
      { ...asked, status, problemSet, pages: state.pages },
    ]);
    const result = { id: workflowId, ...concluded };
    upsertMemo({ passAtK: result.passAtK.map(({ k: drawn, estimate }) => ({ k: drawn, value: estimate.value })) });
    phase.enter('Done', { Outcome: status, Step: state.done, CostUsd: state.cost.usd });
    setCurrentDetails(evaluationDetails({ input, progress: progress(), recent, result }));
    return result;
  }

  function asking() {
    const { solver, context, planFirst, temperature, topP, seed } = input;
    const own =
      state.costUsd === undefined ? undefined : { name: `evaluation ${firstExecutionRunId}`, capUsd: state.costUsd };
    const budget = input.budget ?? own;
    return { solver, context, planFirst, temperature, topP, seed, ...(budget ? { budget } : {}) };
  }

  function show(): void {
    const { waiting } = phase;
    setCurrentDetails(evaluationDetails({ input, progress: progress(), recent, ...(waiting ? { waiting } : {}) }));
  }

  function progress(): EvaluationProgress {
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
