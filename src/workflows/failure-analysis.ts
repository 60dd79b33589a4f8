import {
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { JudgedOne } from '../activities/failure-analysis';
import {
  type FailureAnalysisCarry,
  FailureAnalysisInput,
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
  queuesUnder,
} from '../contract';
import { AnalysisRun } from './durable/analysis-run';
import { publish } from './durable/attributes';
import { evaluationStore } from './durable/evaluation-activities';
import { failureStore, judgingActivities } from './durable/failure-activities';
import { failureDetails } from './durable/failure-details';
import { checked } from './durable/input';

const progressQuery = defineQuery<FailureAnalysisProgress>('progress');

/** Why unresolved rollouts failed (OEC, section 4.4 and appendix D): a judge reads the last turns of each and names one of ten causes. */
export async function failureAnalysis(raw: FailureAnalysisInput): Promise<FailureAnalysisResult> {
  const { carry, ...input } = checked(FailureAnalysisInput, raw, 'failureAnalysis');
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const queues = queuesUnder(taskQueue);
  const state: FailureAnalysisCarry = carry ?? {
    plan: null,
    window: { next: 0, concurrency: input.concurrency, paused: false },
    pages: [],
    judged: 0,
    counts: {},
    cost: { usd: 0, tokens: 0 },
    ...(input.costUsd === undefined ? {} : { costUsd: input.costUsd }),
  };
  let phase = 'Planning';
  let waiting: string | undefined;
  const run = new AnalysisRun(state, {
    name: `failureAnalysis ${firstExecutionRunId}`,
    waiting: (reason) => {
      waiting = reason;
      publish({ Phase: reason === undefined ? phase : reason === 'paused' ? 'Paused' : 'Parked' });
      show();
    },
  });
  setHandler(progressQuery, progress, { description: 'Where the analysis is and what it has used.' });

  const { judge, lastTurns, sources, methods, seed } = input;
  const builtin = judge.startsWith('builtin:');
  const { ownQueue } = await evaluationStore.checkProfiles.executeWithOptions({ summary: `judge: ${judge}` }, [
    { profiles: builtin ? [] : [judge], ...(input.costUsd === undefined ? {} : { capUsd: input.costUsd }) },
  ]);
  state.plan ??= await failureStore.planFailures.executeWithOptions({ summary: 'which rollouts are unresolved' }, [
    { sources, methods, seed },
  ]);
  const { plan, unresolved } = state.plan;
  if (!carry) {
    publish({ InstanceId: `${unresolved} unresolved`, Student: judge });
    upsertMemo({ unresolved, judge });
  }
  const judging = judgingActivities(ownQueue.includes(judge) ? queues.model(judge) : taskQueue);

  enter('Judging');
  const rest = await run.each(
    unresolved,
    (at) =>
      judging.judgeFailure.executeWithOptions({ summary: `rollout ${at + 1} of ${unresolved}` }, [
        { run: firstExecutionRunId, plan, at, judge, lastTurns, ...run.budget },
      ]),
    note,
  );
  if (rest === 'full') return await continueAsNew<typeof failureAnalysis>({ ...input, carry: state });

  enter('Concluding');
  const result = await failureStore.concludeFailures.executeWithOptions({ summary: 'tables and README' }, [
    { id: workflowId, input, plan, pages: state.pages },
  ]);
  upsertMemo({ folder: result.folder });
  phase = 'Done';
  publish({ Phase: phase, Outcome: rest === 'abandoned' ? 'partial' : 'complete', CostUsd: result.cost.usd });
  show();
  return result;

  function note({ category }: JudgedOne): void {
    state.judged += 1;
    if (category) state.counts[category] = (state.counts[category] ?? 0) + 1;
    show();
  }

  function enter(name: string): void {
    phase = name;
    publish({ Phase: name, Step: state.judged });
    show();
  }

  function show(): void {
    setCurrentDetails(
      failureDetails({ input, progress: progress(), counts: state.counts, ...(waiting ? { waiting } : {}) }),
    );
  }

  function progress(): FailureAnalysisProgress {
    const { judged, cost, window, plan: known } = state;
    return { phase, unresolved: known?.unresolved ?? 0, judged, inFlight: run.inFlight, cost, paused: window.paused };
  }
}
