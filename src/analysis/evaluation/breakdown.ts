import type { ProblemEntry } from '../../contract';

export interface Dimension {
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
