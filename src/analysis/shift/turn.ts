import type { CovariateShiftInput, ShiftPoint } from '../../contract';
import { hashKey, type Stream } from '../../rollout/random';
import { distances, fitGaussian, squaredFrechet, withRidge } from '../gaussian';
import { centredRows, type Gram, gramOf } from '../linear/gram';
import { leadingEigen } from '../linear/leading-eigen';
import { type Stratum, strataOf } from './groups';
import { intervalOf, type PairMatrix } from './interval';
import { permutationPValue } from './permutation';
import { halvesOf, type ReplicateRule, replicatesOf } from './replicates';

export type ShiftOptions = Pick<
  CovariateShiftInput,
  'replicateSize' | 'bootstrapReplicates' | 'over' | 'ridge' | 'pcaDimensions' | 'permutations' | 'seed'
>;

/** A rollout that still runs at a turn: its history up to there as a vector. */
export interface EmbeddedHistory {
  readonly instance: string;
  readonly vector: ArrayLike<number>;
}

export interface TurnOfTwo {
  readonly student: string;
  readonly turn: number;
  readonly dimensions: number;
  readonly studentHistories: readonly EmbeddedHistory[];
  readonly expertHistories: readonly EmbeddedHistory[];
}

/** Figures of one stratum: all pairs of replicates. */
interface Measured {
  readonly fd2: PairMatrix;
  readonly fd: PairMatrix;
  readonly kl: PairMatrix;
  readonly pcaFd2: PairMatrix;
  readonly baselineFd2: PairMatrix | undefined;
  readonly bootstrapped: boolean;
}

/**
 * How far a student's histories are from the expert's at one turn (OEC, section 4.3 and appendix E). The inner products of all
 * histories are taken once; every distance, the reduced space and the null follow from them. The same input and seed give the
 * same bytes.
 */
export function shiftAtTurn(at: TurnOfTwo, options: ShiftOptions): ShiftPoint {
  const { student, turn, studentHistories, expertHistories } = at;
  const [nStudent, nExpert] = [studentHistories.length, expertHistories.length];
  const all = [...studentHistories, ...expertHistories];
  const groups = { instances: all.map(({ instance }) => instance), students: nStudent };
  const strata = strataOf(groups, options.over);
  const point = { student, turn, nStudent, nExpert };
  if (strata.length === 0) return { ...point, bootstrapped: false, ...NOTHING };
  const gram = gramOf(
    centredRows(
      all.map(({ vector }) => vector),
      at.dimensions,
    ),
  );
  const reduced = reducedGram(gram, options.pcaDimensions);
  const rule: ReplicateRule = { size: options.replicateSize, bootstrapped: options.bootstrapReplicates };
  const stream = (what: string) => hashKey(`${what} ${options.seed} ${student} ${turn}`);
  const draws = stream('replicates');
  const measured = strata.map((stratum) => measure(stratum, { gram, reduced, rule, ridge: options.ridge }, draws));
  const interval = (of: (each: Measured) => PairMatrix | undefined, what: string) =>
    intervalOf(
      measured.map(of).filter((each) => each !== undefined),
      stream(what),
    );
  const { permutations } = options;
  return {
    ...point,
    bootstrapped: measured.some(({ bootstrapped }) => bootstrapped),
    fd2: interval(({ fd2 }) => fd2, 'fd2'),
    fd: interval(({ fd }) => fd, 'fd'),
    baselineFd2: interval(({ baselineFd2 }) => baselineFd2, 'baseline'),
    kl: interval(({ kl }) => kl, 'kl'),
    pcaFd2: interval(({ pcaFd2 }) => pcaFd2, 'pca'),
    pValue:
      permutations === 0
        ? null
        : permutationPValue({ gram, groups, strata, rule, permutations, stream: stream('permutations') }),
  };
}

const NOTHING = { fd2: null, fd: null, baselineFd2: null, kl: null, pcaFd2: null, pValue: null };

/**
 * Inner products in the space of the leading principal components of all histories of the turn, both policies pooled. With n
 * ≪ d the components come from the n × n matrix: its eigenvectors times the roots of its eigenvalues are the scores.
 */
function reducedGram(gram: Gram, dimensions: number): Gram {
  const { values, vectors } = leadingEigen(gram, dimensions);
  const { n } = gram;
  const d = values.length;
  const scores = new Float64Array(n * d);
  for (let k = 0; k < d; k++) {
    const root = Math.sqrt(values[k]!);
    for (let i = 0; i < n; i++) scores[i * d + k] = vectors[k * n + i]! * root;
  }
  return gramOf({ n, d, values: scores });
}

interface Space {
  readonly gram: Gram;
  readonly reduced: Gram;
  readonly rule: ReplicateRule;
  readonly ridge: number;
}

function measure({ student, expert }: Stratum, { gram, reduced, rule, ridge }: Space, stream: Stream): Measured {
  const [first, second] = [replicatesOf(student.length, rule, stream), replicatesOf(expert.length, rule, stream)];
  const halves = halvesOf(expert.length, rule, stream);
  const rowsOf = (replicates: readonly Int32Array[], rows: Int32Array) =>
    replicates.map((places) => places.map((place) => rows[place]!));
  const [students, experts] = [rowsOf(first.positions, student), rowsOf(second.positions, expert)];
  const [rows, columns] = [students.length, experts.length];
  const fit = (members: Int32Array) => withRidge(gram, fitGaussian(gram, members), ridge);
  const [left, right] = [students.map(fit), experts.map(fit)];
  const matrix = (): PairMatrix => ({ rows, columns, values: new Float64Array(rows * columns) });
  const [fd2, fd, kl] = [matrix(), matrix(), matrix()];
  for (const [i, one] of left.entries()) {
    for (const [j, other] of right.entries()) {
      const found = distances(gram, one, other);
      fd2.values[i * columns + j] = found.fd2;
      fd.values[i * columns + j] = Math.sqrt(found.fd2);
      kl.values[i * columns + j] = found.kl;
    }
  }
  return {
    fd2,
    fd,
    kl,
    pcaFd2: frechetMatrix(reduced, students, experts),
    baselineFd2: halves && frechetMatrix(gram, rowsOf(halves[0], expert), rowsOf(halves[1], expert)),
    bootstrapped: first.bootstrapped || second.bootstrapped,
  };
}

function frechetMatrix(gram: Gram, first: readonly Int32Array[], second: readonly Int32Array[]): PairMatrix {
  const [left, right] = [first, second].map((each) => each.map((members) => fitGaussian(gram, members)));
  const values = new Float64Array(first.length * second.length);
  for (const [i, one] of left!.entries())
    for (const [j, other] of right!.entries()) values[i * second.length + j] = squaredFrechet(gram, one, other);
  return { rows: first.length, columns: second.length, values };
}
