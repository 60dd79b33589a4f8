import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { planOf } from '../../analysis/shift/plan';
import { type Missing, POINT_COLUMNS, type ShiftFigures, shiftReadme } from '../../analysis/shift/readme';
import type { ShiftOptions } from '../../analysis/shift/turn';
import {
  type CovariateShiftInput,
  type CovariateShiftResult,
  EmbeddedTrajectory,
  type Ref,
  type ShiftGroup,
  ShiftPlan,
  ShiftPoint,
} from '../../contract';
import type { Deps } from '../../deps';
import { Html } from '../../pages/html';
import { column, csvOf } from '../../pages/report/data';
import type { Part } from '../../pages/report/part';
import { shiftPart } from '../../pages/report/parts/shift';
import { standaloneSvg } from '../../pages/theme';
import { withHeartbeat } from '../heartbeat';
import { outcomesIn } from '../outcome-pages';
import { rowsOfSources } from '../rollout/rollout-rows';
import { Threads } from '../threads';
import { groundOf, rangesOf, type TurnRange, tasksOf } from './covariate-shift-ground';
import type { TurnTask } from './covariate-shift-thread';
import { createTrajectoryEmbedder, type Embedding } from './embed-trajectory';

interface EmbedInput extends Embedding {
  /** First execution's run id: whose embeddings count as its cost. */
  readonly run: string;
  readonly plan: Ref;
  readonly at: number;
}

/** What a workflow needs to know of an embedded trajectory; the whole of it is the blob. */
interface EmbeddedOne {
  readonly id: string;
  readonly turns: number;
  readonly missing?: string;
  readonly cost: EmbeddedTrajectory['cost'];
  readonly outcome: string;
}

interface MeasureInput extends TurnRange {
  readonly plan: Ref;
  readonly pages: readonly Ref[];
  readonly expert: string;
  readonly options: ShiftOptions;
}

interface ConcludeShiftInput {
  readonly id: string;
  readonly input: CovariateShiftInput;
  readonly plan: Ref;
  readonly pages: readonly Ref[];
  readonly points: readonly Ref[];
}

export function createCovariateShiftActivities(deps: Deps) {
  const { blobs } = deps;
  const embed = createTrajectoryEmbedder(deps);
  const json = async ({ sha256 }: Ref): Promise<unknown> => JSON.parse((await blobs.get(sha256)).toString('utf8'));
  const planAt = async (plan: Ref) => ShiftPlan.parse(await json(plan));

  return {
    /** Reads the rollouts of all groups and says which trajectories are compared. Retry-safe: it writes one blob. */
    async planShift(
      input: Pick<CovariateShiftInput, 'expert' | 'students' | 'instances' | 'seed'>,
    ): Promise<{ plan: Ref; trajectories: number; instances: number }> {
      return withHeartbeat(async () => {
        const rowsOf = async (group: ShiftGroup) => ({ group, rows: await rowsOfSources(deps, [group.source]) });
        const plan = planOf(await rowsOf(input.expert), await Promise.all(input.students.map(rowsOf)), input);
        const kept = await blobs.put(JSON.stringify(plan));
        return { plan: kept, trajectories: plan.trajectories.length, instances: plan.instances.length };
      });
    },

    /** All histories of one trajectory as vectors. Retry-safe: what was paid for is in the ledger, the rest is content-addressed. */
    async embedTrajectory({ run, plan, at, ...how }: EmbedInput): Promise<EmbeddedOne> {
      return withHeartbeat(async (signal) => {
        const trajectory = (await planAt(plan)).trajectories[at]!;
        const embedded = await embed(run, trajectory, how, signal);
        const { sha256 } = await blobs.put(JSON.stringify(embedded));
        const { id, turns, missing, cost } = embedded;
        return { id, turns, missing, cost, outcome: sha256 };
      });
    },

    /** Cuts the work of measuring into ranges of turns that fit into memory. Throws `InvalidInput` where too few were embedded. */
    async planTurns(input: {
      plan: Ref;
      pages: readonly Ref[];
      expert: string;
      students: readonly string[];
    }): Promise<TurnRange[]> {
      return withHeartbeat(async () => {
        const ground = groundOf(await planAt(input.plan), await embeddedOf(input.pages));
        return input.students.flatMap((student) => rangesOf(ground, student, input.expert));
      });
    },

    /** The figures of a range of turns, as a blob of points. Retry-safe: it only reads, and the same input gives the same bytes. */
    async measureShift({ plan, pages, expert, student, from, to, options }: MeasureInput): Promise<Ref> {
      return withHeartbeat(async (signal) => {
        const ground = groundOf(await planAt(plan), await embeddedOf(pages));
        const points: ShiftPoint[] = [];
        const tasks = tasksOf(blobs, ground, { student, expert, from, to, options });
        for await (const point of measureTurns(tasks, signal)) points.push(point);
        return blobs.put(JSON.stringify(points));
      });
    },

    /** Table, figures and what they mean, into one folder. Retry-safe: the folder is replaced as a whole. */
    async concludeShift({ id, input, plan, pages, points }: ConcludeShiftInput): Promise<CovariateShiftResult> {
      return withHeartbeat(async () => {
        const { instances, trajectories } = await planAt(plan);
        const embedded = await embeddedOf(pages);
        const measured = (await Promise.all(points.map(json))).flatMap((each) => ShiftPoint.array().parse(each));
        const names = [input.expert, ...input.students].map(({ name }) => name);
        const present = new Set(embedded.filter(({ vectors }) => vectors !== null).map((each) => each.id));
        const groups = names.map((name) => {
          const own = trajectories.filter((each) => each.groups.includes(name));
          const others = own.filter(({ handOver }) => handOver !== undefined).length;
          const counted = { name, rollouts: own.length, embedded: own.filter((each) => present.has(each.id)).length };
          return others > 0 ? { ...counted, otherHandOvers: others } : counted;
        });
        const figures = {
          id,
          embedding: input.embedding,
          dimensions: embedded.find(({ dimensions }) => dimensions > 0)?.dimensions ?? 0,
          instances,
          groups,
          points: measured,
          cost: {
            usd: embedded.reduce((sum, { cost }) => sum + cost.usd, 0),
            tokens: embedded.reduce((sum, { cost }) => sum + cost.tokens, 0),
          },
        };
        const missing = embedded.flatMap(({ id: of, missing: why }) => (why === undefined ? [] : [{ id: of, why }]));
        const { folder, files } = await deps.results.replace('analyses', id, (draft) =>
          writeShift(draft, { input, figures, missing }),
        );
        return { ...figures, folder, files };
      });
    },
  };

  async function embeddedOf(pages: readonly Ref[]): Promise<EmbeddedTrajectory[]> {
    return (await outcomesIn(blobs, EmbeddedTrajectory, pages)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

interface ShiftToWrite {
  readonly input: CovariateShiftInput;
  readonly figures: ShiftFigures;
  readonly missing: readonly Missing[];
}

/** `points.csv`, the figures that the report shows too, each as SVG and CSV, and a README that says how they were made. */
async function writeShift(folder: string, { input, figures, missing }: ShiftToWrite): Promise<void> {
  const data = {
    columns: POINT_COLUMNS.map(([key]) => column(key, key)),
    rows: figures.points.map((point) => POINT_COLUMNS.map(([, of]) => of(point))),
  };
  await writeFile(join(folder, 'points.csv'), csvOf(data));
  await writeFile(join(folder, 'README.md'), shiftReadme(input, figures, missing));
  const result = { ...figures, folder: '', files: [] };
  const run = { result, type: 'covariateShift', input, queue: null, startedAt: null, endedAt: null };
  await writeFigures(folder, shiftPart({ covariateShift: run }));
}

const threads = new Threads<TurnTask, ShiftPoint>('activities/analysis/covariate-shift-thread');

/** Measures turns, each of which is a second of computing. The buffers of the tasks are given away. */
export function measureTurns(tasks: AsyncIterable<TurnTask>, signal: AbortSignal): AsyncGenerator<ShiftPoint> {
  return threads.inOrder(tasks, signal, ({ vectors }) => [vectors.buffer as ArrayBuffer]);
}

/** Every figure of a part as CSV, and as SVG where it is a chart. */
async function writeFigures(folder: string, part: Part | undefined): Promise<void> {
  for (const { id, drawn, data } of part?.figures ?? []) {
    await writeFile(join(folder, `${id}.csv`), csvOf(data));
    if (drawn instanceof Html && drawn.markup.startsWith('<svg '))
      await writeFile(join(folder, `${id}.svg`), standaloneSvg(drawn));
  }
}
