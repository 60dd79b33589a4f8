import fc from 'fast-check';
import { passAtK } from '../../src/analysis/pass-at-k';

/** Share of the ways to draw k of n answers that hold one of the c that passed, by drawing them all. */
function enumerated(n: number, c: number, k: number): number {
  let [all, good] = [0, 0];
  for (let drawn = 0; drawn < 1 << n; drawn++) {
    const chosen = Array.from({ length: n }, (_, at) => at).filter((at) => drawn & (1 << at));
    if (chosen.length !== k) continue;
    all += 1;
    if (chosen.some((at) => at < c)) good += 1;
  }
  return good / all;
}

const answers = fc
  .integer({ min: 1, max: 200 })
  .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n })));

test('it is what drawing every choice of k gives', () => {
  for (let n = 1; n <= 9; n++)
    for (let c = 0; c <= n; c++)
      for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(enumerated(n, c, k), 12);
});

test('a probability: it rises with k and with c, and k = 1 is the share that passed', () => {
  fc.assert(
    fc.property(answers, ([n, c, k]) => {
      const p = passAtK(n, c, k);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 12);
      if (k > 1) expect(p).toBeGreaterThanOrEqual(passAtK(n, c, k - 1) - 1e-12);
      if (c > 0) expect(p).toBeGreaterThanOrEqual(passAtK(n, c - 1, k) - 1e-12);
      expect(p === 0).toBe(c === 0);
    }),
  );
});

test('without bias: the mean over samples of n is the chance of k draws from the whole', () => {
  // All ways to see 6 of 10 answers of which 3 are right, against drawing k of those 10 directly.
  const [all, right, n] = [10, 3, 6];
  for (const k of [1, 2, 4, 6]) {
    let [sum, count] = [0, 0];
    for (let seen = 0; seen < 1 << all; seen++) {
      const bits = seen.toString(2);
      if ([...bits].filter((bit) => bit === '1').length !== n) continue;
      const c = Array.from({ length: right }, (_, at) => (seen >> at) & 1).reduce((a, b) => a + b, 0);
      sum += passAtK(n, c, k);
      count += 1;
    }
    expect(sum / count).toBeCloseTo(enumerated(all, right, k), 10);
  }
});

test('thousands of answers neither overflow nor lose their digits', () => {
  expect(passAtK(10_000, 1, 1)).toBeCloseTo(1e-4, 12);
  expect(passAtK(10_000, 5_000, 100)).toBeCloseTo(1, 12);
  expect(passAtK(5, 2, 6)).toBeNaN();
});
