import type {
  ConsideredFunction,
  FunctionInstance,
  FunctionProblemResult,
  FunctionProblemsResult,
} from '../../contract';
import { attemptsSection, failuresSection, mean, percent, share } from './attempts-tables';
import { markdownTable } from './markdown-table';

export interface Extracted {
  readonly funnel: FunctionProblemsResult['funnel'];
  readonly considered: readonly ConsideredFunction[];
}

/**
 * A build as Markdown: what became of every function, validity and coverage by author, context and where the dependencies
 * lie (R2E, table 1), the problems themselves (table 3), and why the others are none. All counts of a table add up to
 * its last row. The order of the arguments does not show.
 */
export function reportOf(
  results: readonly FunctionProblemResult[],
  instances: readonly FunctionInstance[],
  { funnel, considered }: Extracted,
): string {
  const sections = [
    ['Functions', functionsText(results, considered)],
    ['Problems', problemsText(instances)],
    ['Harnesses', attemptsSection(results)],
    ['Failures', failuresSection(results)],
    ['Not admitted', rejectedText(results)],
    ['Filters', funnelText(funnel, considered.length)],
  ];
  return `# Function problems\n\n${sections.map(([title, text]) => `## ${title}\n\n${text}`).join('\n\n')}\n`;
}

function functionsText(results: readonly FunctionProblemResult[], considered: readonly ConsideredFunction[]): string {
  const admitted = results.filter((each) => each.admitted).length;
  const filtered = considered.filter(({ rejectedBy }) => rejectedBy !== null).length;
  const rows: readonly [string, number][] = [
    ['admitted as problems', admitted],
    ['tried and not admitted', results.length - admitted],
    ['passed the filters, not tried', considered.length - filtered - results.length],
    ['left out by the filters', filtered],
    ['all', considered.length],
  ];
  return counts('functions', rows);
}

/** R2E's table 3, with the mutation score that it leaves to future work. */
function problemsText(instances: readonly FunctionInstance[]): string {
  if (instances.length === 0) return 'None.';
  const types = (each: FunctionInstance) => Object.values(each.specification.argumentTypes).flat();
  const average = (value: (each: FunctionInstance) => number) => mean(instances.map(value)).toFixed(1);
  const scores = instances.flatMap(({ quality }) => quality.mutationScore ?? []);
  const rows: readonly [string, string][] = [
    ['problems', String(instances.length)],
    ['of functions', String(instances.filter(({ subject }) => subject.target.kind === 'function').length)],
    ['of methods', String(instances.filter(({ subject }) => subject.target.kind !== 'function').length)],
    ['in-file', String(instances.filter(({ outOfFile }) => !outOfFile).length)],
    ['out-file', String(instances.filter(({ outOfFile }) => outOfFile).length)],
    ['lines of code, mean', average(({ size }) => size.lines)],
    ['tokens, mean', average(({ size }) => size.tokens)],
    ['cases, mean', average(({ harness }) => harness.cases.length)],
    ['branch coverage, mean', percent(mean(instances.map(({ quality }) => quality.branchCoverage)))],
    ['mutation score, mean', scores.length > 0 ? percent(mean(scores)) : '–'],
    ['dependencies, mean', average(({ dependencies }) => dependencies)],
    ['argument types, distinct', String(new Set(instances.flatMap(types)).size)],
    ['docstrings by a model', String(instances.filter(({ specification }) => specification.by === 'model').length)],
  ];
  return markdownTable(rows, [
    { title: '', value: ([what]) => what },
    { title: 'value', value: ([, value]) => value, right: true },
  ]);
}

/** The first reason of each function, figures taken out, so that like ones are counted together. */
function rejectedText(results: readonly FunctionProblemResult[]): string {
  const rejected = results.filter(({ admitted }) => !admitted);
  if (rejected.length === 0) return 'None.';
  const byReason = new Map<string, number>();
  for (const { reasons } of rejected) {
    const reason = (reasons[0] ?? 'no reason was given').replace(/\d+([.,]\d+)?/g, 'n');
    byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  }
  const rows = [...byReason].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return counts('first reason', [...rows, ['all', rejected.length]]);
}

function funnelText(funnel: Extracted['funnel'], functions: number): string {
  const steps = funnel.slice(0, -1);
  const taken = funnel.at(-1)?.left ?? 0;
  const all = { rule: 'all', rejected: functions - taken, left: taken };
  return markdownTable(
    [...steps, all],
    [
      { title: 'rule', value: ({ rule }) => rule },
      { title: 'left out', value: ({ rejected }) => String(rejected), right: true },
      { title: 'share', value: ({ rejected }) => share(rejected, functions), right: true },
      { title: 'remain', value: ({ left }) => String(left), right: true },
    ],
  );
}

/** Counts with their shares of the last row, which is their sum. */
function counts(title: string, rows: readonly (readonly [string, number])[]): string {
  const all = rows.at(-1)?.[1] ?? 0;
  return markdownTable(rows, [
    { title, value: ([what]) => what },
    { title: 'count', value: ([, count]) => String(count), right: true },
    { title: 'share', value: ([, count]) => share(count, all), right: true },
  ]);
}
