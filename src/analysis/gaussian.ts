import { type Cholesky, cholesky, inverseForm } from './linear/cholesky';
import type { Gram } from './linear/gram';
import { nuclearNorm } from './linear/singular-values';

/**
 * A Gaussian fitted to a few of the vectors that a Gram matrix is of (sample mean, sample covariance with n − 1). In d
 * dimensions its covariance has rank n − 1 at most, so everything about it follows from inner products and no d × d matrix is
 * ever made.
 */
export interface FittedGaussian {
  /** Rows of the Gram matrix; one may stand there twice. */
  readonly members: Int32Array;
  /** Squared length of the mean. */
  readonly meanSquare: number;
  /** Inner product of each member with the mean. */
  readonly withMean: Float64Array;
  /** Trace of the covariance. */
  readonly trace: number;
}

/** A Gaussian whose covariance has the ridge ε added to its diagonal, so that it has an inverse and a density. */
export interface RidgedGaussian extends FittedGaussian {
  readonly ridge: number;
  readonly factor: Cholesky;
  /** Trace of (Σ + εI)⁻¹ Σ. */
  readonly effectiveRank: number;
}

export function fitGaussian({ n, values }: Gram, members: Int32Array): FittedGaussian {
  const size = members.length;
  const withMean = new Float64Array(size);
  let meanSquare = 0;
  let squares = 0;
  for (let i = 0; i < size; i++) {
    const row = members[i]! * n;
    let sum = 0;
    for (let j = 0; j < size; j++) sum += values[row + members[j]!]!;
    withMean[i] = sum / size;
    meanSquare += sum;
    squares += values[row + members[i]!]!;
  }
  meanSquare /= size * size;
  return { members, meanSquare, withMean, trace: Math.max(0, squares - size * meanSquare) / (size - 1) };
}

export function withRidge({ n, values }: Gram, gaussian: FittedGaussian, ridge: number): RidgedGaussian {
  const { members, withMean, meanSquare } = gaussian;
  const size = members.length;
  const self = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const product = values[members[i]! * n + members[j]!]!;
      self[i * size + j] = (product - withMean[i]! - withMean[j]! + meanSquare) / (size - 1);
    }
  }
  const factor = cholesky(self, size, ridge);
  const scratch = new Float64Array(size);
  let inverseTrace = 0;
  for (let j = 0; j < size; j++) {
    const axis = new Float64Array(size);
    axis[j] = 1;
    inverseTrace += inverseForm(factor, axis, 0, 1, scratch);
  }
  return { ...gaussian, ridge, factor, effectiveRank: size - ridge * inverseTrace };
}

/** What two Gaussians have with each other: A and B are their centred members over √(n − 1), so that Σ = AᵀA. */
interface Between {
  /** A Bᵀ, row by row. */
  readonly cross: Float64Array;
  /** Squared distance of the means. */
  readonly apart: number;
  /** B (μ₁ − μ₂). */
  readonly along: Float64Array;
}

function between({ n, values }: Gram, first: FittedGaussian, second: FittedGaussian): Between {
  const [rows, columns] = [first.members.length, second.members.length];
  const cross = new Float64Array(rows * columns);
  const rowMeans = new Float64Array(rows);
  const columnMeans = new Float64Array(columns);
  let mean = 0;
  for (let i = 0; i < rows; i++) {
    const row = first.members[i]! * n;
    for (let j = 0; j < columns; j++) {
      const product = values[row + second.members[j]!]!;
      cross[i * columns + j] = product;
      rowMeans[i]! += product / columns;
      columnMeans[j]! += product / rows;
    }
    mean += rowMeans[i]! / rows;
  }
  const scale = 1 / Math.sqrt((rows - 1) * (columns - 1));
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const at = i * columns + j;
      cross[at] = (cross[at]! - rowMeans[i]! - columnMeans[j]! + mean) * scale;
    }
  }
  const along = new Float64Array(columns);
  for (let j = 0; j < columns; j++)
    along[j] = (columnMeans[j]! - second.withMean[j]! - mean + second.meanSquare) / Math.sqrt(columns - 1);
  return { cross, apart: Math.max(0, first.meanSquare + second.meanSquare - 2 * mean), along };
}

/**
 * Squared Fréchet distance ‖μ₁ − μ₂‖² + Tr(Σ₁ + Σ₂ − 2 (Σ₁^½ Σ₂ Σ₁^½)^½), the convention of FID. Exact: the trace of the root
 * is the sum of the singular values of A Bᵀ, which is as small as the groups are.
 */
export function squaredFrechet(gram: Gram, first: FittedGaussian, second: FittedGaussian): number {
  return frechetOf(first, second, between(gram, first, second));
}

/** Squared Fréchet distance, and KL(first ‖ second) in nats of the Gaussians with their ridge. */
export function distances(gram: Gram, first: RidgedGaussian, second: RidgedGaussian): { fd2: number; kl: number } {
  const both = between(gram, first, second);
  // First: the singular values are taken in place.
  const kl = klOf(first, second, both);
  return { kl, fd2: frechetOf(first, second, both) };
}

function frechetOf(first: FittedGaussian, second: FittedGaussian, { cross, apart }: Between): number {
  const root = nuclearNorm(cross, first.members.length, second.members.length);
  return Math.max(0, apart + first.trace + second.trace - 2 * root);
}

/**
 * ½ [tr(S₂⁻¹ S₁) + (μ₂ − μ₁)ᵀ S₂⁻¹ (μ₂ − μ₁) − d + ln |S₂| / |S₁|] with S = Σ + εI. By Woodbury's identity
 * S₂⁻¹ = (I − Bᵀ (B Bᵀ + εI)⁻¹ B) / ε, and the two traces of d cancel.
 */
function klOf(first: RidgedGaussian, second: RidgedGaussian, { cross, apart, along }: Between): number {
  const { ridge } = second;
  const [rows, columns] = [first.members.length, second.members.length];
  const scratch = new Float64Array(columns);
  let inside = 0;
  for (let i = 0; i < rows; i++) inside += inverseForm(second.factor, cross, i * columns, 1, scratch);
  const traces = (first.trace - inside) / ridge - second.effectiveRank;
  const mean = (apart - inverseForm(second.factor, along, 0, 1, scratch)) / ridge;
  // |Σ + εI| in d dimensions is ε^(d − n) times the determinant of the n × n form.
  const volumes = second.factor.logDeterminant - first.factor.logDeterminant + (rows - columns) * Math.log(ridge);
  return Math.max(0, (traces + mean + volumes) / 2);
}
