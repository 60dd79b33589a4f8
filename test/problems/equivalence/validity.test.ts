import { type CaseOutcome, HarnessGates, type HarnessQuality, type ValueTree } from '../../../src/contract';
import type { HarnessRun } from '../../../src/problems/equivalence/run';
import {
  admits,
  classOfException,
  judgeCandidate,
  passedIn,
  validityOf,
} from '../../../src/problems/equivalence/validity';
import { harnessOf } from '../../environments/harness/cases';

const HARNESS = harnessOf({ a: 'return subject(1)', b: 'return subject(2)' });
const int = (v: number): ValueTree => ({ t: 'int', v: `${v}` });
const returned = (name: string, value: ValueTree, more: Partial<CaseOutcome> = {}): CaseOutcome => ({
  case: `case_${name}`,
  status: 'returned',
  value,
  files: {},
  calls: 1,
  seconds: 0,
  ...more,
});
const runOf = (outcomes: readonly CaseOutcome[], more: Partial<HarnessRun> = {}): HarnessRun => ({
  file: '/repo/m.py',
  unusable: null,
  outcomes,
  calls: [],
  coverage: null,
  fault: null,
  printed: '',
  seconds: 1,
  ...more,
});
const GOOD = [returned('a', int(1)), returned('b', int(2))];

test('the same each time is valid; only that is expected afterwards', () => {
  const validity = validityOf(HARNESS, runOf(GOOD), [runOf([...GOOD].reverse()), runOf(GOOD)]);
  expect(validity).toMatchObject({ valid: true, flaky: [], failures: [], expected: GOOD });
});

test('a case that differs once is taken out and named with its difference', () => {
  const validity = validityOf(HARNESS, runOf(GOOD), [runOf(GOOD), runOf([GOOD[0]!, returned('b', int(3))])]);
  expect(validity).toMatchObject({ valid: true, flaky: ['case_b'], failures: ['flaky'] });
  expect(validity.harness.cases).toEqual(['case_a']);
  expect(validity.troubles[0]!.message).toMatch(/first 2, then 3/);
});

test.each([
  ['never reaches the function', returned('b', int(2), { calls: 0 })],
  ['says nothing', returned('b', { t: 'none' })],
  ['gives what cannot be looked at', returned('b', { t: 'opaque', type: 'x', why: 'no state' })],
])('a case that %s is no test', (_name, outcome) => {
  const outcomes = [GOOD[0]!, outcome];
  expect(validityOf(HARNESS, runOf(outcomes), [runOf(outcomes)]).harness.cases).toEqual(['case_a']);
  const alone = validityOf({ ...HARNESS, cases: ['case_b'] }, runOf([outcome]), []);
  expect(alone).toMatchObject({ valid: false, failures: ['no_cases'] });
});

test('a prediction that returns says what it has to', () => {
  const outcomes = [returned('a', { t: 'none' }), returned('b', { t: 'none' }, { calls: 0 })];
  expect(validityOf({ ...HARNESS, mode: 'prediction' }, runOf(outcomes), []).harness.cases).toEqual(['case_a']);
});

test('one case in trouble makes the whole invalid, and what is good of it is still told', () => {
  const raised = { type: 'builtins.TypeError', message: 'no', trace: 'line 3' };
  const outcomes = [GOOD[0]!, { ...GOOD[1]!, status: 'raised' as const, raised }];
  const validity = validityOf(HARNESS, runOf(outcomes), []);
  expect(validity).toMatchObject({ valid: false, failures: ['value_or_type'], expected: [GOOD[0]] });
  expect(validity.troubles).toEqual([
    { failure: 'value_or_type', case: 'case_b', message: 'builtins.TypeError: no', trace: 'line 3' },
  ]);
});

test.each([
  ['SyntaxError', 'malformed'],
  ['AssertionError', 'assertion'],
  ['ModuleNotFoundError', 'environment'],
  ['FileNotFoundError', 'environment'],
  ['ConnectionRefusedError', 'environment'],
  ['subprocess.CalledProcessError', 'environment'],
  ['json.decoder.JSONDecodeError', 'data_format'],
  ['UnicodeDecodeError', 'data_format'],
  ['KeyError', 'data_format'],
  ['pandas.errors.ParserError', 'data_format'],
  ['ValueError', 'value_or_type'],
  ['AttributeError', 'value_or_type'],
  ['mypackage.Unheard', 'value_or_type'],
])('%s is %s', (type, failure) => {
  expect(classOfException(type)).toBe(failure);
});

test('a candidate passes with every case of a whole run, and with nothing less', () => {
  const judge = (run: HarnessRun) => judgeCandidate(HARNESS, GOOD, run);
  expect(judge(runOf(GOOD))).toEqual({ passed: true, verdict: 'passed', cases: { passed: 2, total: 2 }, detail: '' });
  expect(judge(runOf(GOOD, { fault: 'two outcomes of case_a' }))).toMatchObject({ passed: false, verdict: 'crashed' });
  expect(judge(runOf([GOOD[0]!]))).toMatchObject({ passed: false, verdict: 'crashed', cases: { passed: 1, total: 2 } });
  expect(judge(runOf([GOOD[0]!, returned('b', int(9))]))).toMatchObject({
    passed: false,
    verdict: 'different',
    detail: expect.stringMatching(/^case_b:\ndef case_b[\s\S]*Expected: 2[\s\S]*got 9/),
  });
  expect(judgeCandidate(HARNESS, [], runOf([])).passed).toBe(false);
});

test('data that is no value equals nothing', () => {
  const forged = { t: 'list', v: 5 } as unknown as ValueTree;
  const expected = [returned('a', { t: 'list', v: [int(1)] })];
  expect(passedIn(expected, runOf([returned('a', forged)]))).toEqual([]);
  expect(passedIn(expected, runOf([returned('a', null as unknown as ValueTree)]))).toEqual([]);
});

const QUALITY: HarnessQuality = {
  cases: 3,
  repeats: 5,
  flaky: [],
  branchCoverage: 1,
  lineCoverage: 1,
  missedLines: [],
  mutants: [],
  mutationScore: 1,
  oracle: 1,
  stub: 0,
};

test.each<[Partial<HarnessQuality>, RegExp]>([
  [{ cases: 0 }, /^0 cases count/],
  [{ repeats: 4 }, /^it was repeated 4 times/],
  [{ oracle: 0.5 }, /itself passes only 50 % of the cases/],
  [{ stub: 0.1 }, /only raises passes 10 %/],
  [{ branchCoverage: 0.7999 }, /coverage is 79.9 %, and 80 %/],
  [{ mutationScore: 0.5 }, /killed mutants is 50 %, and 60 %/],
])('%j is not admitted, and why', (worse, why) => {
  expect(admits({ ...QUALITY, ...worse }, HarnessGates.parse({}))).toEqual([expect.stringMatching(why)]);
});

test('what meets every gate is admitted, also with nothing to mutate', () => {
  expect(admits(QUALITY, HarnessGates.parse({}))).toEqual([]);
  expect(admits({ ...QUALITY, mutationScore: null }, HarnessGates.parse({}))).toEqual([]);
});
