import fc from 'fast-check';
import type { CandidateOutcome, ProblemEntry } from '../../src/contract';
import { figureCsv, figuresOf } from '../../src/evaluation/figures';
import { hashKey, uniformUnit } from '../../src/rollout/random';
import { examples } from '../support/counts';

const ref = { sha256: 'a'.repeat(64), bytes: 1 };
const entry = (id: string): ProblemEntry => ({
  id,
  instance: ref,
  dependencies: 1,
  outOfFile: false,
  tokens: 9,
  cases: 2,
});
const outcome = (problem: string, sample: number, passed: boolean): CandidateOutcome => ({
  ...{ problem, sample, repair: 0, passed, verdict: passed ? 'passed' : 'different' },
  ...{ cases: { passed: passed ? 2 : 1, total: 2 }, detail: '', code: ref, reply: ref, cost: { usd: 0, tokens: 0 } },
});

const answers = fc.array(fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 6 });

function drawn(all: readonly (readonly boolean[])[], repair = null) {
  const problems = all.map((_, at) => entry(`p${at}`));
  const outcomes = all.flatMap((samples, at) => samples.map((passed, sample) => outcome(`p${at}`, sample, passed)));
  const stream = hashKey('test');
  return figuresOf({ samples: 4, breakdown: [], repair }, problems, outcomes, () => uniformUnit(stream));
}

test('the curve rises with k, from the share of right answers to the share of problems that any answer solves', () => {
  fc.assert(
    fc.property(answers, (all) => {
      const { passAtK } = drawn(all);
      const values = passAtK.map(({ estimate }) => estimate.value);
      const flat = all.flat();
      expect(passAtK.map(({ at }) => at)).toEqual(['1', '2', '3', '4']);
      expect(values[0]).toBeCloseTo(flat.filter(Boolean).length / flat.length);
      expect(values[3]).toBeCloseTo(all.filter((each) => each.some(Boolean)).length / all.length);
      for (const [at, value] of values.entries()) {
        expect(value).toBeGreaterThanOrEqual((values[at - 1] ?? 0) - 1e-9);
        const { low, high } = passAtK[at]!.estimate;
        expect(low).toBeLessThanOrEqual(value + 1e-9);
        expect(high).toBeGreaterThanOrEqual(value - 1e-9);
      }
    }),
    { numRuns: examples(30, 100) },
  );
});

test('as CSV each row is a line, whatever stands in it', () => {
  const estimate = { value: 0.5, low: 0.25, high: 1, n: 4 };
  expect(figureCsv([{ by: 'where', at: 'in "its" file, only', estimate }])).toBe(
    'by,at,value,low,high,n\r\nwhere,"in ""its"" file, only",0.5,0.25,1,4\r\n',
  );
});
