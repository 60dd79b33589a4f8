import fc from 'fast-check';
import { bars } from '../../../src/pages/charts/bars';
import { dots } from '../../../src/pages/charts/dots';
import { fitted, textWidth, WIDTH } from '../../../src/pages/charts/drawing';
import { funnelChart } from '../../../src/pages/charts/funnel';
import { histogram } from '../../../src/pages/charts/histogram';
import { lines } from '../../../src/pages/charts/lines';
import { quantileChart, quantilesOf } from '../../../src/pages/charts/quantiles';
import { linear, ticks, tickText, wholeTicks } from '../../../src/pages/charts/scale';
import type { Html } from '../../../src/pages/html';

const ABOUT = { title: 'A chart', description: 'What it shows.' };
const value = fc.double({ min: -1e9, max: 1e9, noNaN: true });

/** Numbers in attributes, by name, of every element of a kind. */
function drawnAs(chart: Html, element: string, ...names: readonly string[]): number[][] {
  return [...chart.markup.matchAll(new RegExp(`<${element}\\b[^>]*>`, 'g'))].map(([tag]) =>
    names.map((name) => Number(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? Number.NaN)),
  );
}

describe('ticks', () => {
  test('are round, evenly apart, and cover the range without much beyond', () => {
    fc.assert(
      fc.property(value, value, fc.integer({ min: 2, max: 12 }), (a, b, wanted) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        fc.pre(high - low > 1e-6 * Math.max(1, Math.abs(low), Math.abs(high)));
        const found = ticks(low, high, wanted);
        const step = found[1]! - found[0]!;
        const size = 10 ** Math.floor(Math.log10(step) + 1e-9);
        expect([1, 2, 5, 10].some((each) => Math.abs(step / size - each) < 1e-3)).toBe(true);
        expect(found[0]!).toBeLessThanOrEqual(low + step * 1e-6);
        expect(found.at(-1)!).toBeGreaterThanOrEqual(high - step * 1e-6);
        expect(found[0]!).toBeGreaterThan(low - step * 1.001);
        expect(found.at(-1)!).toBeLessThan(high + step * 1.001);
        expect(found.length).toBeLessThanOrEqual(wanted * 2 + 3);
      }),
    );
  });

  test('of counts are whole', () => {
    fc.assert(fc.property(fc.nat(1_000_000), (high) => expect(wholeTicks(0, high).every(Number.isInteger)).toBe(true)));
    expect(wholeTicks(0, 1)).toEqual([0, 1]);
    expect(wholeTicks(0, 3)).toEqual([0, 1, 2, 3]);
  });

  test('are written with the digits that tell them apart', () => {
    const written = (low: number, high: number) => ticks(low, high).map(tickText(ticks(low, high)));
    expect(written(0, 1)).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect(written(0, 10_000)).toEqual(['0', '2,000', '4,000', '6,000', '8,000', '10,000']);
    expect(written(0, 0.0003)[1]).toBe('0.0001');
    expect(new Set(written(0, 1e-9)).size).toBe(written(0, 1e-9).length);
    expect(ticks(5, 5).length).toBeGreaterThan(1);
  });

  test('a scale takes ends to ends, and a range without extent to one place', () => {
    const scale = linear([10, 20], [0, 100]);
    expect([scale(10), scale(15), scale(20)]).toEqual([0, 50, 100]);
    expect(linear([3, 3], [0, 100])(3)).toBe(0);
  });
});

test('a text that is too long is cut to the room it has, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 20, max: 400 }), (content, room) => {
      const cut = fitted(content, room);
      expect(textWidth(cut)).toBeLessThanOrEqual(room + 1e-9);
      if (cut !== content) expect(cut.endsWith('…')).toBe(true);
    }),
  );
});

test('quantiles agree with the definition on a known set', () => {
  const found = quantilesOf([4, 1, 3, 2, 5])!;
  expect(found).toEqual({ n: 5, p5: 1.2, p25: 2, median: 3, p75: 4, p95: 4.8 });
  expect(quantilesOf([])).toBeUndefined();
  expect(quantilesOf([7])).toEqual({ n: 1, p5: 7, p25: 7, median: 7, p75: 7, p95: 7 });
});

test('funnel: what is solid and what is hatched is together as long as the solid part above', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 1, maxLength: 7 }), fc.nat(500), (losses, left) => {
      let count = losses.reduce((sum, lost) => sum + lost, 0) + left;
      const levels = [{ label: 'planned', count, lost: 0, why: '' }];
      for (const lost of losses) {
        count -= lost;
        levels.push({ label: 'next', count, lost, why: 'tests failed' });
      }
      const chart = funnelChart({ ...ABOUT, name: 'oec', series: 0, levels });
      const rows = drawnAs(chart, 'rect', 'y', 'width');
      const widths = levels.map((_, at) => rows.filter(([y]) => y === 30 + at * 28 + 4).map(([, width]) => width!));
      for (const [at, level] of levels.entries()) {
        const drawn = widths[at]!.reduce((sum, width) => sum + width, 0);
        const expected = levels[0]!.count === 0 ? 0 : ((level.count + level.lost) / levels[0]!.count) * 262;
        expect(Math.abs(drawn - expected)).toBeLessThan(0.05);
      }
    }),
  );
});

test('histogram: the layers of a column stand on each other and are as high as the counts', () => {
  const layers = [
    { label: 'one', fill: { series: 0 } },
    { label: 'two', fill: { series: 1, texture: 'hatch' as const } },
  ];
  const about = { ...ABOUT, layers, axis: 'k', counted: 'rollouts' };
  const chart = histogram({
    ...about,
    columns: [
      { at: 0, counts: [4, 6] },
      { at: 3, counts: [0, 5] },
    ],
  });
  const drawn = drawnAs(chart, 'rect', 'y', 'height');
  expect(drawn).toHaveLength(3);
  const [[y1, h1], [y2, h2], [, h3]] = drawn as [number[], number[], number[]];
  expect(y2! + h2!).toBeCloseTo(y1!, 1);
  expect(h1! / h2!).toBeCloseTo(4 / 6, 2);
  expect(h3! / (h1! + h2!)).toBeCloseTo(0.5, 2);
  expect(chart.markup).toContain('k 0: one 4 of 10');
});

test('histogram: a wide range is put into bins, and no count is lost', () => {
  const columns = Array.from({ length: 400 }, (_, at) => ({ at: at * 3, counts: [1] }));
  const layers = [{ label: 'all', fill: { series: 0 } }];
  const chart = histogram({ ...ABOUT, layers, columns, axis: 'k', counted: 'n' });
  const counts = [...chart.markup.matchAll(/all (\d+) of/g)].map(([, count]) => Number(count));
  expect(counts.length).toBeLessThanOrEqual(64);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(400);
});

test('lines: a gap breaks the line, a lone point keeps its interval, names do not stand on each other', () => {
  const point = (x: number, mean: number) => ({ x, mean, low: mean - 1, high: mean + 1, says: `${x}` });
  const of = (name: string, series: number, mean: number) => ({
    name,
    series,
    points: [point(1, mean), point(2, mean), null, point(4, mean), null, point(6, mean)],
  });
  const chart = lines({
    ...ABOUT,
    lines: [of('a', 0, 5), of('b', 1, 5.01), of('c', 2, 5.02)],
    across: 'turn',
    up: 'distance',
  });
  expect(chart.markup.match(/<polyline/g)).toHaveLength(9);
  expect(chart.markup.match(/<polygon/g)).toHaveLength(3);
  const names = [...chart.markup.matchAll(/ y="([\d.]+)">[abc]</g)].map(([, y]) => Number(y)).sort((a, b) => a - b);
  expect(names).toHaveLength(3);
  expect(Math.min(names[1]! - names[0]!, names[2]! - names[1]!)).toBeGreaterThanOrEqual(15.9);
});

test('every chart draws within its width, with numbers only, for any values there may be', () => {
  const count = fc.nat(5000);
  const name = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, count, count), { maxLength: 12 }), (rows) => {
      const all = [
        bars({
          ...ABOUT,
          axis: 'n',
          whole: true,
          groups: [
            {
              title: 'g',
              bars: rows.map(([label, a, b]) => ({
                label,
                value: `${a + b}`,
                segments: [
                  { value: a, fill: { series: 0 }, says: label },
                  { value: b, fill: { series: 9 }, says: label },
                ],
              })),
            },
          ],
        }),
        dots({
          ...ABOUT,
          axis: 'share',
          format: String,
          references: [{ at: 0.0363, label: 'paper' }],
          groups: [
            {
              title: '',
              dots: rows.map(([label, a, b], series) => ({
                label,
                series,
                value: a === 0 ? null : a,
                low: a - b,
                high: a + b,
                says: label,
              })),
            },
          ],
        }),
        quantileChart({
          ...ABOUT,
          axis: 'turns',
          rows: rows.map(([label, a, b], series) => ({ label, series, quantiles: quantilesOf([a, b]), says: label })),
        }),
        lines({
          ...ABOUT,
          across: 'turn',
          up: 'd',
          lines: rows.map(([label, a, b], series) => ({
            name: label,
            series,
            points: [{ x: a, mean: b, says: label }],
          })),
        }),
        histogram({
          ...ABOUT,
          axis: 'k',
          counted: 'n',
          layers: [{ label: 'l', fill: { series: 0 } }],
          columns: rows.map(([, a, b]) => ({ at: a, counts: [b] })),
        }),
      ];
      for (const chart of all) {
        expect(chart.markup).not.toMatch(/NaN|Infinity|undefined/);
        for (const [x, width] of drawnAs(chart, 'rect', 'x', 'width')) {
          expect(x!).toBeGreaterThanOrEqual(-0.01);
          expect(x! + width!).toBeLessThanOrEqual(WIDTH + 0.01);
        }
        expect(chart.markup).toMatch(
          /^<svg class="chart" [^>]*role="img" aria-label="A chart"><desc>What it shows\.<\/desc>/,
        );
      }
    }),
  );
});
