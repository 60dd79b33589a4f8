/**
 * Probability that at least one of `k` answers passes, estimated without bias from `n` answers of which `c` passed:
 * 1 − C(n−c, k) / C(n, k) (Chen et al. 2021, eq. 1; R2E, section 5). As a product of factors between 0 and 1, because
 * binomials of a few hundred overflow. NaN where there are fewer than `k` answers.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k > n) return Number.NaN;
  // Fewer than k failures: every choice of k holds a pass.
  if (n - c < k) return 1;
  let allFail = 1;
  for (let i = n - c + 1; i <= n; i++) allFail *= 1 - k / i;
  return 1 - allFail;
}
