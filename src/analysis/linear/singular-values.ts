const MOST_SWEEPS = 60;
/** Squared cosine below which rows count as orthogonal: the sum of their lengths is then off by as much, relatively. */
const ORTHOGONAL = 1e-17;
/** Squared share of the matrix below which a row is rounding, and has no direction that could be turned. */
const NOTHING = 1e-30;

/**
 * Sum of the singular values of a small matrix (`rows` × `columns`, row by row), by one-sided Jacobi rotations: each value
 * has nearly full accuracy, which roots of eigenvalues of the squared matrix would lose. Overwrites `matrix`.
 */
export function nuclearNorm(matrix: Float64Array, rows: number, columns: number): number {
  let size = 0;
  for (let k = 0; k < rows * columns; k++) size += matrix[k]! * matrix[k]!;
  const nothing = size * NOTHING;
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let rotated = false;
    for (let p = 0; p < rows - 1; p++) {
      for (let q = p + 1; q < rows; q++)
        rotated = orthogonalise(matrix, p * columns, q * columns, columns, nothing) || rotated;
    }
    if (!rotated) break;
  }
  let sum = 0;
  for (let p = 0; p < rows; p++) {
    let square = 0;
    for (let k = p * columns; k < (p + 1) * columns; k++) square += matrix[k]! * matrix[k]!;
    sum += Math.sqrt(square);
  }
  return sum;
}

/** Turns two rows in their plane until they are orthogonal. False where they are already. */
function orthogonalise(matrix: Float64Array, p: number, q: number, length: number, nothing: number): boolean {
  let pp = 0;
  let qq = 0;
  let pq = 0;
  for (let k = 0; k < length; k++) {
    const a = matrix[p + k]!;
    const b = matrix[q + k]!;
    pp += a * a;
    qq += b * b;
    pq += a * b;
  }
  if (pq * pq <= ORTHOGONAL * pp * qq || pp <= nothing || qq <= nothing) return false;
  const zeta = (qq - pp) / (2 * pq);
  const tangent = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const sine = cosine * tangent;
  for (let k = 0; k < length; k++) {
    const a = matrix[p + k]!;
    const b = matrix[q + k]!;
    matrix[p + k] = cosine * a - sine * b;
    matrix[q + k] = sine * a + cosine * b;
  }
  return true;
}
