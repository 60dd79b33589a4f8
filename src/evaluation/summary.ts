import { meanOver } from '../analysis/bootstrap';
import { passAtK } from '../analysis/pass-at-k';
import type { CandidateOutcome, EvaluationResult, ProblemEntry } from '../contract';
import { repairStarts, scoresOf, solvedAfter } from './scores';

type Summary = Pick<EvaluationResult, 'problems' | 'solved' | 'passAtK' | 'breakdown' | 'verdicts' | 'repair' | 'cost'>;

interface Summarised {
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

interface Dimension {
  readonly by: string;
  /** In the order in which they are shown; each problem falls into exactly one. */
  readonly buckets: readonly { readonly name: string; holds(problem: ProblemEntry): boolean }[];
}

/** Fixed bounds and not quantiles, so that two evaluations of different problems can be read side by side. */
export const DIMENSIONS: readonly Dimension[] = [
  { by: 'dependencies', buckets: ranges([0, 1, 2, 4, 8, 16], ({ dependencies }) => dependencies) },
  { by: 'tokens', buckets: ranges([0, 50, 100, 200, 400], ({ tokens }) => tokens) },
  {
    by: 'where dependencies are',
    buckets: [
      { name: 'in its file', holds: ({ outOfFile }) => !outOfFile },
      { name: 'in other files too', holds: ({ outOfFile }) => outOfFile },
    ],
  },
];

/** Ranges from each bound to just below the next; the last is open. */
function ranges(bounds: readonly number[], of: (problem: ProblemEntry) => number): Dimension['buckets'] {
  return bounds.map((from, at) => {
    const next = bounds[at + 1];
    const name = next === undefined ? `${from} and more` : next - from === 1 ? String(from) : `${from}–${next - 1}`;
    return { name, holds: (problem) => of(problem) >= from && (next === undefined || of(problem) < next) };
  });
}
