import type { Stream } from '../../rollout/random';
import { fitGaussian, squaredFrechet } from '../gaussian';
import type { Gram } from '../linear/gram';
import { shuffle } from '../shuffle';
import { rowsByInstance, type Stratum, type TwoGroups } from './groups';
import { type ReplicateRule, replicatesOf } from './replicates';

/** Pairs of replicates behind each distance of the null: with all pairs a thousand shuffles would take an hour. */
const PAIRS = 64;

export interface PermutationTest {
  readonly gram: Gram;
  readonly groups: TwoGroups;
  readonly strata: readonly Stratum[];
  readonly rule: ReplicateRule;
  readonly permutations: number;
  readonly stream: Stream;
}

/** Which places of the two groups make replicates, and which of these are compared. Drawn once, the same for all labels. */
interface Layout {
  readonly student: readonly Int32Array[];
  readonly expert: readonly Int32Array[];
  readonly pairs: readonly (readonly [student: number, expert: number])[];
}

/**
 * Probability of a distance at least as large as the one seen, were the labels of rollouts nothing but names: whole rollouts
 * swap labels, within their instance. (1 + shuffles that reach it) / (1 + shuffles), which is valid for any number of them
 * (Phipson and Smyth 2010). Null where no instance has rollouts of both, so that there is nothing to swap.
 */
export function permutationPValue(test: PermutationTest): number | null {
  const { gram, groups, strata, rule, permutations, stream } = test;
  const layouts = strata.map(({ student, expert }): Layout => {
    const [first, second] = [replicatesOf(student.length, rule, stream), replicatesOf(expert.length, rule, stream)];
    const pairs = chosenPairs(first.positions.length, second.positions.length);
    return { student: first.positions, expert: second.positions, pairs };
  });
  const labels = Int32Array.from({ length: gram.n }, (_, row) => row);
  const blocks = rowsByInstance(groups).map((rows) => Int32Array.from(rows));
  const mixed = blocks.some((rows) => rows[0]! < groups.students && rows.at(-1)! >= groups.students);
  if (!mixed) return null;
  const seen = statistic(gram, strata, layouts, labels);
  let reached = 0;
  for (let at = 0; at < permutations; at++) {
    for (const rows of blocks)
      for (const [place, row] of shuffle(rows.slice(), stream).entries()) labels[rows[place]!] = row;
    // A hair below, so that a shuffle that changes nothing counts as equal whatever the order of its sums.
    if (statistic(gram, strata, layouts, labels) >= seen * (1 - 1e-12)) reached += 1;
  }
  return (1 + reached) / (1 + permutations);
}

/** Mean squared Fréchet distance when the rollout at a place is the one that `labels` puts there. */
function statistic(gram: Gram, strata: readonly Stratum[], layouts: readonly Layout[], labels: Int32Array): number {
  let sum = 0;
  for (const [at, { student, expert, pairs }] of layouts.entries()) {
    const stratum = strata[at]!;
    const first = student.map((places) =>
      fitGaussian(
        gram,
        places.map((place) => labels[stratum.student[place]!]!),
      ),
    );
    const second = expert.map((places) =>
      fitGaussian(
        gram,
        places.map((place) => labels[stratum.expert[place]!]!),
      ),
    );
    let within = 0;
    for (const [i, j] of pairs) within += squaredFrechet(gram, first[i]!, second[j]!);
    sum += within / pairs.length;
  }
  return sum / layouts.length;
}

/** All pairs where they are few, else whole diagonals, so that each replicate counts as often as the others. */
function chosenPairs(rows: number, columns: number): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  const longer = Math.max(rows, columns);
  for (let offset = 0; offset < Math.min(rows, columns); offset++) {
    if (offset > 0 && pairs.length + longer > PAIRS) break;
    for (let at = 0; at < longer; at++) {
      pairs.push(rows >= columns ? [at, (at + offset) % columns] : [(at + offset) % rows, at]);
    }
  }
  return pairs;
}
