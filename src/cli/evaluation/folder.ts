import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Estimate, type EvaluationResult, PointsmanError } from '../../contract';
import { type EvaluationFigures, type FigureRow, figureCsv, figuresOf } from '../../evaluation/figures';
import { type DotGroup, dots } from '../../pages/charts/dots';
import { type Line, lines } from '../../pages/charts/lines';
import { dollars, grouped } from '../../pages/figures';
import type { Html } from '../../pages/html';
import { standaloneSvg } from '../../pages/theme';
import { hashKey, uniformUnit } from '../../rollout/random';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { figureLines, verdictLine } from '../terminal/evaluation/figures';
import type { ShownEvaluation } from '../terminal/evaluation/shown-evaluation';
import { readEvaluation } from './reading';

/** Files of an evaluation, as absolute paths: candidates, report, and a drawing with its figures for each chart. */
type WrittenEvaluation = readonly (readonly [name: string, path: string])[];

const CHARTS = ['pass-at-k', 'self-repair', 'breakdown'] as const;

/**
 * Writes an evaluation that has ended into a folder, in place of an earlier one. A file is whole or not there, and the same
 * evaluation gives the same files. Throws `NotFound` while there is nothing to write.
 */
export async function writeEvaluation(cli: Cli, shown: ShownEvaluation, out: string): Promise<WrittenEvaluation> {
  const { id, status, solver, result, problems, outcomes, trouble } = shown;
  if (!result || outcomes.length === 0)
    throw new PointsmanError(
      'NotFound',
      `${id} has no candidates to write: it is ${status}${trouble ? ` (${trouble})` : ''}`,
      status === 'running' ? `\`pointsman evaluation watch ${quote(id)}\` waits for it.` : '',
    );
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  for (const chart of CHARTS)
    for (const ending of ['svg', 'csv']) rmSync(join(folder, `${chart}.${ending}`), { force: true });
  const write = (name: string, body: string): [string, string] => {
    const file = join(folder, name);
    writeFileSync(`${file}.new`, body);
    renameSync(`${file}.new`, file);
    return [name, file];
  };
  const blob = async (sha256: string) => (await cli.blobs.get(sha256)).toString('utf8');
  const stream = hashKey('figures');
  const figures = figuresOf(result, problems, outcomes, () => uniformUnit(stream));
  const rows = { 'pass-at-k': figures.passAtK, 'self-repair': figures.repair ?? [], breakdown: figures.breakdown };
  const charts = evaluationCharts(solver, figures);
  return [
    write('report.md', await blob(result.report.sha256)),
    write('candidates.jsonl', await blob(result.candidates.sha256)),
    ...CHARTS.flatMap((name) => {
      const chart = charts.get(name);
      return chart ? [write(`${name}.svg`, standaloneSvg(chart)), write(`${name}.csv`, figureCsv(rows[name]))] : [];
    }),
  ];
}

export function writtenLines(written: WrittenEvaluation): string[] {
  const width = Math.max(...written.map(([name]) => name.length));
  return written.map(([name, path]) => `${name.padEnd(width)}  ${path}`);
}

/** Prints a result, and with a folder writes all of it there first. */
export async function printEvaluationAnswer(cli: Cli, result: EvaluationResult, out?: string): Promise<void> {
  const written = out === undefined ? [] : await writeEvaluation(cli, await readEvaluation(cli, result.id), out);
  cli.print({ ...result, files: out === undefined ? undefined : Object.fromEntries(written) }, () =>
    [
      `${result.id}: ${result.status.replaceAll('_', ' ')}, ${result.solved} of ${result.problems} problems solved`,
      verdictLine(result.verdicts, look()),
      `${dollars(result.cost.usd)}, ${grouped(result.cost.tokens)} tokens`,
      '',
      ...figureLines(result, look()),
      ...(written.length > 0 ? [...writtenLines(written), ''] : []),
      `pointsman evaluation show ${quote(result.id)}`,
    ].join('\n'),
  );
}

/** The charts of an evaluation, by the name of their file. Those without a value are left out. */
function evaluationCharts(solver: string, { passAtK, repair, breakdown }: EvaluationFigures): Map<string, Html> {
  const charts = new Map<string, Html>();
  if (passAtK.length > 0)
    charts.set(
      'pass-at-k',
      lines({
        title: 'PASS@k',
        description: `Share of problems that at least one of k answers of ${solver} solves. ${ends(passAtK)}`,
        lines: [curve(solver, passAtK)],
        across: 'answers (k)',
        up: 'PASS@k',
        highest: 1,
      }),
    );
  if (repair)
    charts.set(
      'self-repair',
      lines({
        title: 'Self-repair',
        description: `Share of the unsolved problems that ${solver} solves after being told what failed. ${ends(repair)}`,
        lines: [curve(solver, repair)],
        across: 'iterations',
        up: 'solved',
        highest: 1,
      }),
    );
  if (breakdown.length > 0)
    charts.set(
      'breakdown',
      dots({
        title: 'PASS@1 by kind of problem',
        description: `PASS@1 of ${solver} by what a problem depends on, how long it is, and where its dependencies are.`,
        groups: groupsOf(breakdown),
        axis: 'PASS@1',
        format: percent,
        from: 0,
        to: 1,
      }),
    );
  return charts;
}

function curve(name: string, rows: readonly FigureRow[]): Line {
  const points = rows.map(({ at, estimate }) => {
    const { value, low, high } = estimate;
    return { x: Number(at), mean: value, low, high, says: words(estimate) };
  });
  return { name, series: 0, points };
}

function groupsOf(rows: readonly FigureRow[]): DotGroup[] {
  return [...new Set(rows.map(({ by }) => by))].map((by) => ({
    title: by,
    dots: rows
      .filter((row) => row.by === by)
      .map(({ at, estimate }) => {
        const { value, low, high } = estimate;
        return { label: at, series: 0, value, low, high, says: words(estimate) };
      }),
  }));
}

function ends(rows: readonly FigureRow[]): string {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const said = ({ by, at, estimate }: FigureRow) => `${by} ${at}: ${words(estimate)}`;
  return first === last ? `${said(first)}.` : `${said(first)}; ${said(last)}.`;
}

function words({ value, low, high, n }: Estimate): string {
  return `${percent(value)} (${percent(low)} – ${percent(high)}, n = ${n})`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
