import type {
  FailureAnalysisInput,
  FailureAnalysisResult,
  FailureTableRow,
  FailureVerdict,
  JudgedCategory,
  RolloutRow,
  SwitchBucketRow,
} from '../../contract';
import { survivalOf } from '../../dataset/survival';
import { wilson } from '../paired';
import { SUBMITTED } from './evidence';
import { RULES } from './rules';

/** Rollouts that have a verdict of tests: of the others nobody knows whether they failed. */
export function graded(rows: readonly RolloutRow[]): RolloutRow[] {
  return rows.filter(({ result }) => result !== null && result.resolved !== null);
}

/** Those that an analysis of failures is about. */
export function unresolved(rows: readonly RolloutRow[]): RolloutRow[] {
  return graded(rows).filter(({ result }) => result!.resolved === false);
}

/** The paper's table 3 as counts, a row a method by name. Verdicts of rollouts that are not among `rows` do not count. */
export function failureTable(rows: readonly RolloutRow[], verdicts: readonly FailureVerdict[]): FailureTableRow[] {
  return byMethod(rows).map(([method, own]) => {
    const failed = unresolved(own);
    const ids = new Set(failed.map(({ id }) => id));
    const judged = verdicts.filter(({ id }) => ids.has(id));
    const submitted = failed.filter(({ result }) => result!.status === SUBMITTED).length;
    return {
      method,
      rollouts: graded(own).length,
      resolved: graded(own).length - failed.length,
      submitted,
      notSubmitted: failed.length - submitted,
      whenSubmitted: counted(judged.filter((verdict) => verdict.submitted)),
      whenNotSubmitted: counted(judged.filter((verdict) => !verdict.submitted)),
    };
  });
}

function counted(verdicts: readonly FailureVerdict[]): FailureTableRow['whenSubmitted'] {
  const counts: Partial<Record<JudgedCategory, number>> = {};
  for (const { category } of verdicts) counts[category] = (counts[category] ?? 0) + 1;
  return counts;
}

/**
 * Resolve rate by the switch index that was drawn, with what became of all that drew it: a bucket's rate is that of the
 * rollouts which lived to be handed over. Methods that draw nothing have no row.
 */
export function switchBuckets(
  rows: readonly RolloutRow[],
  buckets: readonly (readonly [from: number, to: number])[],
): SwitchBucketRow[] {
  return byMethod(rows).flatMap(([method, own]) => {
    const survival = survivalOf(own);
    if (survival.length === 0) return [];
    return buckets.map(([from, to]) => {
      const within = survival.filter(({ k }) => k >= from && k <= to);
      const sum = (of: (each: (typeof within)[number]) => number) =>
        within.reduce((total, each) => total + of(each), 0);
      const [handedOver, resolved] = [sum((each) => each.handedOver), sum((each) => each.resolved)];
      const rate = handedOver === 0 ? null : { value: resolved / handedOver, ...wilson(resolved, handedOver) };
      return {
        method,
        from,
        to,
        drawn: sum((each) => each.drawn),
        handedOver,
        submittedBeforeSwitch: sum((each) => each.submittedBeforeSwitch),
        resolved,
        resolveRate: rate,
      };
    });
  });
}

function byMethod(rows: readonly RolloutRow[]): [string, RolloutRow[]][] {
  const methods = new Map<string, RolloutRow[]>();
  for (const row of rows) methods.set(row.method, [...(methods.get(row.method) ?? []), row]);
  return [...methods].sort(([a], [b]) => (a < b ? -1 : 1));
}

export type FailureFigures = Omit<FailureAnalysisResult, 'folder' | 'files'>;

/** What the files beside it hold and how to read them. Markdown. */
export function failuresReadme(
  input: FailureAnalysisInput,
  { id, judge, table, notGraded, notJudged }: FailureFigures,
): string {
  const unresolved = table.reduce((sum, { submitted, notSubmitted }) => sum + submitted + notSubmitted, 0);
  return `# Failures: ${id}

Why ${unresolved} unresolved rollouts failed, by their last ${input.lastTurns} turns (on-policy expert corrections, section 4.4 and appendix D).

- \`failures.jsonl\`: a verdict a line: category, description, whether the rollout submitted, the judge's reply as a blob.
- \`failures.csv\`: shares as in the paper's table 3, of the submitted and of the others. Lines with \`source\` = \`paper\` are the paper's
  own, for comparison: other models, SWE-bench Verified, GPT-5 as judge.
- \`categories.csv\`: counts of all ten categories, and of replies that could not be read.
- \`buckets.csv\`: resolve rate by the switch index that was drawn, of those handed over, with Wilson's 95 % interval. A student that submits
  before the switch leaves the bucket, the more often the later the switch: compare \`drawn\` with \`handed_over\` before comparing rates.

Judge: ${judgeText(judge)}

${notGraded} rollouts were left out because no test ever said whether they are resolved; ${notJudged} unresolved ones have no verdict because
their trajectory is gone or the analysis was abandoned.

A category is one judgement of one judge on one run. A reply that names none of the ten categories is counted apart, as
\`unreadable\`, and is in no share.
`;
}

function judgeText(judge: string): string {
  return judge === RULES
    ? `\`${RULES}\`. Loops, endless reading, listings that fill the context, code that does not parse and calls that are no calls can be decided by rules; everything else is \`other\`, so these shares are not comparable with those of a model.`
    : `the model profile \`${judge}\`.`;
}
