import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import assembler from 'wabt';
import { gramOf } from '../../src/analysis/linear/gram';
import { ASSEMBLED } from '../../src/analysis/linear/gram-kernel';

test('the kernel is what its text says', async () => {
  const file = join(__dirname, '../../src/analysis/linear/gram.wat');
  const { parseWat } = await assembler();
  const { buffer } = parseWat(file, readFileSync(file, 'utf8'), { simd: true }).toBinary({});
  expect(ASSEMBLED).toBe(Buffer.from(buffer).toString('base64'));
});

test('inner products are those of a loop, whatever the number of rows and components', () => {
  const up = (max: number) => fc.integer({ min: 1, max });
  fc.assert(
    fc.property(up(70), up(9), up(1e6), (n, d, seed) => {
      const vectors = Array.from({ length: n }, (_, i) =>
        Array.from({ length: d }, (_, k) => 1e3 * Math.sin(seed + i * d + k)),
      );
      const { values } = gramOf({ n, d, values: Float64Array.from(vectors.flat()) });
      const wrong = vectors.flatMap((one, i) =>
        vectors.flatMap((other, j) => {
          const size = one.reduce((sum, x, k) => sum + Math.abs(x * other[k]!), 0);
          const product = one.reduce((sum, x, k) => sum + x * other[k]!, 0);
          return Math.abs(values[i * n + j]! - product) <= size * 1e-14 ? [] : [[i, j]];
        }),
      );
      expect(wrong).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

test('many components are taken in parts', () => {
  const [n, d] = [5, 1_301];
  const values = Float64Array.from({ length: n * d }, (_, at) => ((at * 7919) % 1009) - 504);
  const whole = values.subarray(3 * d, 4 * d).reduce((sum, x, k) => sum + x * values[d + k]!, 0);
  expect(gramOf({ n, d, values }).values[3 * n + 1]).toBe(whole);
});
