import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FailureFigures,
  failuresReadme,
  failureTable,
  graded,
  switchBuckets,
  unresolved,
} from '../../analysis/failures/table';
import { shuffled } from '../../analysis/shuffle';
import {
  type FailureAnalysisInput,
  type FailureAnalysisResult,
  isPointsmanError,
  JudgedCategory,
  JudgedFailure,
  nearest,
  PointsmanError,
  type Ref,
  type RolloutRow,
  UnresolvedRollout,
} from '../../contract';
import type { Deps } from '../../deps';
import { type Cell, column, csvOf } from '../../pages/report/data';
import { failureData } from '../../pages/report/parts/failure-table';
import { hashKey } from '../../rollout/random';
import { withHeartbeat } from '../heartbeat';
import { outcomesIn } from '../outcome-pages';
import { rowsOfSources } from '../rollout/rollout-rows';
import { createFailureJudge, type Judging } from './failure-judge';

interface JudgeFailureInput extends Judging {
  /** First execution's run id: the judge's place in the ledger. */
  readonly run: string;
  readonly plan: Ref;
  readonly at: number;
}

/** What a workflow needs to know of a verdict; the whole of it is the blob. */
export interface JudgedOne {
  readonly id: string;
  readonly category: JudgedCategory | null;
  readonly cost: JudgedFailure['cost'];
  readonly outcome: string;
}

interface ConcludeFailuresInput {
  readonly id: string;
  readonly input: FailureAnalysisInput;
  readonly plan: Ref;
  readonly pages: readonly Ref[];
}

/** What is analysed: all rows, in a blob of their own because a campaign may be written again, and the order of judging. */
interface Plan {
  readonly rows: readonly RolloutRow[];
  readonly unresolved: readonly UnresolvedRollout[];
}

export function createFailureAnalysisActivities(deps: Deps) {
  const { blobs } = deps;
  const judge = createFailureJudge(deps);
  const json = async ({ sha256 }: Ref): Promise<unknown> => JSON.parse((await blobs.get(sha256)).toString('utf8'));

  return {
    /** Reads the rollouts and finds the unresolved. Retry-safe: it writes one blob. */
    async planFailures(
      input: Pick<FailureAnalysisInput, 'sources' | 'methods' | 'seed'>,
    ): Promise<{ plan: Ref; unresolved: number }> {
      return withHeartbeat(async () => {
        const rows = ofMethods(await rowsOfSources(deps, input.sources), input.methods);
        const failed = unresolved(rows)
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id, instance, method, result }) => ({ id, instance, method, result: result! }));
        // In a drawn order, so that those judged so far are a fair sample at any time.
        const order = shuffled(failed.length, hashKey(`failures ${input.seed}`));
        const plan: Plan = { rows, unresolved: [...order].map((at) => failed[at]!) };
        return { plan: await blobs.put(JSON.stringify(plan)), unresolved: failed.length };
      });
    },

    /** One verdict. Retry-safe: an answered call is in the ledger before this returns, and all else is content-addressed. */
    async judgeFailure({ run, plan, at, ...judging }: JudgeFailureInput): Promise<JudgedOne> {
      return withHeartbeat(async (signal) => {
        const failed = UnresolvedRollout.parse(((await json(plan)) as Plan).unresolved[at]);
        const judged = await judge(run, failed, judging, signal).catch((error: unknown): JudgedFailure => {
          if (!isPointsmanError(error) || error.code !== 'NotFound') throw error;
          return { id: failed.id, verdict: null, missing: error.message, cost: { usd: 0, tokens: 0 } };
        });
        const { sha256 } = await blobs.put(JSON.stringify(judged));
        return { id: judged.id, category: judged.verdict?.category ?? null, cost: judged.cost, outcome: sha256 };
      });
    },

    /** Tables and the file of verdicts, into one folder. Retry-safe: the folder is replaced as a whole. */
    async concludeFailures({ id, input, plan, pages }: ConcludeFailuresInput): Promise<FailureAnalysisResult> {
      return withHeartbeat(async () => {
        const { rows, unresolved: failed } = (await json(plan)) as Plan;
        const judged = await judgedOf(pages);
        const verdicts = judged.flatMap(({ verdict }) => verdict ?? []);
        const lines = verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join('');
        const figures = {
          id,
          judge: input.judge,
          table: failureTable(rows, verdicts),
          buckets: switchBuckets(rows, input.buckets),
          notGraded: rows.filter(({ result }) => result !== null).length - graded(rows).length,
          notJudged: failed.length - verdicts.length,
          failures: await blobs.put(lines),
          cost: {
            usd: judged.reduce((sum, { cost }) => sum + cost.usd, 0),
            tokens: judged.reduce((sum, { cost }) => sum + cost.tokens, 0),
          },
        };
        const { folder, files } = await deps.results.replace('analyses', id, (draft) =>
          writeFailures(draft, { input, figures, verdicts: lines }),
        );
        return { ...figures, folder, files };
      });
    },
  };

  async function judgedOf(pages: readonly Ref[]): Promise<JudgedFailure[]> {
    return (await outcomesIn(blobs, JudgedFailure, pages)).sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** Throws `InvalidInput` for a method that no rollout has. */
function ofMethods(rows: readonly RolloutRow[], methods: readonly string[]): RolloutRow[] {
  const known = [...new Set(rows.map(({ method }) => method))];
  const unknown = methods.find((method) => !known.includes(method));
  if (unknown !== undefined) {
    const close = nearest(unknown, known);
    throw new PointsmanError(
      'InvalidInput',
      `methods: no rollout of "${unknown}"${close ? `, did you mean "${close}"?` : ` (there are: ${known.join(', ') || 'none'})`}`,
      'Methods are named as the campaign named them.',
    );
  }
  return rows.filter(({ method }) => methods.length === 0 || methods.includes(method));
}

interface FailuresToWrite {
  readonly input: FailureAnalysisInput;
  readonly figures: FailureFigures;
  /** `failures.jsonl`. */
  readonly verdicts: string;
}

async function writeFailures(folder: string, { input, figures, verdicts }: FailuresToWrite): Promise<void> {
  const { table, buckets } = figures;
  const categories = table.flatMap(({ method, whenSubmitted, whenNotSubmitted }) =>
    JudgedCategory.options.map((category): Cell[] => [
      method,
      category,
      whenSubmitted[category] ?? 0,
      whenNotSubmitted[category] ?? 0,
    ]),
  );
  const files = {
    'failures.jsonl': verdicts,
    'failures.csv': csvOf(failureData(table)),
    'categories.csv': csvOf({
      columns: titled(['method', 'category', 'submitted', 'not_submitted']),
      rows: categories,
    }),
    'buckets.csv': csvOf({
      columns: titled(BUCKET_COLUMNS),
      rows: buckets.map(({ method, from, to, drawn, handedOver, submittedBeforeSwitch, resolved, resolveRate }) => [
        ...[method, from, to, drawn, handedOver, submittedBeforeSwitch, resolved],
        ...(resolveRate ? [resolveRate.value, resolveRate.low, resolveRate.high] : [null, null, null]),
      ]),
    }),
    'README.md': failuresReadme(input, figures),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

const BUCKET_COLUMNS = [
  ...['method', 'k_from', 'k_to', 'drawn', 'handed_over', 'submitted_before_switch', 'resolved'],
  ...['resolve_rate', 'resolve_rate_low', 'resolve_rate_high'],
];

function titled(keys: readonly string[]) {
  return keys.map((key) => column(key, key));
}
