/** A positive definite matrix as L Lᵀ, row by row in the lower triangle. */
export interface Cholesky {
  readonly n: number;
  readonly factor: Float64Array;
  /** ln of the matrix' determinant. */
  readonly logDeterminant: number;
}

/** Factors `matrix` + `shift` · I, where `matrix` is n × n, symmetric and at least semidefinite, and `shift` > 0. */
export function cholesky(matrix: Float64Array, n: number, shift: number): Cholesky {
  const factor = new Float64Array(n * n);
  let logDeterminant = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j]! + (i === j ? shift : 0);
      for (let k = 0; k < j; k++) sum -= factor[i * n + k]! * factor[j * n + k]!;
      // Rounding may take a direction without variance below zero: what is left of it is the shift.
      factor[i * n + j] = i === j ? Math.sqrt(Math.max(sum, shift * Number.EPSILON)) : sum / factor[j * n + j]!;
    }
    logDeterminant += 2 * Math.log(factor[i * n + i]!);
  }
  return { n, factor, logDeterminant };
}

/** vᵀ M⁻¹ v, with `v` the `n` numbers of `values` from `from` on, `step` apart. `scratch` holds n numbers. */
export function inverseForm(
  { n, factor }: Cholesky,
  values: Float64Array,
  from: number,
  step: number,
  scratch: Float64Array,
): number {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let value = values[from + i * step]!;
    for (let k = 0; k < i; k++) value -= factor[i * n + k]! * scratch[k]!;
    value /= factor[i * n + i]!;
    scratch[i] = value;
    sum += value * value;
  }
  return sum;
}
