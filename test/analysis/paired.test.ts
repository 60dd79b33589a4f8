import fc from 'fast-check';
import { countPairs, mcnemarExact, type PairedCounts, pairedDifference, wilson } from '../../src/analysis/paired';

const counts = (both: number, onlySecond: number, onlyFirst: number, neither: number): PairedCounts => ({
  both,
  onlyFirst,
  onlySecond,
  neither,
});

describe('paired proportions', () => {
  // Worked examples of the literature: Bentur 2009 in Fagerland et al. 2014; Altman et al. 2000, table 6.2; Newcombe 1998.
  it.each([
    ['airway responsiveness', counts(1, 1, 7, 12), -0.286, -0.507, -0.026],
    ['two readings', counts(14, 5, 0, 22), 0.122, 0.011, 0.226],
    ['an empty corner', counts(36, 12, 2, 0), 0.2, 0.0569, 0.3404],
  ])('has the published interval of %s', (_, given, difference, low, high) => {
    const found = pairedDifference(given);
    expect(found.difference).toBeCloseTo(difference, 3);
    expect(found.low).toBeCloseTo(low, 3);
    expect(found.high).toBeCloseTo(high, 3);
  });

  it('stays wide where nothing differs in few cases, and is everything without a case', () => {
    const even = pairedDifference(counts(5, 0, 0, 0));
    expect(even.difference).toBe(0);
    expect(even.high).toBeGreaterThan(0.3);
    expect(even.low).toBeCloseTo(-even.high, 12);
    expect(pairedDifference(counts(0, 0, 0, 0))).toEqual({ difference: 0, low: -1, high: 1 });
  });

  it('holds its own estimate, and turns over with the two sides', () => {
    const cell = fc.nat(300);
    fc.assert(
      fc.property(cell, cell, cell, cell, (both, onlyFirst, onlySecond, neither) => {
        const one = pairedDifference({ both, onlyFirst, onlySecond, neither });
        const turned = pairedDifference({ both, onlyFirst: onlySecond, onlySecond: onlyFirst, neither });
        expect(one.low).toBeLessThanOrEqual(one.difference + 1e-12);
        expect(one.high).toBeGreaterThanOrEqual(one.difference - 1e-12);
        expect(one.low).toBeGreaterThanOrEqual(-1);
        expect(one.high).toBeLessThanOrEqual(1);
        expect(turned.low).toBeCloseTo(-one.high, 10);
        expect(turned.high).toBeCloseTo(-one.low, 10);
      }),
    );
  });

  it('counts pairs by their cell', () => {
    const pairs = [
      [true, true],
      [true, false],
      [false, true],
      [false, true],
      [false, false],
    ] as const;
    expect(countPairs(pairs)).toEqual({ both: 1, onlyFirst: 1, onlySecond: 2, neither: 1 });
  });
});

describe('McNemar, exact', () => {
  it.each([
    [1, 7, 18 / 256],
    [5, 0, 2 / 32],
    [2, 12, (2 * (1 + 14 + 91)) / 2 ** 14],
    [3, 3, 1],
    [0, 0, 1],
  ])('%d against %d', (onlyFirst, onlySecond, p) => {
    expect(mcnemarExact({ both: 9, onlyFirst, onlySecond, neither: 4 })).toBeCloseTo(p, 12);
  });

  it('does not overflow on thousands of pairs', () => {
    const p = mcnemarExact(counts(0, 1_050, 950, 0));
    // The normal approximation with correction: z = 99 / √2000.
    expect(p).toBeCloseTo(0.0269, 3);
  });
});

it("has Wilson's interval of a proportion", () => {
  // Newcombe 1998, Statistics in Medicine 17:857, table I, method 3.
  const rounded = ({ low, high }: { low: number; high: number }) => [low.toFixed(4), high.toFixed(4)];
  expect(rounded(wilson(81, 263))).toEqual(['0.2553', '0.3662']);
  expect(rounded(wilson(15, 148))).toEqual(['0.0624', '0.1605']);
  expect(rounded(wilson(0, 20))).toEqual(['0.0000', '0.1611']);
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});
