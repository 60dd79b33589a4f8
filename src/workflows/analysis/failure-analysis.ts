import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { createFailureAnalysisActivities, JudgedOne } from '../../activities/analysis/failure-analysis';
import {
  type FailureAnalysisCarry,
  FailureAnalysisInput,
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
} from '../../contract';
import { publish } from '../durable/attributes';
import { checked } from '../durable/input';
import { type ModelQueue, modelCall, STORE } from '../durable/retry';
import { AnalysisRun, beginAnalysis } from './run';

const progressQuery = defineQuery<FailureAnalysisProgress>('progress');

/** Why unresolved rollouts failed (OEC, section 4.4 and appendix D): a judge reads the last turns of each and names one of ten causes. */
export async function failureAnalysis(raw: FailureAnalysisInput): Promise<FailureAnalysisResult> {
  const { carry, ...input } = checked(FailureAnalysisInput, raw, 'failureAnalysis');
  return new FailureAnalysis(input, carry).run();
}

class FailureAnalysis {
  /** All that the next run goes on with. */
  private readonly state: FailureAnalysisCarry;
  private readonly analysis: AnalysisRun;
  private readonly info = workflowInfo();

  constructor(
    private readonly input: FailureAnalysisInput,
    private readonly carry: FailureAnalysisCarry | undefined,
  ) {
    this.state = carry ?? { plan: null, ...beginAnalysis(input), judged: 0, counts: {} };
    this.analysis = new AnalysisRun(this.state, () => this.show());
    setHandler(progressQuery, () => this.progress(), { description: 'Where the analysis is and what it has used.' });
  }

  async run(): Promise<FailureAnalysisResult> {
    const { input, state, analysis } = this;
    const { judge, lastTurns, sources, methods, seed } = input;
    analysis.listen();
    const judging = judgingActivities(await analysis.queueOf(judge, `judge: ${judge}`));
    state.plan ??= await failureStore.planFailures.executeWithOptions({ summary: 'which rollouts are unresolved' }, [
      { sources, methods, seed },
    ]);
    const { plan, unresolved } = state.plan;
    if (!this.carry) {
      publish({ InstanceId: `${unresolved} unresolved`, Student: judge });
      upsertMemo({ unresolved, judge });
    }

    this.enter('Judging');
    const rest = await analysis.each(
      unresolved,
      (at) =>
        judging.judgeFailure.executeWithOptions({ summary: `rollout ${at + 1} of ${unresolved}` }, [
          { run: this.info.firstExecutionRunId, plan, at, judge, lastTurns, budget: analysis.budget },
        ]),
      (judged) => this.note(judged),
    );
    if (rest === 'full') return await continueAsNew<typeof failureAnalysis>({ ...input, carry: state });

    this.enter('Concluding');
    const result = await failureStore.concludeFailures.executeWithOptions({ summary: 'tables and README' }, [
      { id: this.info.workflowId, input, plan, pages: state.pages },
    ]);
    upsertMemo({ folder: result.folder });
    const outcome = rest === 'abandoned' ? 'partial' : 'complete';
    analysis.phase.enter('Done', { Outcome: outcome, CostUsd: result.cost.usd });
    return result;
  }

  private note({ category }: JudgedOne): void {
    const { state } = this;
    state.judged += 1;
    if (category) state.counts[category] = (state.counts[category] ?? 0) + 1;
    this.show();
  }

  private enter(name: string): void {
    this.analysis.phase.enter(name, { Step: this.state.judged });
  }

  private show(): void {
    const { input, analysis, state } = this;
    const { counts } = state;
    setCurrentDetails(failureDetails({ input, progress: this.progress(), counts, waiting: analysis.phase.reason }));
  }

  private progress(): FailureAnalysisProgress {
    const { judged, cost, window, plan } = this.state;
    const { phase, inFlight } = this.analysis;
    return { phase: phase.name, unresolved: plan?.unresolved ?? 0, judged, inFlight, cost, paused: window.paused };
  }
}

type Analysing = ReturnType<typeof createFailureAnalysisActivities>;

/** Rows, tables and files, where the workflow runs. */
const failureStore = proxyActivities<Pick<Analysing, 'planFailures' | 'concludeFailures'>>(STORE);

/** A provider may be away for hours: tried until then, and what was answered is never asked again. */
function judgingActivities(queue: ModelQueue) {
  return proxyActivities<Pick<Analysing, 'judgeFailure'>>(modelCall(queue));
}

interface ShownFailures {
  readonly input: FailureAnalysisInput;
  readonly progress: FailureAnalysisProgress;
  /** Verdicts so far. */
  readonly counts: FailureAnalysisCarry['counts'];
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
}

/** Markdown for the Temporal UI's "Current Details". */
function failureDetails({ input, progress, counts, waiting }: ShownFailures): string {
  const { phase, unresolved, judged, inFlight, cost } = progress;
  const ordered = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return [
    `**Failures, judged by \`${input.judge}\`** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${judged} of ${unresolved} unresolved rollouts judged, ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(ordered.length > 0
      ? [
          '| category | rollouts |',
          '|---|---|',
          ...ordered.map(([name, n]) => `| ${name.replaceAll('_', ' ')} | ${n} |`),
          '',
        ]
      : []),
    `In full: \`pointsman failures show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}
