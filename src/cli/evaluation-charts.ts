import type { EvaluationFigures, FigureRow } from '../analysis/evaluation/figures';
import type { Estimate } from '../contract';
import { type DotGroup, dots } from '../page/charts/dots';
import { type Line, lines } from '../page/charts/lines';
import type { Html } from '../page/html';

/** The charts of an evaluation, by the name of their file. Those without a value are left out. */
export function evaluationCharts(solver: string, { passAtK, repair, breakdown }: EvaluationFigures): Map<string, Html> {
  const charts = new Map<string, Html>();
  if (passAtK.length > 0)
    charts.set(
      'pass-at-k',
      lines({
        title: 'PASS@k',
        description: `Share of problems that at least one of k answers of ${solver} solves. ${ends(passAtK)}`,
        lines: [curve(solver, passAtK)],
        ...{ across: 'answers (k)', up: 'PASS@k', highest: 1 },
      }),
    );
  if (repair)
    charts.set(
      'self-repair',
      lines({
        title: 'Self-repair',
        description: `Share of the unsolved problems that ${solver} solves after being told what failed. ${ends(repair)}`,
        lines: [curve(solver, repair)],
        ...{ across: 'iterations', up: 'solved', highest: 1 },
      }),
    );
  if (breakdown.length > 0)
    charts.set(
      'breakdown',
      dots({
        title: 'PASS@1 by kind of problem',
        description: `PASS@1 of ${solver} by what a problem depends on, how long it is, and where its dependencies are.`,
        groups: groupsOf(breakdown),
        ...{ axis: 'PASS@1', format: percent, from: 0, to: 1 },
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
