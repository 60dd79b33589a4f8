import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { distances, fitGaussian, squaredFrechet, withRidge } from '../../src/analysis/gaussian';
import { centredRows, gramOf } from '../../src/analysis/linear/gram';
import { leadingEigen } from '../../src/analysis/linear/leading-eigen';

interface Reference {
  readonly seed: number;
  readonly first: number;
  readonly second: number;
  readonly d: number;
  readonly shift: number;
  readonly scale: number;
  readonly ridge: number;
  readonly fd2: number;
  readonly kl: number;
  readonly leading: readonly number[];
}

/** Figures of dense d × d matrices by numpy and scipy: `reference/gaussians.py` makes them. */
const REFERENCES = JSON.parse(readFileSync(join(__dirname, 'reference/gaussians.json'), 'utf8')) as Reference[];

/** The same numbers as in `gaussians.py`. */
function samples(seed: number, n: number, d: number): Float64Array[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Array.from({ length: n }, () => Float64Array.from({ length: d }, next));
}

function measured(first: readonly ArrayLike<number>[], second: readonly ArrayLike<number>[], ridge: number) {
  const gram = gramOf(centredRows([...first, ...second], first[0]!.length));
  const range = (from: number, n: number) => Int32Array.from({ length: n }, (_, at) => from + at);
  const [one, other] = [range(0, first.length), range(first.length, second.length)].map((members) =>
    withRidge(gram, fitGaussian(gram, members), ridge),
  );
  return { ...distances(gram, one!, other!), gram };
}

const relative = (found: number, expected: number) => Math.abs(found - expected) / Math.abs(expected);

test.each(REFERENCES)(
  'Fréchet, KL and leading components as scipy has them: $first and $second in $d dimensions',
  (at) => {
    const first = samples(at.seed, at.first, at.d);
    const second = samples(at.seed + 1000, at.second, at.d).map((row) => row.map((x) => x * at.scale + at.shift));
    const { fd2, kl, gram } = measured(first, second, at.ridge);
    expect(relative(fd2, at.fd2)).toBeLessThan(1e-9);
    expect(relative(kl, at.kl)).toBeLessThan(1e-9);
    const { values } = leadingEigen(gram, at.leading.length);
    for (const [place, value] of at.leading.entries()) expect(relative(values[place]!, value)).toBeLessThan(1e-9);
  },
);

const cloud = (d: number) =>
  fc.array(fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: d, maxLength: d }), {
    minLength: 2,
    maxLength: 9,
  });
const clouds = fc.integer({ min: 1, max: 12 }).chain((d) => fc.tuple(cloud(d), cloud(d)));

test('distances are what distances are', () => {
  fc.assert(
    fc.property(clouds, fc.double({ min: -3, max: 3, noNaN: true }), ([first, second], by) => {
      const there = measured(first, second, 0.1);
      const back = measured(second, first, 0.1);
      const size = 1 + there.fd2;
      expect(there.fd2).toBeGreaterThanOrEqual(0);
      expect(there.kl).toBeGreaterThanOrEqual(0);
      expect(Math.abs(there.fd2 - back.fd2)).toBeLessThan(1e-9 * size);
      // A group against itself, and against itself moved: only the means are apart.
      const own = measured(first, first, 0.1);
      const moved = measured(
        first,
        first.map((row) => row.map((x) => x + by)),
        0.1,
      );
      expect(own.fd2).toBeLessThan(1e-9 * (1 + traceOf(first)));
      expect(own.kl).toBeLessThan(1e-6);
      expect(Math.abs(moved.fd2 - by * by * first[0]!.length)).toBeLessThan(1e-9 * (1 + traceOf(first)));
      // Twice as large is four times as far.
      const doubled = measured(
        first.map((row) => row.map((x) => 2 * x)),
        second.map((row) => row.map((x) => 2 * x)),
        0.1,
      );
      expect(Math.abs(doubled.fd2 - 4 * there.fd2)).toBeLessThan(1e-9 * size);
    }),
  );
});

function traceOf(rows: readonly (readonly number[])[]): number {
  return rows.flat().reduce((sum, x) => sum + x * x, 0);
}

test('a rollout that stands in a replicate twice counts twice', () => {
  const rows = samples(9, 4, 30);
  const doubled = [...rows, rows[1]!];
  const gram = gramOf(centredRows([...rows, ...samples(10, 5, 30)], 30));
  const twice = fitGaussian(gram, Int32Array.from([0, 1, 2, 3, 1]));
  const other = fitGaussian(gram, Int32Array.from([4, 5, 6, 7, 8]));
  const { fd2 } = measured(doubled, samples(10, 5, 30), 0.1);
  expect(relative(squaredFrechet(gram, twice, other), fd2)).toBeLessThan(1e-12);
});
