import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { createCovariateShiftActivities } from '../../activities/analysis/covariate-shift';
import type { TurnRange } from '../../activities/analysis/covariate-shift-ground';
import {
  type CovariateShiftCarry,
  CovariateShiftInput,
  type CovariateShiftProgress,
  type CovariateShiftResult,
  type Ref,
} from '../../contract';
import { publish } from '../durable/attributes';
import { checked } from '../durable/input';
import { type ModelQueue, modelCall, RETRY, STORE } from '../durable/retry';
import { sideBySide } from '../durable/side-by-side';
import { AnalysisRun, beginAnalysis } from './run';

/** Ranges of turns that are measured at once: each takes a core. */
const LANES = 2;

const progressQuery = defineQuery<CovariateShiftProgress>('progress');

/**
 * How far the histories of students drift from an expert's (OEC, section 4.3 and appendix E): every trajectory is embedded at
 * every turn, then each turn's two clouds are compared, with what shows how much of it the small numbers alone make.
 */
export async function covariateShift(raw: CovariateShiftInput): Promise<CovariateShiftResult> {
  const { carry, ...input } = checked(CovariateShiftInput, raw, 'covariateShift');
  return new CovariateShift(input, carry ?? { plan: null, ...beginAnalysis(input), embedded: 0 }).run();
}

class CovariateShift {
  private readonly analysis: AnalysisRun;
  private readonly info = workflowInfo();

  constructor(
    private readonly input: CovariateShiftInput,
    /** All that the next run goes on with. */
    private readonly state: CovariateShiftCarry,
  ) {
    this.analysis = new AnalysisRun(state, () => this.show());
    setHandler(progressQuery, () => this.progress(), { description: 'Where the analysis is and what it has used.' });
  }

  async run(): Promise<CovariateShiftResult> {
    const { input, state, analysis } = this;
    analysis.listen();
    const embedding = embeddingActivities(await analysis.queueOf(input.embedding, input.embedding));
    state.plan ??= await this.plan();
    const { plan, trajectories } = state.plan;

    this.enter('Embedding');
    const { embedding: name, view, embedTokens, maxTurns } = input;
    const how = { embedding: name, view, embedTokens, maxTurns, run: this.info.firstExecutionRunId };
    const rest = await analysis.each(
      trajectories,
      (at) =>
        embedding.embedTrajectory.executeWithOptions({ summary: `trajectory ${at + 1} of ${trajectories}` }, [
          { ...how, plan, at, budget: analysis.budget },
        ]),
      () => {
        state.embedded += 1;
        this.show();
      },
    );
    if (rest === 'full') return await continueAsNew<typeof covariateShift>({ ...input, carry: state });

    this.enter('Measuring');
    const points = await this.measure(plan);
    const result = await shiftStore.concludeShift.executeWithOptions({ summary: 'table, figures and README' }, [
      { id: this.info.workflowId, input, plan, pages: state.pages, points },
    ]);
    upsertMemo({ folder: result.folder, turns: Math.max(...result.points.map(({ turn }) => turn)) });
    const outcome = rest === 'abandoned' ? 'partial' : 'complete';
    analysis.phase.enter('Done', { Outcome: outcome, CostUsd: result.cost.usd });
    setCurrentDetails(shiftDetails({ input, progress: this.progress(), result }));
    return result;
  }

  private async plan() {
    const { expert, students, instances, seed, embedding } = this.input;
    const summary = `${students.map(({ name }) => name).join(', ')} against ${expert.name}`.slice(0, 120);
    const found = await shiftStore.planShift.executeWithOptions({ summary }, [{ expert, students, instances, seed }]);
    publish({ InstanceId: `${found.instances} instances`, Student: students[0]!.name, Expert: expert.name });
    upsertMemo({ trajectories: found.trajectories, instances: found.instances, embedding });
    return { plan: found.plan, trajectories: found.trajectories };
  }

  /** Figures of all turns, in the order of students and turns whatever is ready first. */
  private async measure(plan: Ref): Promise<Ref[]> {
    const { input, state } = this;
    const { pages } = state;
    const [expert, students] = [input.expert.name, input.students.map(({ name }) => name)];
    const ranges = await shiftStore.planTurns.executeWithOptions({ summary: 'which turns together' }, [
      { plan, pages, expert, students },
    ]);
    const { replicateSize, bootstrapReplicates, over, ridge, pcaDimensions, permutations, seed } = input;
    const options = { replicateSize, bootstrapReplicates, over, ridge, pcaDimensions, permutations, seed };
    return sideBySide(ranges, LANES, (range) =>
      shiftMeasures.measureShift.executeWithOptions({ summary: labelOf(range) }, [
        { ...range, expert, plan, pages, options },
      ]),
    );
  }

  private enter(name: string): void {
    this.analysis.phase.enter(name, { Step: this.state.embedded });
  }

  private show(): void {
    const { input, analysis } = this;
    setCurrentDetails(shiftDetails({ input, progress: this.progress(), waiting: analysis.phase.reason }));
  }

  private progress(): CovariateShiftProgress {
    const { embedded, cost, window, plan } = this.state;
    const { phase, inFlight } = this.analysis;
    const trajectories = plan?.trajectories ?? 0;
    return { phase: phase.name, trajectories, embedded, inFlight, cost, paused: window.paused };
  }
}

function labelOf({ student, from, to }: TurnRange): string {
  return `${student}: turns ${from}–${to}`.slice(-120);
}

type Shifting = ReturnType<typeof createCovariateShiftActivities>;

/** Rows, tables and files, where the workflow runs. */
const shiftStore = proxyActivities<Pick<Shifting, 'planShift' | 'planTurns' | 'concludeShift'>>(STORE);

/** Seconds of computing a turn, in a thread of the process that takes it. */
const shiftMeasures = proxyActivities<Pick<Shifting, 'measureShift'>>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** A provider may be away for hours: tried until then, and what was embedded is never asked for again. */
function embeddingActivities(queue: ModelQueue) {
  return proxyActivities<Pick<Shifting, 'embedTrajectory'>>(modelCall(queue));
}

interface ShownShift {
  readonly input: CovariateShiftInput;
  readonly progress: CovariateShiftProgress;
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
  readonly result?: CovariateShiftResult;
}

/** Markdown for the Temporal UI's "Current Details". */
function shiftDetails({ input, progress, waiting, result }: ShownShift): string {
  const { phase, trajectories, embedded, inFlight, cost } = progress;
  const students = input.students.map(({ name }) => name).join(', ');
  return [
    `**${students} against ${input.expert.name}** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${embedded} of ${trajectories} trajectories embedded with \`${input.embedding}\`, ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(result ? [...table(result), ''] : []),
    `In full: \`pointsman covariate-shift show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** At most a dozen turns, spread over all of them. */
function table({ points }: CovariateShiftResult): string[] {
  const every = Math.ceil(points.length / 12);
  const shown = points.filter((_, at) => at % every === 0);
  return [
    '| student | turn | n | FD² | expert with itself | p |',
    '|---|---|---|---|---|---|',
    ...shown.map(
      ({ student, turn, nStudent, nExpert, fd2, baselineFd2, pValue }) =>
        `| ${student} | ${turn} | ${nStudent}, ${nExpert} | ${digits(fd2?.mean)} | ${digits(baselineFd2?.mean)} | ${digits(pValue)} |`,
    ),
  ];
}

function digits(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toPrecision(3);
}
