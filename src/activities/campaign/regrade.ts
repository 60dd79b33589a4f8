import {
  type GradeResult,
  PointsmanError,
  type Ref,
  type RegradeInput,
  type RegradeResult,
  type RolloutRow,
  type VerdictChange,
} from '../../contract';
import type { Deps } from '../../deps';
import { withHeartbeat } from '../heartbeat';
import { rowsOfSources } from '../rollout/rollout-rows';
import { CampaignProblems } from './problems';

/** A patch that is to be judged again. */
export interface RegradeItem {
  readonly id: string;
  readonly patch: Ref;
  readonly problem: Ref;
}

/** What came of one. */
export interface Regraded {
  readonly id: string;
  readonly grade: GradeResult | null;
  readonly error?: string;
}

interface Plan {
  readonly rows: readonly RolloutRow[];
  readonly items: readonly RegradeItem[];
}

/** Changes that a result carries: the rows have all. */
const SHOWN = 50;

export function createRegradeActivities(deps: Deps) {
  const { blobs } = deps;
  const problems = new CampaignProblems(deps.problems, blobs, deps.roots);
  const json = async <T>({ sha256 }: Ref) => JSON.parse((await blobs.get(sha256)).toString('utf8')) as T;

  return {
    /** The rollouts of the sources that left a patch, each with its problem. Retry-safe: reads, and one blob. */
    async openRegrade(input: RegradeInput): Promise<{ plan: Ref; count: number }> {
      return withHeartbeat(async () => {
        const rows = await rowsOfSources(deps, input.sources);
        const opened = input.problems === undefined ? [] : await problems.open(input.problems, []);
        const today = new Map(opened.map(({ id, problem }) => [id, problem]));
        const wanted = rows.filter(({ result }) => result?.patch && (input.only === 'all' || result.grade === null));
        const items = wanted.map((row): RegradeItem => {
          const problem = today.get(row.instance) ?? row.problem;
          if (problem) return { id: row.id, patch: row.result!.patch!, problem };
          throw new PointsmanError(
            'InvalidInput',
            `sources: no campaign started ${row.id}, so nothing says which problem it had`,
            `Name ${row.instance} in problems.`,
          );
        });
        if (items.length === 0)
          throw new PointsmanError(
            'InvalidInput',
            'sources: no rollout in them left a patch',
            'Wait until some have ended.',
          );
        return { plan: await blobs.put(JSON.stringify({ rows, items } satisfies Plan)), count: items.length };
      });
    },

    /** A page of the plan. Reads only. */
    async regradeItems({ plan, from, count }: { plan: Ref; from: number; count: number }): Promise<RegradeItem[]> {
      return withHeartbeat(async () => (await json<Plan>(plan)).items.slice(from, from + count));
    },

    /** Verdicts of a page as a blob, so that histories stay small. */
    async keepRegraded({ page }: { page: readonly Regraded[] }): Promise<Ref> {
      return blobs.put(JSON.stringify(page));
    },

    /** The rows with their new verdicts, and what is different. Retry-safe: the same pages give the same blob. */
    async concludeRegrade({ plan, pages }: { plan: Ref; pages: readonly Ref[] }): Promise<RegradeResult> {
      return withHeartbeat(async () => {
        const { rows } = await json<Plan>(plan);
        const judged = new Map<string, Regraded>();
        for (const page of pages) for (const each of await json<Regraded[]>(page)) judged.set(each.id, each);
        const again = rows.map((row) => regraded(row, judged.get(row.id)));
        const changes = rows.flatMap((row) => changeOf(row, judged.get(row.id)) ?? []);
        return {
          counts: {
            rows: rows.length,
            judged: [...judged.values()].filter(({ grade }) => grade).length,
            changed: changes.filter(({ after }) => after).length,
            failed: changes.filter(({ after }) => !after).length,
          },
          changes: changes.slice(0, SHOWN),
          rollouts: await blobs.put(again.map((row) => `${JSON.stringify(row)}\n`).join('')),
        };
      });
    },
  };
}

/** A row whose patch could not be judged keeps the verdict that it has. */
function regraded(row: RolloutRow, judged: Regraded | undefined): RolloutRow {
  if (!row.result || !judged?.grade) return row;
  const { grade } = judged;
  return { ...row, result: { ...row.result, grade, resolved: grade.resolved }, before: wordOf(row.result.grade) };
}

function changeOf({ id, result }: RolloutRow, judged: Regraded | undefined): VerdictChange | undefined {
  if (!judged) return undefined;
  const [before, after] = [wordOf(result?.grade ?? null), wordOf(judged.grade)];
  if (after && before && after.resolved === before.resolved && after.verdict === before.verdict) return undefined;
  return { id, before, after, ...(judged.error === undefined ? {} : { error: judged.error }) };
}

function wordOf(grade: GradeResult | null): VerdictChange['before'] {
  return grade && { resolved: grade.resolved, verdict: grade.verdict };
}
