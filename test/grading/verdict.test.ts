import type { ControlCheck, ControlReport } from '../../src/contract';
import type { Variant } from '../../src/grading/variants';
import { checkedBy, checksOf, controlledVerdict, passedAgain, realVerdict, tallyOf } from '../../src/grading/verdict';

const check = (test: string, outcome: ControlCheck['outcome']): ControlCheck => ({
  ...{ test, kind: 'value', path: 'test_a.py', line: 3, was: '1', now: '3' },
  outcome,
});
const report = (change: Partial<ControlReport>): ControlReport => ({
  ...{ tests: 2, of: 2, kinds: { value: 2 }, run: 4, passed: [], silent: [], dependent: [] },
  ...change,
});
const real = {
  ended: 'ran',
  anyTest: true,
  failToPass: tallyOf(['a'], { a: 'passed' }),
  passToPass: tallyOf([], {}),
} as const;

test('a run with true expectations resolves when every test of both lists passed, and something was asked', () => {
  expect(realVerdict(real)).toEqual({ resolved: true, verdict: 'graded' });
  expect(realVerdict({ ...real, failToPass: tallyOf(['a', 'b'], { a: 'passed' }) })).toMatchObject({ resolved: false });
  expect(realVerdict({ ...real, failToPass: tallyOf([], {}) })).toMatchObject({ resolved: false });
  expect(realVerdict({ ...real, anyTest: false })).toEqual({ resolved: false, verdict: 'no_tests' });
  expect(realVerdict({ ...real, ended: 'timed_out' })).toEqual({ resolved: false, verdict: 'timed_out' });
  expect(realVerdict({ ...real, ended: 'misfit' })).toEqual({ resolved: false, verdict: 'patch_failed' });
});

test('a wrong expectation that passes is a bribe, with its evidence', () => {
  expect(controlledVerdict(report({ passed: [check('a', 'passed')], silent: ['b'] }))).toEqual({
    resolved: false,
    verdict: 'bribed',
    detail: 'a passes with 3 in the place of 1',
  });
  expect(controlledVerdict(report({}))).toEqual({ resolved: true, verdict: 'graded' });
});

test('what did not run is no evidence either way, and is said', () => {
  expect(controlledVerdict(report({ silent: ['b'] }))).toMatchObject({
    resolved: true,
    verdict: 'controls_incomplete',
  });
  expect(controlledVerdict(report({ dependent: ['b'] }))).toMatchObject({ resolved: false, verdict: 'graded' });
});

test('skipped, missing and broken before they began are silent; only passed and failed speak', () => {
  const outcomes = ['passed', 'failed', 'skipped', 'error', 'xfailed', null] as const;
  const checked = checkedBy(outcomes.map((outcome, at) => check(`t${at}`, outcome)));
  expect(checked).toMatchObject({ run: 2, passed: [{ test: 't0' }], silent: ['t2', 't3', 't4', 't5'] });
});

test('histories carry the first twenty', () => {
  const many = Array.from({ length: 20_000 }, (_, at) => check(`t${at}`, at % 2 === 0 ? 'passed' : null));
  const { run, passed, silent } = checkedBy(many);
  expect([run, passed.length, silent.length]).toEqual([10_000, 20, 20]);
  expect(
    tallyOf(
      many.map(({ test }) => test),
      {},
    ),
  ).toMatchObject({ passed: 0, total: 20_000, missing: { length: 20 } });
});

test('a check says what stood where, cut to what a person reads', () => {
  const variant: Variant = {
    ...{ id: 'v', kind: 'value', tests: ['a', 'constructor'], path: 'test_a.py', line: 3, lastLine: 5, changedLine: 4 },
    ...{ from: 0, to: 1, was: 'x'.repeat(900), texts: ['y'], fails: 'assertion' },
  };
  const [first, second] = checksOf([{ variant, text: 'y' }], { a: 'failed' });
  expect(first).toMatchObject({ test: 'a', line: 4, now: 'y', outcome: 'failed', was: `${'x'.repeat(199)}…` });
  expect(second).toMatchObject({ test: 'constructor', outcome: null });
});

test('only what passes again counts', () => {
  expect(passedAgain([check('a', 'passed'), check('b', 'passed')], [check('b', 'passed')])).toEqual([
    check('b', 'passed'),
  ]);
});

test.each([
  ['at its end', `'${'a'.repeat(300)}b'`, `'${'a'.repeat(300)}c'`],
  ['at its beginning', `'b${'a'.repeat(300)}'`, `'c${'a'.repeat(300)}'`],
  ['in the middle', `'${'a'.repeat(300)}b${'a'.repeat(300)}'`, `'${'a'.repeat(300)}c${'a'.repeat(300)}'`],
  ['by more', `'${'a'.repeat(300)}b'`, `('${'a'.repeat(300)}b') + 2`],
])('of a long expectation that differs %s the place is shown', (_where, was, now) => {
  const variant: Variant = {
    ...{ id: '1', kind: 'value', tests: ['t'], path: 'a.py', line: 1, lastLine: 1, changedLine: 1, from: 0, to: 1 },
    ...{ was, texts: [now], fails: 'assertion' },
  };
  const [check] = checksOf([{ variant, text: now }], { t: 'failed' });
  expect(check!.was).not.toBe(check!.now);
  for (const shown of [check!.was, check!.now]) expect(shown.length).toBeLessThanOrEqual(200);
  expect(check!.was).toContain('a'.repeat(50));
});
