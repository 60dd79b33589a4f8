import fc from 'fast-check';
import { wilson } from '../../../src/analysis/paired';
import type { RolloutRow } from '../../../src/contract';
import { resolvedShare } from '../../../src/pages/report/parts/headline';
import { sampleRows } from '../../support/sample-report';

const [sample] = sampleRows().filter(({ result }) => result);
const rows = (instances: readonly (readonly boolean[])[]): RolloutRow[] =>
  instances.flatMap((outcomes, at) =>
    outcomes.map((resolved) => ({ ...sample!, instance: `i${at}`, result: { ...sample!.result!, resolved } })),
  );

test('is the share of what finished, within its interval, which is never narrower than that of independent rollouts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
      (drawn) => {
        const share = resolvedShare(rows(drawn))!;
        const all = drawn.flat();
        expect(share.n).toBe(all.length);
        expect(share.value).toBeCloseTo(all.filter(Boolean).length / all.length, 12);
        const single = wilson(share.resolved, share.n);
        expect(share.low).toBeLessThanOrEqual(Math.min(share.value, single.low) + 1e-12);
        expect(share.high).toBeGreaterThanOrEqual(Math.max(share.value, single.high) - 1e-12);
      },
    ),
    { numRuns: 30 },
  );
});

test('rollouts that are alike within an instance make it wider', () => {
  const alike = Array.from({ length: 20 }, (_, at) => Array<boolean>(10).fill(at % 2 === 0));
  const mixed = Array.from({ length: 20 }, () => Array.from({ length: 10 }, (_, at) => at % 2 === 0));
  const width = (of: readonly (readonly boolean[])[]) => {
    const { low, high } = resolvedShare(rows(of))!;
    return high - low;
  };
  expect(width(alike)).toBeGreaterThan(2 * width(mixed));
});

test('what did not finish is no failure of the model, and nothing has no share', () => {
  const [first, ...others] = rows([[true, true, false, false]]);
  const cut = [{ ...first!, outcome: 'cancelled' as const }, ...others];
  expect(resolvedShare(cut)).toMatchObject({ n: 3, resolved: 1 });
  expect(resolvedShare([])).toBeUndefined();
  expect(resolvedShare(rows([[true], [false]]))).toEqual(resolvedShare(rows([[true], [false]])));
});
