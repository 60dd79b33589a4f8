import { bar } from '../analysis/charts';
import { type Estimate, type EvaluationResult, NO_SAMPLE } from '../contract';

const BAR = 30;

/** An evaluation as a page of Markdown. It names no run, so that equal results have equal reports. */
export function reportOf(result: Omit<EvaluationResult, 'id' | 'report'>): string {
  const { solver, context, planFirst, problems, samples, solved, passAtK, breakdown, verdicts, repair, cost } = result;
  const counted = Object.entries(verdicts);
  const lost = counted.reduce((sum, [verdict, n]) => sum + (NO_SAMPLE.includes(verdict as never) ? n : 0), 0);
  const dimensions = [...new Set(breakdown.map(({ by }) => by))];
  return [
    `# Evaluation of ${solver}`,
    '',
    `${problems} problems, ${samples} ${samples === 1 ? 'sample' : 'samples'} each, context ${context}${planFirst ? ', plan first' : ''}. ` +
      `${solved} of ${problems} problems were solved by a first answer. $${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    ...(result.status === 'complete'
      ? []
      : ['', `**Not complete (${result.status}):** the figures are over the candidates that there are.`]),
    ...(lost === 0
      ? []
      : ['', `${lost} candidates were never answered or could not be run. They are left out of all figures.`]),
    '',
    '## PASS@k',
    '',
    'Unbiased estimate, averaged over problems. Intervals are 95 %, by bootstrap over problems: they say how far another draw of',
    'problems may lie, not how far another run of the same ones.',
    '',
    ...estimates(
      'k',
      passAtK.map(({ k, estimate }) => [String(k), estimate]),
    ),
    ...dimensions.flatMap((by) => [
      '',
      `## PASS@1 by ${by}`,
      '',
      ...estimates(
        by,
        breakdown.filter((row) => row.by === by).map(({ bucket, estimate }) => [bucket, estimate]),
      ),
    ]),
    '',
    '## Verdicts of first answers',
    '',
    '| verdict | candidates |',
    '| --- | ---: |',
    ...counted.map(([verdict, n]) => `| ${verdict.replaceAll('_', ' ')} | ${n} |`),
    ...(repair ? ['', ...repaired(repair)] : []),
    '',
  ].join('\n');
}

function repaired({ tried, solvedAfter, rates }: NonNullable<EvaluationResult['repair']>): string[] {
  if (tried === 0) return ['## Self-repair', '', 'There was nothing to repair.'];
  return [
    '## Self-repair',
    '',
    `Of ${tried} problems that no first answer solved, ${solvedAfter.at(-1)} were solved.`,
    '',
    ...estimates(
      'iterations',
      rates.map((rate, iteration) => [String(iteration), rate]),
    ),
  ];
}

function estimates(title: string, rows: readonly (readonly [string, Estimate])[]): string[] {
  const cells = rows.map(([name, { value, low, high, n }]) => [
    ...[name, percent(value), `${percent(low)} – ${percent(high)}`, String(n)],
    bar(value, BAR),
  ]);
  const lines = [[title, 'rate', '95 %', 'n', ''], ...cells];
  const widths = lines[0]!.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  const drawn = lines.map((line) =>
    line.map((cell, at) => (at === 0 || at === 4 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
  );
  return ['```text', ...drawn.map((line) => line.trimEnd()), '```'];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
