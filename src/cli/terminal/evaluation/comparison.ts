import type { EvaluationResult } from '../../../contract';
import type { EvaluationDifference } from '../../../evaluation/comparison';
import { count, dollars } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, wrapWords } from '../columns';
import { type Column, table } from '../table';
import { percent } from './figures';

/** Evaluations side by side, then each against the first one. */
export function comparisonText(
  results: readonly EvaluationResult[],
  differences: readonly EvaluationDifference[],
  look: Look,
): string {
  return [
    heading('evaluations', look),
    table(results, COLUMNS, look.width),
    '',
    heading('differences', look),
    ...differences.flatMap((each) => wrapWords([differenceLine(each)], look.width)),
  ].join('\n');
}

const COLUMNS: readonly Column<EvaluationResult>[] = [
  { title: 'ID', value: ({ id }) => id, elastic: true },
  { title: 'SOLVER', value: ({ solver }) => solver },
  { title: 'CONTEXT', value: ({ context, planFirst }) => `${context}${planFirst ? ' + plan' : ''}` },
  { title: 'N', value: ({ samples }) => String(samples), right: true },
  {
    title: 'PASS@k',
    value: ({ passAtK }) => passAtK.map(({ k, estimate }) => `@${k} ${percent(estimate.value)}`).join(' '),
  },
  { title: 'SOLVED', value: ({ solved, problems }) => `${solved}/${problems}`, right: true },
  { title: 'COST', value: ({ cost }) => dollars(cost.usd), right: true },
];

function differenceLine(each: EvaluationDifference): string {
  const { id, against, k, first, second, difference, better, worse, leftOut, shown } = each;
  if (difference.n === 0) return `${id} − ${against}: they have no problem in common.`;
  const basis = [
    count(difference.n, 'problem'),
    `${better} better`,
    `${worse} worse`,
    ...(leftOut > 0 ? [`${leftOut} left out: other problems, other versions or too few answers`] : []),
  ].join(', ');
  const said = { higher: 'Higher.', lower: 'Lower.', none: 'No difference is shown.' }[shown];
  return (
    `${id} − ${against}: PASS@${k} ${percent(second)} against ${percent(first)}, ${points(difference.value)} points ` +
    `(95 %: ${points(difference.low)} to ${points(difference.high)}; ${basis}). ${said}`
  );
}

/** Percentage points with their sign. */
function points(share: number): string {
  const value = (share * 100).toFixed(1);
  return share > 0 ? `+${value}` : value.replace('-', '−');
}
