import { hashKey, uniformUnit } from '../../rollout/random';
import type { Gram } from './gram';
import { tridiagonalEigen } from './tridiagonal';

export interface Eigenpairs {
  /** Descending. */
  readonly values: Float64Array;
  /** Vectors of length n, one after the other. */
  readonly vectors: Float64Array;
}

/** Of the largest eigenvalue; the residual of each pair is below it. */
const TOLERANCE = 1e-10;
/** A look at what has converged costs as much as all steps before it, so each waits for a quarter more of them. */
const [FIRST_LOOK, MORE] = [24, 1.25];

/**
 * The `count` largest eigenvalues of a positive semidefinite matrix with their vectors: Lanczos with full
 * reorthogonalisation, because few of a thousand are wanted. Deterministic: the start is drawn from a fixed stream, and each
 * vector's largest component is positive. Gives fewer where the matrix has no more directions than that.
 */
export function leadingEigen({ n, values: matrix }: Gram, count: number): Eigenpairs {
  const wanted = Math.min(count, n);
  const stream = hashKey('lanczos');
  const basis: Float64Array[] = [];
  const [diagonal, off]: [number[], number[]] = [[], []];
  let scale = 0;
  for (let i = 0; i < n; i++) scale = Math.max(scale, matrix[i * n + i]!);
  if (scale === 0 || wanted === 0) return { values: new Float64Array(0), vectors: new Float64Array(0) };
  let next = fresh(n, stream, basis);
  let look = FIRST_LOOK;
  while (next && basis.length < n) {
    basis.push(next);
    const product = times(matrix, n, next);
    diagonal.push(dot(product, next));
    // Twice: once leaves what rounding put back.
    for (let pass = 0; pass < 2; pass++) removeAll(product, basis);
    const length = Math.sqrt(dot(product, product));
    const exhausted = length <= scale * n * Number.EPSILON;
    off.push(exhausted ? 0 : length);
    if (exhausted) next = fresh(n, stream, basis);
    else next = product.map((value) => value / length);
    if (exhausted || basis.length < Math.max(look, wanted + 1)) continue;
    look = Math.ceil(basis.length * MORE);
    if (converged(diagonal, off, wanted)) break;
  }
  const { values, vectors } = tridiagonalEigen(diagonal, off.slice(0, -1));
  const steps = diagonal.length;
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!).slice(0, wanted);
  // Below this a direction is rounding, not variance.
  const kept = order.filter((at) => values[at]! > scale * n * Number.EPSILON);
  const all = new Float64Array(kept.length * n);
  for (const [place, at] of kept.entries()) {
    const vector = all.subarray(place * n, (place + 1) * n);
    for (let step = 0; step < steps; step++) addTo(vector, basis[step]!, vectors[step * steps + at]!);
    faceUp(vector);
  }
  return { values: Float64Array.from(kept, (at) => values[at]!), vectors: all };
}

/** The last component of each Ritz vector bounds its residual. */
function converged(diagonal: readonly number[], off: readonly number[], wanted: number): boolean {
  const steps = diagonal.length;
  const { values, vectors } = tridiagonalEigen(diagonal, off.slice(0, -1));
  const order = [...values.keys()].sort((a, b) => values[b]! - values[a]!).slice(0, wanted);
  const largest = values[order[0]!]!;
  const last = off.at(-1)!;
  return order.every((at) => last * Math.abs(vectors[(steps - 1) * steps + at]!) <= TOLERANCE * largest);
}

/** A unit vector orthogonal to all of `basis`; undefined where there is none left. */
function fresh(n: number, stream: { state: number }, basis: readonly Float64Array[]): Float64Array | undefined {
  for (let attempt = 0; attempt < 3; attempt++) {
    const vector = Float64Array.from({ length: n }, () => uniformUnit(stream) - 0.5);
    for (let pass = 0; pass < 2; pass++) removeAll(vector, basis);
    const length = Math.sqrt(dot(vector, vector));
    if (length > 1e-8 * Math.sqrt(n)) return vector.map((value) => value / length);
  }
  return undefined;
}

function times(matrix: Float64Array, n: number, vector: Float64Array): Float64Array {
  const product = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const from = i * n;
    // Four sums at once: one alone waits for each addition.
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let j = 0;
    for (; j + 3 < n; j += 4) {
      a += matrix[from + j]! * vector[j]!;
      b += matrix[from + j + 1]! * vector[j + 1]!;
      c += matrix[from + j + 2]! * vector[j + 2]!;
      d += matrix[from + j + 3]! * vector[j + 3]!;
    }
    for (; j < n; j++) a += matrix[from + j]! * vector[j]!;
    product[i] = a + b + (c + d);
  }
  return product;
}

function removeAll(vector: Float64Array, basis: readonly Float64Array[]): void {
  for (const each of basis) addTo(vector, each, -dot(vector, each));
}

function addTo(vector: Float64Array, other: Float64Array, factor: number): void {
  for (let i = 0; i < vector.length; i++) vector[i]! += factor * other[i]!;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function faceUp(vector: Float64Array): void {
  let largest = 0;
  for (const value of vector) if (Math.abs(value) > Math.abs(largest)) largest = value;
  if (largest < 0) for (let i = 0; i < vector.length; i++) vector[i] = -vector[i]!;
}
