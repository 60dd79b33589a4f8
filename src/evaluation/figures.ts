import { meanOver } from '../analysis/bootstrap';
import { passAtK } from '../analysis/pass-at-k';
import type { CandidateOutcome, Estimate, EvaluationResult, ProblemEntry } from '../contract';
import { scoresOf } from './scores';

/** A row of a figure: where it stands, and what was measured there. */
export interface FigureRow {
  /** What the row is one of: `k`, `iteration`, or a dimension of the breakdown. */
  readonly by: string;
  readonly at: string;
  readonly estimate: Estimate;
}

/** An evaluation's figures as tables: what is drawn, and what is written as CSV beside each drawing. */
export interface EvaluationFigures {
  readonly passAtK: readonly FigureRow[];
  /** Null without self-repair. */
  readonly repair: readonly FigureRow[] | null;
  readonly breakdown: readonly FigureRow[];
}

/**
 * PASS@k for every k up to the number of samples, each over the problems with k answers that were judged; self-repair and
 * breakdown as the result has them. `uniform` drives the bootstrap.
 */
export function figuresOf(
  { samples, breakdown, repair }: Pick<EvaluationResult, 'samples' | 'breakdown' | 'repair'>,
  problems: readonly ProblemEntry[],
  outcomes: readonly CandidateOutcome[],
  uniform: () => number,
): EvaluationFigures {
  const scores = scoresOf(problems, outcomes);
  const curve = Array.from({ length: samples }, (_, at) => at + 1).flatMap((k): FigureRow[] => {
    const drawn = scores.filter(({ judged }) => judged >= k);
    if (drawn.length === 0) return [];
    const values = drawn.map(({ judged, passed }) => passAtK(judged, passed, k));
    return [{ by: 'k', at: String(k), estimate: meanOver(values, uniform) }];
  });
  return {
    passAtK: curve,
    repair:
      repair && repair.tried > 0
        ? repair.rates.map((estimate, at) => ({ by: 'iteration', at: String(at), estimate }))
        : null,
    breakdown: breakdown.map(({ by, bucket, estimate }) => ({ by, at: bucket, estimate })),
  };
}

/** RFC 4180, with a heading; shares from 0 to 1, `low` and `high` the ends of the 95 % interval, `n` the problems. */
export function figureCsv(rows: readonly FigureRow[]): string {
  const lines = rows.map(({ by, at, estimate: { value, low, high, n } }) => [by, at, value, low, high, n].map(cell));
  return [['by', 'at', 'value', 'low', 'high', 'n'], ...lines].map((line) => `${line.join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
