import { meanDifference } from '../analysis/bootstrap';
import { passAtK } from '../analysis/pass-at-k';
import type { Estimate } from '../contract';
import type { ProblemScore } from './scores';

/** One evaluation, as far as it is compared. */
export interface ComparedEvaluation {
  readonly id: string;
  readonly solver: string;
  readonly scores: readonly ProblemScore[];
}

export interface EvaluationDifference {
  readonly id: string;
  readonly against: string;
  readonly k: number;
  /** PASS@k of the two over the same problems. */
  readonly first: number;
  readonly second: number;
  /** Second minus first, paired by problem. */
  readonly difference: Estimate;
  readonly better: number;
  readonly worse: number;
  /** Problems that only one of them has, has in another version, or has too few answers to. */
  readonly leftOut: number;
  /** `higher` or `lower` only where the 95 % interval leaves 0 out. */
  readonly shown: 'higher' | 'lower' | 'none';
}

/**
 * Every other evaluation against the first one, problem by problem: problems differ far more than solvers do, so that a
 * difference of two averages would drown in them.
 */
export function differencesOf(
  evaluations: readonly ComparedEvaluation[],
  k: number,
  uniform: () => number,
): EvaluationDifference[] {
  const [base, ...others] = evaluations;
  return base ? others.map((other) => differenceOf(base, other, k, uniform)) : [];
}

function differenceOf(
  base: ComparedEvaluation,
  other: ComparedEvaluation,
  k: number,
  uniform: () => number,
): EvaluationDifference {
  const known = new Map(base.scores.map((score) => [score.problem.instance.sha256, score]));
  const pairs = other.scores.flatMap((score): [number, number][] => {
    const first = known.get(score.problem.instance.sha256);
    if (!first || first.judged < k || score.judged < k) return [];
    return [[passAtK(first.judged, first.passed, k), passAtK(score.judged, score.passed, k)]];
  });
  const ids = new Set([...base.scores, ...other.scores].map(({ problem }) => problem.id));
  const difference = meanDifference(pairs, uniform);
  const mean = (at: 0 | 1) => (pairs.length === 0 ? 0 : pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length);
  return {
    id: other.id,
    against: base.id,
    k,
    first: mean(0),
    second: mean(1),
    difference,
    better: pairs.filter(([first, second]) => second > first).length,
    worse: pairs.filter(([first, second]) => second < first).length,
    leftOut: ids.size - pairs.length,
    shown: difference.low > 0 ? 'higher' : difference.high < 0 ? 'lower' : 'none',
  };
}
