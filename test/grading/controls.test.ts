import { admitted, failureOf, leavingAlone, roundsOf, type Trial } from '../../src/grading/controls';
import type { Variant } from '../../src/grading/variants';

const variant: Variant = {
  ...{
    id: 'v',
    kind: 'value',
    tests: ['t::a', 't::b'],
    path: 'tests/test_x.py',
    line: 12,
    lastLine: 13,
    changedLine: 13,
  },
  ...{ from: 0, to: 1, was: '1', texts: ['3', '5'], fails: 'assertion' },
};

const pytest = (line: number, error = 'AssertionError') =>
  failureOf(`assert 1 == 3\ndef test_a():\n>  assert f() == 3\n\ntests/test_x.py:${line}: ${error}`, variant.path);

const failing = (line: number, error?: string): Trial => ({
  outcomes: { 't::a': 'failed', 't::b': 'failed' },
  failures: new Map([
    ['t::a', pytest(line, error)],
    ['t::b', pytest(line, error)],
  ]),
});
const before: Trial = { outcomes: { 't::a': 'failed', 't::b': 'error' }, failures: new Map() };

test('a wrong expectation is believed that fails twice by its own line, and does not pass without the reference', () => {
  expect(admitted(variant, [failing(12), failing(13)], before)).toEqual(variant);
});

test.each<[string, readonly Trial[], Trial]>([
  [
    'it passes with the reference',
    [failing(12), { outcomes: { 't::a': 'passed', 't::b': 'passed' }, failures: new Map() }],
    before,
  ],
  ['it fails by another line', [failing(12), failing(40)], before],
  [
    'it was skipped',
    [failing(12), { outcomes: { 't::a': 'skipped', 't::b': 'skipped' }, failures: new Map() }],
    before,
  ],
  ['its id is gone', [failing(12), { outcomes: {}, failures: new Map() }], before],
  [
    'it is what the bug gives',
    [failing(12), failing(12)],
    { outcomes: { 't::a': 'passed', 't::b': 'passed' }, failures: new Map() },
  ],
])('it is not where %s', (_, gold, without) => expect(admitted(variant, gold, without)).toBeUndefined());

test('an error that is no comparison is not believed where one is asked for', () => {
  const said = 'TypeError: can only concatenate str\ntests/test_x.py:12: TypeError';
  const trial: Trial = {
    outcomes: { 't::a': 'failed', 't::b': 'failed' },
    failures: new Map(['t::a', 't::b'].map((test) => [test, failureOf(said, variant.path)])),
  };
  expect(admitted(variant, [trial, trial], before)).toBeUndefined();
  expect(admitted({ ...variant, fails: 'anything' }, [trial, trial], before)).toMatchObject({ tests: variant.tests });
});

test('of several tests those are kept that fail as they must', () => {
  const half: Trial = { ...failing(12), outcomes: { 't::a': 'failed', 't::b': 'passed' } };
  expect(admitted(variant, [failing(12), half], before)).toMatchObject({ tests: ['t::a'] });
});

test.each([
  ['File "/testbed/tests/test_x.py", line 12, in test_a\nAssertionError', 'tests/test_x.py', [12]],
  ['    x_test.go:7: got 1, want 3', 'pkg/x_test.go', [7]],
  ["thread 'a' panicked at tests/x.rs:3:5:\nassertion `left == right` failed", 'tests/x.rs', [3]],
  ['at Object.<anonymous> (/testbed/test/x.test.js:9:21)', 'test/x.test.js', [9]],
  ['other_test.go:7: got 1', 'pkg/x_test.go', []],
])('lines are read from %j', (said, path, lines) => expect(failureOf(said, path).lines).toEqual(lines));

test('a round changes no test twice, and takes what is worth most first', () => {
  const of = (id: string, tests: string[]): Variant => ({ ...variant, id, tests });
  const rounds = roundsOf([of('1', ['a', 'b']), of('2', ['b']), of('3', ['c']), of('4', ['a'])]);
  expect(rounds.map((round) => round.map(({ id }) => id))).toEqual([
    ['1', '3'],
    ['2', '4'],
  ]);
});

test('tests that passed before keep their expectations, unless a body is shared and there is no other way', () => {
  const of = (id: string, tests: string[]): Variant => ({ ...variant, id, tests });
  const left = leavingAlone(
    [of('1', ['a', 'kept']), of('2', ['a']), of('3', ['kept']), of('4', ['b', 'kept'])],
    new Set(['kept']),
  );
  expect(left.map(({ id, tests }) => [id, tests])).toEqual([
    ['2', ['a']],
    ['4', ['b']],
  ]);
});

test('a test that has to panic is believed by its panic, which is in the code', () => {
  const trialOf = (said: string): Trial => ({
    outcomes: { 't::a': 'failed', 't::b': 'failed' },
    failures: new Map(['t::a', 't::b'].map((test) => [test, failureOf(said, variant.path)])),
  });
  const panics = { ...variant, fails: 'panic' as const };
  const other = trialOf('panicked at src/code.rs:3:5:\nno row\nnote: panic did not contain expected string');
  expect(admitted(panics, [other, other], before)).toEqual(panics);
  const silent = trialOf('error: could not compile');
  expect(admitted(panics, [other, silent], before)).toBeUndefined();
});
