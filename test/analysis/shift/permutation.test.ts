import { centredRows, gramOf } from '../../../src/analysis/linear/gram';
import { strataOf } from '../../../src/analysis/shift/groups';
import { permutationPValue } from '../../../src/analysis/shift/permutation';
import { hashKey, type Stream, uniformUnit } from '../../../src/rollout/random';
import { FULL, minutes } from '../../support/counts';
import { figures } from '../../support/figures';

const D = 4;
/** With 39 shuffles p ≤ 0.05 is 2 of 40 ranks: exactly 5 % of the time where labels mean nothing. */
const SHUFFLES = 39;

function normal(stream: Stream): number {
  return Math.sqrt(-2 * Math.log(1 - uniformUnit(stream))) * Math.cos(2 * Math.PI * uniformUnit(stream));
}

/**
 * p of 24 rollouts a group over three instances that lie apart. `far`: how far the student's mean is from the expert's.
 * `uneven`: the student has most of its rollouts in one instance and the expert in another, as when the easy ones have ended.
 */
function pValue(
  simulation: number,
  { far = 0, uneven = false, over = 'pooled' as 'pooled' | 'per_instance' } = {},
): number | null {
  const stream = hashKey(`null ${simulation}`);
  const counts = uneven ? { student: [14, 6, 4], expert: [4, 6, 14] } : { student: [8, 8, 8], expert: [8, 8, 8] };
  const rows = (['student', 'expert'] as const).flatMap((group) =>
    counts[group].flatMap((n, instance) =>
      Array.from({ length: n }, () => ({
        instance: `i${instance}`,
        vector: Float32Array.from({ length: D }, () => 3 * instance + normal(stream) + (group === 'student' ? far : 0)),
      })),
    ),
  );
  const groups = { instances: rows.map(({ instance }) => instance), students: 24 };
  return permutationPValue({
    gram: gramOf(
      centredRows(
        rows.map(({ vector }) => vector),
        D,
      ),
    ),
    groups,
    strata: strataOf(groups, over),
    rule: { size: 4, bootstrapped: 3 },
    permutations: SHUFFLES,
    stream: hashKey(`shuffles ${simulation}`),
  });
}

test(
  'where student and expert are the same policy, it rejects as often as it says',
  () => {
    const simulations = FULL ? 4_000 : 300;
    // Three standard errors around 5 %, or the band that was promised where that is wider.
    const band = Math.max(0.015, 3 * Math.sqrt((0.05 * 0.95) / simulations));
    for (const [name, options] of [
      ['even', {}],
      ['uneven', { uneven: true }],
      ['per instance', { over: 'per_instance' }],
    ] as const) {
      let rejected = 0;
      for (let at = 0; at < simulations; at++) rejected += pValue(at, options)! <= 0.05 ? 1 : 0;
      const rate = rejected / simulations;
      figures(`permutation null, ${name}`, { simulations, rejected, rate });
      expect(rate).toBeGreaterThan(0.05 - band);
      expect(rate).toBeLessThan(0.05 + band);
    }
  },
  minutes(2, 15),
);

test('where they differ, it says so', () => {
  const found = Array.from({ length: 40 }, (_, at) => pValue(at, { far: 2 })!);
  expect(found.filter((p) => p <= 0.05).length).toBeGreaterThan(36);
  expect(Math.min(...found)).toBe(1 / (SHUFFLES + 1));
});

test('of groups that share no instance nothing can be said', () => {
  const stream = hashKey('apart');
  const vectors = Array.from({ length: 16 }, (_, row) =>
    Float32Array.from({ length: D }, () => normal(stream) + (row < 8 ? 9 : 0)),
  );
  const groups = { instances: vectors.map((_, row) => (row < 8 ? 'a' : 'b')), students: 8 };
  const strata = strataOf(groups, 'pooled');
  const test = { gram: gramOf(centredRows(vectors, D)), groups, strata, rule: { size: 4, bootstrapped: 2 } };
  expect(permutationPValue({ ...test, permutations: 20, stream: hashKey('shuffles') })).toBeNull();
});
