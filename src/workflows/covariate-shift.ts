import {
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { TurnRange } from '../activities/covariate-shift-ground';
import {
  type CovariateShiftCarry,
  CovariateShiftInput,
  type CovariateShiftProgress,
  type CovariateShiftResult,
  type Ref,
} from '../contract';
import { AnalysisRun, beginAnalysis } from './durable/analysis-run';
import { publish } from './durable/attributes';
import { checked } from './durable/input';
import { embeddingActivities, shiftMeasures, shiftStore } from './durable/shift-activities';
import { shiftDetails } from './durable/shift-details';

/** Ranges of turns that are measured at once: each takes a core. */
const LANES = 2;

const progressQuery = defineQuery<CovariateShiftProgress>('progress');

/**
 * How far the histories of students drift from an expert's (OEC, section 4.3 and appendix E): every trajectory is embedded at
 * every turn, then each turn's two clouds are compared, with what shows how much of it the small numbers alone make.
 */
export async function covariateShift(raw: CovariateShiftInput): Promise<CovariateShiftResult> {
  const { carry, ...input } = checked(CovariateShiftInput, raw, 'covariateShift');
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const state: CovariateShiftCarry = carry ?? { plan: null, ...beginAnalysis(input), embedded: 0 };
  const run = new AnalysisRun(state, show);
  setHandler(progressQuery, progress, { description: 'Where the analysis is and what it has used.' });

  const embedding = embeddingActivities(await run.queueOf(input.embedding, input.embedding));
  state.plan ??= await plan();
  const { plan: planned, trajectories } = state.plan;

  enter('Embedding');
  const rest = await run.each(
    trajectories,
    (at) =>
      embedding.embedTrajectory.executeWithOptions({ summary: `trajectory ${at + 1} of ${trajectories}` }, [
        { run: firstExecutionRunId, plan: planned, at, ...how(), ...run.budget },
      ]),
    () => {
      state.embedded += 1;
      show();
    },
  );
  if (rest === 'full') return await continueAsNew<typeof covariateShift>({ ...input, carry: state });

  enter('Measuring');
  const points = await measure();
  const result = await shiftStore.concludeShift.executeWithOptions({ summary: 'table, figures and README' }, [
    { id: workflowId, input, plan: planned, pages: state.pages, points },
  ]);
  upsertMemo({ folder: result.folder, turns: Math.max(...result.points.map(({ turn }) => turn)) });
  run.phase.enter('Done', { Outcome: rest === 'abandoned' ? 'partial' : 'complete', CostUsd: result.cost.usd });
  setCurrentDetails(shiftDetails({ input, progress: progress(), result }));
  return result;

  async function plan() {
    const { expert, students, instances, seed } = input;
    const summary = `${students.map(({ name }) => name).join(', ')} against ${expert.name}`.slice(0, 120);
    const found = await shiftStore.planShift.executeWithOptions({ summary }, [{ expert, students, instances, seed }]);
    publish({ InstanceId: `${found.instances} instances`, Student: students[0]!.name, Expert: expert.name });
    upsertMemo({ trajectories: found.trajectories, instances: found.instances, embedding: input.embedding });
    return { plan: found.plan, trajectories: found.trajectories };
  }

  /** Figures of all turns, in the order of students and turns whatever is ready first. */
  async function measure(): Promise<Ref[]> {
    const { pages } = state;
    const [expert, students] = [input.expert.name, input.students.map(({ name }) => name)];
    const ranges = await shiftStore.planTurns.executeWithOptions({ summary: 'which turns together' }, [
      { plan: planned, pages, expert, students },
    ]);
    const { replicateSize, bootstrapReplicates, over, ridge, pcaDimensions, permutations, seed } = input;
    const options = { replicateSize, bootstrapReplicates, over, ridge, pcaDimensions, permutations, seed };
    const measured: Ref[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        while (next < ranges.length) {
          const at = next++;
          measured[at] = await shiftMeasures.measureShift.executeWithOptions({ summary: labelOf(ranges[at]!) }, [
            { ...ranges[at]!, expert, plan: planned, pages, options },
          ]);
        }
      }),
    );
    return measured;
  }

  function how() {
    const { embedding: name, view, embedTokens, maxTurns } = input;
    return { embedding: name, view, embedTokens, maxTurns };
  }

  function enter(name: string): void {
    run.phase.enter(name, { Step: state.embedded });
  }

  function show(): void {
    const { waiting } = run.phase;
    setCurrentDetails(shiftDetails({ input, progress: progress(), ...(waiting ? { waiting } : {}) }));
  }

  function progress(): CovariateShiftProgress {
    const { embedded, cost, window, plan: known } = state;
    const about = { phase: run.phase.name, trajectories: known?.trajectories ?? 0, embedded };
    return { ...about, inFlight: run.inFlight, cost, paused: window.paused };
  }
}

function labelOf({ student, from, to }: TurnRange): string {
  return `${student}: turns ${from}–${to}`.slice(-120);
}
