import { kernelWith } from './gram-kernel';

/** Vectors of length `d`, one after the other. */
export interface Rows {
  readonly n: number;
  readonly d: number;
  readonly values: Float64Array;
}

/** Inner products of `n` rows with each other, row by row. */
export interface Gram {
  readonly n: number;
  readonly values: Float64Array;
}

/** Rows of a tile, and components taken at once: both panels of a tile then stay in the second-level cache. */
const [TILE, DEPTH] = [64, 512];
/** What the kernel takes at once: four rows, two others, and two components of each. Eight sums then stand in registers. */
const [ROWS, OTHERS, COMPONENTS] = [4, 2, 2];
const DOUBLE = Float64Array.BYTES_PER_ELEMENT;

/**
 * Rows less their mean. Distances do not change with the place of the origin, and inner products of vectors that are all
 * alike would lose the digits in which they differ.
 */
export function centredRows(vectors: readonly ArrayLike<number>[], d: number): Rows {
  const n = vectors.length;
  const mean = new Float64Array(d);
  for (const vector of vectors) for (let k = 0; k < d; k++) mean[k]! += vector[k]!;
  for (let k = 0; k < d; k++) mean[k]! /= Math.max(1, n);
  const values = new Float64Array(n * d);
  for (const [i, vector] of vectors.entries()) {
    const from = i * d;
    for (let k = 0; k < d; k++) values[from + k] = vector[k]! - mean[k]!;
  }
  return { n, d, values };
}

/** n² d / 2 multiplications, which is all that an analysis of n histories ever does in d dimensions. */
export function gramOf(rows: Rows): Gram {
  // Zeros fill the last blocks, so that no loop has an edge.
  const [n, d] = [upTo(rows.n, ROWS), upTo(rows.d, COMPONENTS)];
  const { memory, addBlock } = kernelWith((n * d + n * n) * DOUBLE);
  const z = new Float64Array(memory, 0, n * d);
  for (let i = 0; i < rows.n; i++) z.set(rows.values.subarray(i * rows.d, (i + 1) * rows.d), i * d);
  const sums = new Float64Array(memory, z.byteLength, n * n);
  for (let k = 0; k < d; k += DEPTH) {
    const taken = (Math.min(d, k + DEPTH) - k) * DOUBLE;
    for (let ti = 0; ti < n; ti += TILE) {
      for (let tj = 0; tj <= ti; tj += TILE) {
        for (let i = ti; i < Math.min(n, ti + TILE); i += ROWS) {
          for (let j = tj; j < Math.min(i + ROWS, tj + TILE); j += OTHERS) {
            const sum = z.byteLength + (i * n + j) * DOUBLE;
            addBlock((i * d + k) * DOUBLE, (j * d + k) * DOUBLE, d * DOUBLE, taken, sum, n * DOUBLE);
          }
        }
      }
    }
  }
  const values = new Float64Array(rows.n * rows.n);
  for (let i = 0; i < rows.n; i++) {
    for (let j = 0; j <= i; j++) {
      const sum = sums[i * n + j]!;
      values[i * rows.n + j] = sum;
      values[j * rows.n + i] = sum;
    }
  }
  return { n: rows.n, values };
}

const upTo = (count: number, block: number) => Math.ceil(count / block) * block;
