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
} from '../contract';
import { AnalysisRun, beginAnalysis } from './durable/analysis-run';
import { publish } from './durable/attributes';
import { failureStore, judgingActivities } from './durable/failure-activities';
import { failureDetails } from './durable/failure-details';
import { checked } from './durable/input';

const progressQuery = defineQuery<FailureAnalysisProgress>('progress');

/** Why unresolved rollouts failed (OEC, section 4.4 and appendix D): a judge reads the last turns of each and names one of ten causes. */
export async function failureAnalysis(raw: FailureAnalysisInput): Promise<FailureAnalysisResult> {
  const { carry, ...input } = checked(FailureAnalysisInput, raw, 'failureAnalysis');
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const state: FailureAnalysisCarry = carry ?? { plan: null, ...beginAnalysis(input), judged: 0, counts: {} };
  const run = new AnalysisRun(state, show);
  setHandler(progressQuery, progress, { description: 'Where the analysis is and what it has used.' });

  const { judge, lastTurns, sources, methods, seed } = input;
  const judging = judgingActivities(await run.queueOf(judge, `judge: ${judge}`));
  state.plan ??= await failureStore.planFailures.executeWithOptions({ summary: 'which rollouts are unresolved' }, [
    { sources, methods, seed },
  ]);
  const { plan, unresolved } = state.plan;
  if (!carry) {
    publish({ InstanceId: `${unresolved} unresolved`, Student: judge });
    upsertMemo({ unresolved, judge });
  }

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
  run.phase.enter('Done', { Outcome: rest === 'abandoned' ? 'partial' : 'complete', CostUsd: result.cost.usd });
  return result;

  function note({ category }: JudgedOne): void {
    state.judged += 1;
    if (category) state.counts[category] = (state.counts[category] ?? 0) + 1;
    show();
  }

  function enter(name: string): void {
    run.phase.enter(name, { Step: state.judged });
  }

  function show(): void {
    const { waiting } = run.phase;
    setCurrentDetails(
      failureDetails({ input, progress: progress(), counts: state.counts, ...(waiting ? { waiting } : {}) }),
    );
  }

  function progress(): FailureAnalysisProgress {
    const { judged, cost, window, plan: known } = state;
    const about = { phase: run.phase.name, unresolved: known?.unresolved ?? 0, judged };
    return { ...about, inFlight: run.inFlight, cost, paused: window.paused };
  }
}
