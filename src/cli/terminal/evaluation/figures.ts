import { bar } from '../../../analysis/charts';
import type { Estimate, EvaluationResult } from '../../../contract';
import type { Look } from '../../../pages/shown-run';
import { heading } from '../columns';
import { ink } from '../ink';
import { type Column, table } from '../table';

const BAR = 24;

/** PASS@k, what it depends on, and self-repair: each as a table with bars. */
export function figureLines(result: EvaluationResult, look: Look): string[] {
  const { passAtK, breakdown, repair } = result;
  const dimensions = [...new Set(breakdown.map(({ by }) => by))];
  return [
    ...chart(
      'PASS@k',
      'k',
      passAtK.map(({ k, estimate }) => [String(k), estimate]),
      look,
    ),
    ...dimensions.flatMap((by) =>
      chart(
        `PASS@1 by ${by}`,
        by,
        breakdown.filter((row) => row.by === by).map(({ bucket, estimate }) => [bucket, estimate]),
        look,
      ),
    ),
    ...(repair && repair.tried > 0
      ? chart(
          `self-repair of ${repair.tried}`,
          'iterations',
          repair.rates.map((rate, iteration) => [String(iteration), rate]),
          look,
        )
      : []),
  ];
}

type Row = readonly [name: string, estimate: Estimate];

function chart(title: string, of: string, rows: readonly Row[], look: Look): string[] {
  const columns: Column<Row>[] = [
    { title: of.toUpperCase(), value: ([name]) => name },
    { title: 'RATE', value: ([, { value }]) => percent(value), right: true },
    { title: '95 %', value: ([, { low, high }]) => `${percent(low)} – ${percent(high)}`, right: true },
    { title: 'N', value: ([, { n }]) => String(n), right: true },
    { title: '', value: ([, { value }]) => bar(value, BAR) },
  ];
  return [heading(title, look), ...table(rows, columns, look.width).split('\n'), ''];
}

export function verdictLine(verdicts: EvaluationResult['verdicts'], look: Look): string {
  const paint = ink(look.coloured);
  const said = Object.entries(verdicts).map(([verdict, n]) => {
    const words = `${n} ${verdict.replaceAll('_', ' ')}`;
    return verdict === 'passed' ? paint.good(words) : words;
  });
  return said.length === 0 ? 'no candidates' : said.join(', ');
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
