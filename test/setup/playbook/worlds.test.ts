import fc from 'fast-check';
import {
  bestOf,
  describeWorld,
  isBetter,
  isWorse,
  nextWorld,
  type Outcome,
  type Search,
  type World,
  type WorldTrial,
  worldKey,
  worldOf,
} from '../../../src/setup/playbook/worlds';

const DATE = '2020-04-03';
const outcome = (passed: number, wrong: number, output = `${passed} passed, ${wrong} failed`): Outcome => ({
  passed,
  wrong,
  first: passed > 0 ? '' : output,
  output,
});
const PYTEST = [9, 8, 7, 6, 5];

/** What making a world prints: the newest runner that it allows. */
const made = ({ runner }: World) =>
  `today: 2026-11-26\npython: 3.11\npytest==${PYTEST.find((version) => runner === '' || version < Number(runner.slice(1)))}.0.1\nflask==1.0`;

/** Tries worlds until none is left; `run` is how each goes, null where it cannot be made. */
function explored(
  base: Outcome,
  run: (world: World) => Outcome | string,
  more: Partial<Search> = {},
): readonly WorldTrial[] {
  const trials: WorldTrial[] = [];
  for (;;) {
    const world = nextWorld({ date: DATE, base, trials, runner: 'pytest', interpreter: null, ...more });
    if (!world) return trials;
    const ran = run(world);
    const isMade = typeof ran !== 'string';
    trials.push({ world, stands: isMade, made: isMade ? made(world) : ran, outcome: isMade ? ran : null });
    if (trials.length > 50) throw new Error('it does not end');
  }
}
const runners = (trials: readonly WorldTrial[]) => trials.map(({ world }) => world.runner);

test('all packages of the day first, then the test runner apart, newest first, until an older one does worse', () => {
  const passed: Readonly<Record<string, number>> = { '': 522, '<9': 522, '<8': 526, '<7': 0 };
  const trials = explored(outcome(0, 1, 'ImportError: escape'), ({ runner }) =>
    outcome(passed[runner]!, runner === '<7' ? 0 : 527 - passed[runner]!),
  );
  expect(runners(trials)).toEqual(['', '<9', '<8', '<7']);
  expect(bestOf({ base: outcome(0, 1), trials })!.world).toEqual({
    date: DATE,
    runner: '<8',
    newer: {},
    interpreter: '',
  });
});

test('a suite with a runner of its own is tried with the packages of the day alone', () => {
  expect(explored(outcome(3, 1), () => outcome(3, 1), { runner: null })).toHaveLength(1);
});

test.each([
  ['× Failed to build `lxml==4.5.0`', 'lxml'],
  ['  × Failed to download and build `Odd_Name==1.0`', 'odd-name'],
  ['ERROR: No matching distribution found for numpy==1.18.2', 'numpy'],
  ['Because there is no version of mypy==0.780 and you require mypy==0.780', 'mypy'],
])('a package that cannot be had of that day is taken newer: %s', (said, name) => {
  const trials = explored(outcome(0, 1, 'E'), ({ newer }) => (name in newer ? outcome(9, 0) : said));
  expect(trials[1]!.world.newer).toEqual({ [name]: '' });
  expect(describeWorld(trials[1]!.world)).toBe(
    `packages as of ${DATE}; ${name} as of today, as that of the day cannot be used`,
  );
});

test('a day that cannot be had for a reason that names nothing ends the search', () => {
  expect(explored(outcome(0, 1, 'E'), () => 'error: the index is away')).toHaveLength(1);
});

test('a package in whose code the tests break is tried newer: of today, then halfway to the day', () => {
  const broken =
    '/venv/lib/python3.11/site-packages/hypothesis/core.py:12: in f\n    g()\nE   TypeError: code() takes 16';
  const trials = explored(outcome(0, 9, 'E'), ({ newer }) => {
    if (newer.hypothesis === '2023-07-31') return outcome(70, 0);
    return {
      ...outcome(5, 60, broken),
      first: newer.hypothesis === '' ? 'TypeError: attrs is too old' : 'TypeError: code()',
    };
  });
  const dates = trials.map(({ world }) => world.newer.hypothesis).filter((until) => until !== undefined);
  expect(dates.slice(0, 2)).toEqual(['', '2023-07-31']);
  expect(bestOf({ base: outcome(0, 9), trials })!.world.newer).toEqual({ hypothesis: '2023-07-31' });
});

test('a package whose version makes no difference is tried newer once', () => {
  const broken =
    '/venv/lib/python3.11/site-packages/flask/app.py:12: in f\n    g()\nE   AttributeError: no json_encoder';
  const trials = explored(outcome(0, 9, 'E'), () => outcome(95, 20, broken));
  expect(trials.filter(({ world }) => 'flask' in world.newer).map(({ world }) => world.newer.flask)).toEqual(['']);
});

test('tests that take long are worth fewer worlds, and always one', () => {
  const slow = (seconds: number) => () => outcome(500, 3, `3 failed, 500 passed in ${seconds}.50s (0:10:00)`);
  expect(explored(slow(2)(), slow(2))).toHaveLength(4);
  expect(explored(slow(300)(), slow(300))).toHaveLength(2);
  expect(explored(slow(3000)(), slow(3000))).toHaveLength(1);
});

test('an interpreter of the day comes last, with what was best without', () => {
  const trials = explored(outcome(3, 2), ({ runner }) => outcome(runner === '<9' ? 5 : 4, 1), {
    interpreter: '==3.9.*',
  });
  expect(trials.at(-1)!.world).toMatchObject({ runner: '<9', interpreter: '==3.9.*' });
  expect(trials.filter(({ world }) => world.interpreter !== '')).toHaveLength(1);
});

test('with an interpreter of the day the runner is tried apart again, until a test passes', () => {
  const trials = explored(
    outcome(0, 1, 'E'),
    ({ runner, interpreter }) =>
      outcome(interpreter && runner === '<8' ? 40 : 0, 1, 'No module named _pytest.resultlog'),
    { interpreter: '==3.9.*' },
  );
  const other = trials.filter(({ world }) => world.interpreter !== '');
  expect(runners(other)).toEqual(['', '<9', '<8']);
  expect(bestOf({ base: outcome(0, 1), trials })!.world).toMatchObject({ runner: '<8', interpreter: '==3.9.*' });
});

const figures = fc.record({
  passed: fc.integer({ min: 0, max: 3 }),
  wrong: fc.integer({ min: 0, max: 3 }),
  first: fc.constantFrom('', 'a', 'b'),
  output: fc.constantFrom(
    '',
    'site-packages/one/x.py:1: in f\nE   TypeError: x',
    'site-packages/two/x.py:1\nE   KeyError',
  ),
});

test('it ends, and tries no world twice, whatever happens', () => {
  fc.assert(
    fc.property(
      figures,
      fc.array(fc.oneof(figures, fc.constantFrom('', 'Failed to build `a==1`')), { minLength: 1 }),
      (base, runs) => {
        let at = 0;
        const trials = explored(base, () => runs[at++ % runs.length]!, { interpreter: '<3.10' });
        expect(new Set(trials.map(({ world }) => worldKey(world))).size).toBe(trials.length);
        expect(trials.length).toBeLessThan(20);
      },
    ),
  );
});

test('nothing is both better and worse, nor better both ways', () => {
  fc.assert(
    fc.property(figures, figures, (a, b) => {
      expect(isBetter(a, b) && isWorse(a, b) && a.passed > 0).toBe(false);
      if (a.passed + b.passed > 0) expect(isBetter(a, b) && isBetter(b, a)).toBe(false);
    }),
  );
});

test('a world is read back from its word', () => {
  const world = fc.record({
    date: fc.constant(DATE),
    runner: fc.constantFrom('', '<8'),
    newer: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/), fc.constantFrom('', '2021-01-01')),
    interpreter: fc.constantFrom('', '==3.9.*'),
  });
  fc.assert(fc.property(world, (one) => expect(worldOf(worldKey(one))).toEqual({ ...one, newer: { ...one.newer } })));
  expect(worldOf('module:yaml')).toBeNull();
});
