import fc from 'fast-check';
import { type CandidateOutcome, CandidateVerdict, NO_SAMPLE, type ProblemEntry } from '../../src/contract';
import { differencesOf } from '../../src/evaluation/comparison';
import { reportOf } from '../../src/evaluation/report';
import { byPlace, repairStarts, scoresOf, solvedAfter } from '../../src/evaluation/scores';
import { DIMENSIONS, summaryOf } from '../../src/evaluation/summary';
import { hashKey, uniformUnit } from '../../src/rollout/random';

const HASH = 'a'.repeat(64);
const ref = (sha256 = HASH) => ({ sha256, bytes: 1 });
const stream = (key: string) => {
  const state = hashKey(key);
  return () => uniformUnit(state);
};

const entry = (id: string, more: Partial<ProblemEntry> = {}): ProblemEntry => ({
  ...{ id, instance: ref(hashOf(id)), dependencies: 1, outOfFile: false, tokens: 60, cases: 3 },
  ...more,
});
const hashOf = (id: string) => Buffer.from(id).toString('hex').padEnd(64, '0').slice(0, 64);
const outcome = (
  problem: string,
  sample: number,
  verdict: CandidateOutcome['verdict'],
  more: Partial<CandidateOutcome> = {},
): CandidateOutcome => ({
  ...{ problem, sample, repair: 0, verdict, passed: verdict === 'passed', cases: { passed: 0, total: 3 }, detail: '' },
  ...{ code: ref(), reply: ref(), cost: { usd: 0.1, tokens: 10 } },
  ...more,
});

const entries = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 12 }),
    dependencies: fc.integer({ min: 0, max: 40 }),
    tokens: fc.integer({ min: 0, max: 2_000 }),
    outOfFile: fc.boolean(),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 12 },
);
const evaluations = entries.chain((problems) =>
  fc.tuple(
    fc.constant(problems.map(({ id, ...more }) => entry(id, more))),
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: problems.length - 1 }),
        fc.integer({ min: 0, max: 4 }),
        fc.constantFrom(...CandidateVerdict.options),
      ),
      { maxLength: 60 },
    ),
  ),
);

test('counts add up: every problem stands in one bucket a dimension, every outcome under one verdict', () => {
  fc.assert(
    fc.property(evaluations, ([problems, drawn]) => {
      const outcomes = drawn.map(([at, sample, verdict]) => outcome(problems[at]!.id, sample, verdict)).sort(byPlace);
      const summary = summaryOf({ problems, outcomes, k: [1], repairs: 0 }, stream('sum'));
      expect(Object.values(summary.verdicts).reduce((a, b) => a + b, 0)).toBe(outcomes.length);
      for (const { by, buckets } of DIMENSIONS) {
        for (const problem of problems) expect(buckets.filter(({ holds }) => holds(problem))).toHaveLength(1);
        const judged = scoresOf(problems, outcomes).filter((score) => score.judged > 0).length;
        const rows = summary.breakdown.filter((row) => row.by === by);
        expect(rows.reduce((sum, { estimate }) => sum + estimate.n, 0)).toBe(judged);
      }
      expect(reportOf({ ...ABOUT, ...summary })).toContain('## PASS@k');
    }),
    { numRuns: 15 },
  );
});
const ABOUT = {
  status: 'complete',
  solver: 's',
  context: 'sliced',
  planFirst: false,
  samples: 5,
  problemSet: ref(),
  candidates: ref(),
} as const;

test('the order in which candidates were done changes nothing', () => {
  fc.assert(
    fc.property(evaluations, fc.integer(), ([problems, drawn], seed) => {
      const unique = [...new Map(drawn.map((each) => [`${each[0]} ${each[1]}`, each])).values()];
      const outcomes = unique.map(([at, sample, verdict]) => outcome(problems[at]!.id, sample, verdict));
      const draw = stream(String(seed));
      const shuffled = outcomes.map((each) => ({ each, key: draw() })).sort((a, b) => a.key - b.key);
      expect(shuffled.map(({ each }) => each).sort(byPlace)).toEqual([...outcomes].sort(byPlace));
    }),
  );
});

test('an outage is neither a pass nor a failure', () => {
  const problems = [entry('a'), entry('b')];
  const outcomes = [
    outcome('a', 0, 'passed'),
    outcome('a', 1, 'unjudged'),
    outcome('a', 2, 'different'),
    outcome('b', 0, 'unanswered'),
  ];
  const { passAtK, solved } = summaryOf({ problems, outcomes, k: [2, 1, 2], repairs: 0 }, stream('o'));
  expect(passAtK.map(({ k, estimate }) => [k, estimate.value, estimate.n])).toEqual([
    [1, 0.5, 1],
    [2, 1, 1],
  ]);
  expect(solved).toBe(1);
  expect(NO_SAMPLE).toEqual(['unanswered', 'unjudged']);
});

test('repair begins with what came closest, and with what no sample solved', () => {
  const problems = ['lost', 'mute', 'near', 'solved', 'torn'].map((id) => entry(id));
  const outcomes = [
    outcome('lost', 0, 'unanswered', { reply: null, code: null }),
    outcome('mute', 0, 'unreadable', { code: null }),
    outcome('near', 0, 'raised', { cases: { passed: 0, total: 3 } }),
    outcome('near', 1, 'unreadable', { code: null, cases: { passed: 3, total: 3 } }),
    outcome('near', 2, 'different', { cases: { passed: 2, total: 3 } }),
    outcome('near', 3, 'different', { cases: { passed: 2, total: 3 } }),
    outcome('solved', 0, 'different'),
    outcome('solved', 1, 'passed'),
    outcome('torn', 0, 'crashed'),
  ];
  const starts = repairStarts(problems, outcomes);
  expect(starts.map(({ problem, sample }) => [problems[problem]!.id, sample])).toEqual([
    ['mute', 0],
    ['near', 2],
    ['torn', 0],
  ]);
  const repaired = [
    ...outcomes,
    outcome('near', 2, 'passed', { repair: 2 }),
    outcome('torn', 0, 'different', { repair: 1 }),
    outcome('mute', 0, 'passed', { repair: 3 }),
  ];
  expect(solvedAfter(repaired, 4)).toEqual([0, 0, 1, 2, 2]);
  // What repair solved does not count as a first answer, and is not repaired again.
  expect(repairStarts(problems, repaired)).toHaveLength(3);
  const { repair, verdicts, passAtK } = summaryOf({ problems, outcomes: repaired, k: [1], repairs: 4 }, stream('r'));
  expect(repair).toMatchObject({ tried: 3, solvedAfter: [0, 0, 1, 2, 2] });
  expect(repair?.rates.at(-1)?.value).toBeCloseTo(2 / 3, 10);
  expect(verdicts.passed).toBe(1);
  expect(passAtK[0]!.estimate.value).toBeCloseTo(0.5 / 4, 10);
});

test('two evaluations are compared by the problems that both have in the same version', () => {
  const scores = (passed: Record<string, number>) =>
    Object.entries(passed).map(([id, c]) => ({ problem: entry(id), judged: 5, passed: c }));
  const base = { id: 'base', solver: 's', scores: scores({ a: 1, b: 2, c: 0, d: 5, gone: 3 }) };
  const changed = { problem: entry('d', { instance: ref('b'.repeat(64)) }), judged: 5, passed: 0 };
  const other = { id: 'other', solver: 't', scores: [...scores({ a: 2, b: 2, c: 5 }), changed] };
  const [difference] = differencesOf([base, other], 1, stream('c'));
  expect(difference).toMatchObject({ id: 'other', against: 'base', better: 2, worse: 0, leftOut: 2 });
  expect(difference!.difference.n).toBe(3);
  expect(difference!.difference.value).toBeCloseTo((0.2 + 0 + 1) / 3, 10);
  expect(differencesOf([base, { ...base, id: 'twin' }], 1, stream('t'))[0]).toMatchObject({
    shown: 'none',
    leftOut: 0,
  });
});
