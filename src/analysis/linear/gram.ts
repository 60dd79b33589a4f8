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
/** Rows that the innermost loop takes at once: sixteen sums stand in registers. */
const BLOCK = 4;

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
  const { n, d } = rows;
  // Rows of zeros fill the last block, so that no loop has an edge.
  const padded = Math.ceil(n / BLOCK) * BLOCK;
  const z = padded === n ? rows.values : new Float64Array(padded * d);
  if (padded !== n) z.set(rows.values);
  const sums = new Float64Array(padded * padded);
  for (let k = 0; k < d; k += DEPTH) {
    const end = Math.min(d, k + DEPTH);
    for (let ti = 0; ti < padded; ti += TILE) {
      for (let tj = 0; tj <= ti; tj += TILE) {
        for (let i = ti; i < Math.min(padded, ti + TILE); i += BLOCK) {
          for (let j = tj; j < Math.min(i + 1, tj + TILE); j += BLOCK) addBlock(z, d, i, j, k, end, sums, padded);
        }
      }
    }
  }
  const values = padded === n ? sums : new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const sum = sums[i * padded + j]!;
      values[i * n + j] = sum;
      values[j * n + i] = sum;
    }
  }
  return { n, values };
}

/** Adds the products of rows i..i+3 with rows j..j+3 over the components from..end−1. */
function addBlock(
  z: Float64Array,
  d: number,
  i: number,
  j: number,
  from: number,
  end: number,
  sums: Float64Array,
  n: number,
): void {
  let [s00, s01, s02, s03] = [0, 0, 0, 0];
  let [s10, s11, s12, s13] = [0, 0, 0, 0];
  let [s20, s21, s22, s23] = [0, 0, 0, 0];
  let [s30, s31, s32, s33] = [0, 0, 0, 0];
  const [i0, j0] = [i * d, j * d];
  const [i1, i2, i3, j1, j2, j3] = [i0 + d, i0 + 2 * d, i0 + 3 * d, j0 + d, j0 + 2 * d, j0 + 3 * d];
  for (let k = from; k < end; k++) {
    const x0 = z[i0 + k]!;
    const x1 = z[i1 + k]!;
    const x2 = z[i2 + k]!;
    const x3 = z[i3 + k]!;
    const y0 = z[j0 + k]!;
    const y1 = z[j1 + k]!;
    const y2 = z[j2 + k]!;
    const y3 = z[j3 + k]!;
    s00 += x0 * y0;
    s01 += x0 * y1;
    s02 += x0 * y2;
    s03 += x0 * y3;
    s10 += x1 * y0;
    s11 += x1 * y1;
    s12 += x1 * y2;
    s13 += x1 * y3;
    s20 += x2 * y0;
    s21 += x2 * y1;
    s22 += x2 * y2;
    s23 += x2 * y3;
    s30 += x3 * y0;
    s31 += x3 * y1;
    s32 += x3 * y2;
    s33 += x3 * y3;
  }
  const [r0, r1, r2, r3] = [i * n + j, (i + 1) * n + j, (i + 2) * n + j, (i + 3) * n + j];
  sums[r0]! += s00;
  sums[r0 + 1]! += s01;
  sums[r0 + 2]! += s02;
  sums[r0 + 3]! += s03;
  sums[r1]! += s10;
  sums[r1 + 1]! += s11;
  sums[r1 + 2]! += s12;
  sums[r1 + 3]! += s13;
  sums[r2]! += s20;
  sums[r2 + 1]! += s21;
  sums[r2 + 2]! += s22;
  sums[r2 + 3]! += s23;
  sums[r3]! += s30;
  sums[r3 + 1]! += s31;
  sums[r3 + 2]! += s32;
  sums[r3 + 3]! += s33;
}
