/** Eigenvalues in no order, and the eigenvectors as columns of an n × n matrix, row by row. */
export interface TridiagonalEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

const MOST_ITERATIONS = 60;

/**
 * All eigenpairs of a symmetric tridiagonal matrix by the implicit QL algorithm with Wilkinson's shift (Bowdler, Martin,
 * Reinsch and Wilkinson 1968). `off` holds the n − 1 numbers beside the diagonal.
 */
export function tridiagonalEigen(diagonal: ArrayLike<number>, off: ArrayLike<number>): TridiagonalEigen {
  const n = diagonal.length;
  const d = Float64Array.from(diagonal);
  const e = new Float64Array(n);
  e.set(Array.from(off).slice(0, n - 1));
  const z = new Float64Array(n * n);
  for (let i = 0; i < n; i++) z[i * n + i] = 1;
  for (let l = 0; l < n; l++) {
    for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
      let m = l;
      for (; m < n - 1; m++) {
        const size = Math.abs(d[m]!) + Math.abs(d[m + 1]!);
        if (Math.abs(e[m]!) <= Number.EPSILON * size) break;
      }
      if (m === l) break;
      chase(d, e, z, n, l, m);
    }
  }
  return { values: d, vectors: z };
}

/** One QL step on the unreduced block from `l` to `m`. */
function chase(d: Float64Array, e: Float64Array, z: Float64Array, n: number, l: number, m: number): void {
  const half = (d[l + 1]! - d[l]!) / (2 * e[l]!);
  const root = Math.hypot(half, 1);
  let g = d[m]! - d[l]! + e[l]! / (half + (half >= 0 ? root : -root));
  let [sine, cosine, shift] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const f = sine * e[i]!;
    const b = cosine * e[i]!;
    const length = Math.hypot(f, g);
    e[i + 1] = length;
    if (length === 0) {
      d[i + 1]! -= shift;
      e[m] = 0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    g = d[i + 1]! - shift;
    const r = (d[i]! - g) * sine + 2 * cosine * b;
    shift = sine * r;
    d[i + 1] = g + shift;
    g = cosine * r - b;
    for (let k = 0; k < n; k++) {
      const [low, high] = [z[k * n + i]!, z[k * n + i + 1]!];
      z[k * n + i + 1] = sine * low + cosine * high;
      z[k * n + i] = cosine * low - sine * high;
    }
  }
  d[l]! -= shift;
  e[l] = g;
  e[m] = 0;
}
