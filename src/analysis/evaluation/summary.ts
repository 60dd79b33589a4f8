import type { CandidateOutcome, EvaluationResult, ProblemEntry } from '../../contract';
import { meanOver } from '../bootstrap';
import { passAtK } from '../pass-at-k';
import { DIMENSIONS } from './breakdown';
import { repairStarts, scoresOf, solvedAfter } from './scores';

export type Summary = Pick<
  EvaluationResult,
  'problems' | 'solved' | 'passAtK' | 'breakdown' | 'verdicts' | 'repair' | 'cost'
>;

export interface Summarised {
  readonly problems: readonly ProblemEntry[];
  /** Sorted, so that sums of USD do not depend on who was done first. */
  readonly outcomes: readonly CandidateOutcome[];
  readonly k: readonly number[];
  /** Iterations of self-repair that were asked for. */
  readonly repairs: number;
}

/** All figures of an evaluation. `uniform` drives the bootstrap: equal streams give equal intervals. */
export function summaryOf({ problems, outcomes, k, repairs }: Summarised, uniform: () => number): Summary {
  const scores = scoresOf(problems, outcomes);
  const estimate = (of: typeof scores, drawn: number) =>
    meanOver(
      of.filter(({ judged }) => judged >= drawn).map(({ judged, passed }) => passAtK(judged, passed, drawn)),
      uniform,
    );
  return {
    problems: problems.length,
    solved: scores.filter(({ passed }) => passed > 0).length,
    passAtK: [...new Set(k)].sort((a, b) => a - b).map((each) => ({ k: each, estimate: estimate(scores, each) })),
    breakdown: DIMENSIONS.flatMap(({ by, buckets }) =>
      buckets.flatMap(({ name, holds }) => {
        const held = scores.filter(({ problem }) => holds(problem));
        return held.length === 0 ? [] : [{ by, bucket: name, estimate: estimate(held, 1) }];
      }),
    ),
    verdicts: countsOf(outcomes.filter(({ repair }) => repair === 0)),
    repair: repairs === 0 ? null : repairOf(problems, outcomes, repairs, uniform),
    cost: {
      usd: outcomes.reduce((sum, { cost }) => sum + cost.usd, 0),
      tokens: outcomes.reduce((sum, { cost }) => sum + cost.tokens, 0),
    },
  };
}

function repairOf(
  problems: readonly ProblemEntry[],
  outcomes: readonly CandidateOutcome[],
  iterations: number,
  uniform: () => number,
): EvaluationResult['repair'] {
  const tried = repairStarts(problems, outcomes).length;
  const solved = solvedAfter(outcomes, iterations);
  const rate = (count: number) =>
    meanOver(
      Array.from({ length: tried }, (_, at) => (at < count ? 1 : 0)),
      uniform,
    );
  return { tried, solvedAfter: solved, rates: solved.map(rate) };
}

/** Verdicts by how often they came, most first; names in order where they are even. */
function countsOf(outcomes: readonly CandidateOutcome[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { verdict } of outcomes) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1)));
}
