import { bar } from '../../../src/analysis/charts';
import { columnsOf } from '../../../src/cli/terminal/columns';
import { comparisonText } from '../../../src/cli/terminal/evaluation/comparison';
import { candidateLines, evaluationText } from '../../../src/cli/terminal/evaluation/report';
import type { CandidateOutcome, Estimate, EvaluationResult } from '../../../src/contract';

const LOOK = { width: 80, coloured: false, full: false };
const ref = { sha256: 'a'.repeat(64), bytes: 3 };
const estimate = (value: number, n: number): Estimate => ({ value, low: value / 2, high: (1 + value) / 2, n });
const result: EvaluationResult = {
  id: 'evaluation/expert-1',
  status: 'complete',
  solver: 'expert',
  context: 'sliced',
  planFirst: false,
  problems: 2,
  samples: 2,
  solved: 1,
  passAtK: [
    { k: 1, estimate: estimate(0.25, 2) },
    { k: 2, estimate: estimate(0.5, 2) },
  ],
  breakdown: [
    { by: 'dependencies', bucket: '0', estimate: estimate(0.5, 1) },
    { by: 'dependencies', bucket: '16 and more', estimate: estimate(0, 1) },
  ],
  verdicts: { different: 2, passed: 1, too_long: 1 },
  repair: { tried: 1, solvedAfter: [0, 1], rates: [estimate(0, 1), estimate(1, 1)] },
  problemSet: ref,
  candidates: ref,
  report: ref,
  cost: { usd: 1.5, tokens: 12_345 },
};
const LONG = `a.package.of.a.very.long.name.${'deeper.'.repeat(8)}function_with_a_name`;
const outcome = (
  problem: string,
  sample: number,
  verdict: CandidateOutcome['verdict'],
  repair = 0,
): CandidateOutcome => ({
  problem,
  sample,
  repair,
  passed: verdict === 'passed',
  verdict,
  cases: { passed: 1, total: 3 },
  detail: 'case_one:\nExpected: 3\nDiffers at result: expected 3, got \u001b[2J4',
  code: ref,
  reply: ref,
  cost: { usd: 0.01, tokens: 100 },
});
const entry = (id: string) => ({ id, instance: ref, dependencies: 3, outOfFile: true, tokens: 40, cases: 3 });
const run = {
  id: result.id,
  status: 'completed',
  solver: 'expert',
  problemsOf: 'data/problems.jsonl',
  startedAt: new Date('2026-01-01T10:00:00Z'),
  endedAt: new Date('2026-01-01T10:01:00Z'),
  progress: undefined,
  result,
  problems: [entry('a.f'), entry(LONG)],
  outcomes: [
    outcome('a.f', 0, 'passed'),
    outcome('a.f', 1, 'different'),
    outcome(LONG, 0, 'too_long'),
    outcome(LONG, 1, 'different'),
    outcome(LONG, 1, 'passed', 1),
  ],
  trouble: undefined,
  links: [],
} as const;

test('an evaluation fits 80 columns and says what it is, what passed and what was repaired', () => {
  const text = evaluationText(run, LOOK);
  for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(80);
  expect(text).toContain('expert on data/problems.jsonl');
  expect(text).toContain('1 of 2 problems solved by a first answer');
  expect(text).toMatch(/^1 {2,}25\.0 % {2,}12\.5 % – 62\.5 % {2,}2 {2,}██████·+$/m);
  expect(text).toMatch(/^a\.f .*1\/2 +50\.0 % +✓≠$/m);
  expect(text).toMatch(/0\/1 +0\.0 %|0\/2 +0\.0 %/);
  expect(text).toMatch(/l≠ +✓$/m);
  expect(text).toContain('self-repair of 1');
});

test('a candidate is shown with what told it apart, and can move no cursor', () => {
  const [first] = run.outcomes;
  const source = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
  const lines = candidateLines([{ ...first, source }], LOOK);
  expect(lines.join('\n')).toContain('Differs at result: expected 3, got \\x1b[2J4');
  expect(lines.join('\n')).toContain('more lines: --full');
  expect(candidateLines([{ ...first, source }], { ...LOOK, full: true }).join('\n')).toContain('line 39');
});

test('a comparison says whether there is a difference, over what, and how sure', () => {
  const difference = {
    ...{ id: 'b', against: 'a', k: 1, first: 0.4, second: 0.6, better: 9, worse: 2, leftOut: 1 },
    difference: { value: 0.2, low: 0.05, high: 0.35, n: 40 },
    shown: 'higher' as const,
  };
  const same = {
    ...difference,
    id: 'c',
    difference: { value: 0, low: -0.1, high: 0.1, n: 40 },
    shown: 'none' as const,
  };
  const apart = { ...difference, id: 'd', difference: { value: 0, low: -1, high: 1, n: 0 } };
  const text = comparisonText([result, { ...result, id: 'b', planFirst: true }], [difference, same, apart], LOOK);
  for (const line of text.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(80);
  const flat = text.replace(/\s+/g, ' ');
  expect(flat).toContain(
    'b − a: PASS@1 60.0 % against 40.0 %, +20.0 points (95 %: +5.0 to +35.0; 40 problems, 9 better, 2 worse',
  );
  expect(flat).toContain('No difference is shown.');
  expect(flat).toContain('d − a: they have no problem in common.');
  expect(flat).toContain('sliced + plan');
});

test('bars are exact to an eighth of a character', () => {
  expect(bar(0, 4)).toBe('····');
  expect(bar(1, 4)).toBe('████');
  expect(bar(0.5, 4)).toBe('██··');
  expect(bar(0.53125, 4)).toBe('██▏·');
  expect(bar(7, 4)).toBe('████');
});
