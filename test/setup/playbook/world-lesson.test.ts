import type { Suggestion } from '../../../src/contract';
import { auditByRules } from '../../../src/setup/experience';
import { marked, Progress, TAUGHT } from '../../../src/setup/playbook/progress';
import { lessonsIn, worldLesson } from '../../../src/setup/playbook/world-lesson';
import { nextWorld, taughtWorld, type World, worldKey } from '../../../src/setup/playbook/worlds';
import type { SeenAction } from '../../../src/setup/roles/role';

const DATE = '2020-04-03';
const IMPORT =
  "ImportError: cannot import name 'escape' from 'jinja2' (/venv/lib/python3.11/site-packages/jinja2/__init__.py)";
const RUNNER = "AttributeError: 'Module' object has no attribute 'obj'";
const world = (more: Partial<World>): World => ({ date: DATE, runner: '', newer: {}, interpreter: '', ...more });

/** A search for a world as its steps were seen: for each world what the tests said in it. `words` mark the step that made it. */
function searched(
  base: string,
  ...trials: readonly { tried: World; said: string; undone?: boolean; words?: readonly string[] }[]
): SeenAction[] {
  const seen: SeenAction[] = [];
  const step = (act: ReturnType<typeof marked>, output: string, undone: boolean) => {
    const exitCode = /failed|Error/.test(output) ? 1 : 0;
    const observed = { exitCode, output, timedOut: false };
    seen.push({ turn: seen.length + 1, move: act as SeenAction['move'], observed, undone, notes: [] });
  };
  const attempt = marked({ action: 'shell', command: 'pytest' }, 'goal', 'python/tests', [], 'Run the tests.');
  step(attempt, base, false);
  for (const { tried, said, undone = false, words = [] } of trials) {
    const made = { action: 'shell' as const, command: 'make it' };
    step(marked(made, 'fix', 'python/tests', [worldKey(tried), ...words], 'A world.'), 'today: 2026-11-27', undone);
    step(attempt, said, undone);
  }
  return seen;
}
const options = {
  facts: { lang: 'python', os: 'debian', runtime: [], tools: [] },
  verdict: 'not_guilty',
  charges: [],
  workdir: '/repo',
  provenance: { repository: 'pypi:flask@1.1.2', created: '2026-11-27T00:00:00Z' },
};

test('what the world that stands chose apart from its day answers the errors of today and of the worlds before it', () => {
  const seen = searched(
    `E   ${IMPORT}\n1 error in 0.50s`,
    { tried: world({}), said: `E   ${RUNNER}\n1 error in 0.40s`, undone: true },
    { tried: world({ runner: '<8', newer: { werkzeug: '' } }), said: '526 passed in 3.00s' },
  );
  const unit = worldLesson(seen, options);
  expect(unit).toMatchObject({
    atoms: [{ name: 'dated_world', args: { runner: '<8', newer: { werkzeug: '' } } }],
    signals: { applicability: { lang: 'python' } },
    provenance: { verdict: 'not_guilty' },
  });
  for (const error of [IMPORT, RUNNER])
    expect(unit!.signals.regex.some((pattern) => new RegExp(pattern, 'i').test(error))).toBe(true);
  // The day is the other repository's own.
  expect(JSON.stringify(unit)).not.toContain(DATE);
});

test.each([
  ['the day alone helped', `E   ${IMPORT}\n1 error in 0.50s`, world({}), '9 passed in 1.00s'],
  ['no world was better', '9 passed, 1 failed in 1.00s', world({ runner: '<8' }), '8 passed, 2 failed in 1.00s'],
  ['an interpreter helped', `E   ${IMPORT}\n1 error in 0.50s`, world({ interpreter: '==3.9.*' }), '9 passed in 1.00s'],
  ['only assertions failed', 'E   assert 1 == 2\n1 failed in 0.10s', world({ runner: '<8' }), '1 passed in 1.00s'],
])('nothing is learned where %s', (_, base, tried, said) => {
  expect(worldLesson(searched(base, { tried, said }), options)).toBeNull();
});

test('nothing is learned where no world was made', () => {
  expect(worldLesson(searched(`E   ${IMPORT}`), options)).toBeNull();
});

const suggestion = (args: Record<string, unknown>): Pick<Suggestion, 'unit' | 'atoms'> => ({
  unit: 'u',
  atoms: [{ name: 'dated_world', args }],
});

test('a lesson is tried as of the own day, once, and the search goes on as without it where it is no better', () => {
  const lessons = lessonsIn([suggestion({ runner: '<8', newer: { werkzeug: '', click: '2019-01-01' } })]);
  const taught = taughtWorld({ date: DATE, trials: [] }, lessons);
  // What was newer than another day may be older than this one.
  expect(taught).toEqual({ unit: 'u', world: world({ runner: '<8', newer: { werkzeug: '' } }) });
  const base = { passed: 0, wrong: 1, first: IMPORT, output: IMPORT };
  const trial = { world: taught!.world, stands: false, taught: true, outcome: base, made: '' };
  expect(taughtWorld({ date: DATE, trials: [trial] }, lessons)).toBeNull();
  const search = { date: DATE, base, runner: 'pytest', interpreter: null };
  expect(nextWorld({ ...search, trials: [trial] })).toEqual(world({}));
  const better = { ...trial, stands: true, outcome: { ...base, passed: 5 }, made: 'pytest==7.4.4' };
  expect(nextWorld({ ...search, trials: [better] })).toEqual(world({}));
});

test('a lesson that is a rung of the search is not tried again when its turn comes', () => {
  const outcome = { passed: 5, wrong: 1, first: RUNNER, output: RUNNER };
  const tried = (runner: string, version: number, taught = false) => {
    return { world: world({ runner }), stands: taught, taught, outcome, made: `pytest==${version}.0.0` };
  };
  const search = { date: DATE, base: { ...outcome, passed: 0 }, runner: 'pytest', interpreter: null };
  const trials = [tried('<8', 7, true), tried('', 9), tried('<9', 8)];
  expect(nextWorld({ ...search, trials })).toEqual(world({ runner: '<7' }));
});

test.each([
  [{ runner: '<8; rm -rf /' }],
  [{ newer: { '$(id)': '' } }],
  [{ newer: { werkzeug: '`id`' } }],
  [{ runner: ['<8'] }],
  [{ newer: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`package-${at}`, ''])) }],
])('a unit from elsewhere says nothing but versions, names and days: %j', (args) => {
  expect(lessonsIn([suggestion(args)])).toEqual([]);
});

test('a world that was made counts as its unit tried: a failure where it is taken back, else what the tests say', () => {
  const unit = { ...suggestion({ runner: '<8' }), commands: [], advice: ['A world.'] };
  const anchor = { units: [unit], error: IMPORT, command: 'pytest' };
  const made = `uv venv --python python3.11 && uv pip install --exclude-newer ${DATE} flask && uv pip install 'pytest<8'`;
  const moment = { turn: 2, action: 'shell', command: made, exitCode: 0, output: '', undone: false };
  const tests = { ...moment, turn: 3, command: 'pytest', output: '9 passed in 1.00s' };
  const verdictOf = (...moments: Parameters<typeof auditByRules>[1]) => auditByRules(anchor, moments)[0]!.verdict;
  expect(verdictOf(moment, tests)).toBe('success');
  expect(verdictOf({ ...moment, undone: true }, tests)).toBe('failure');
  expect(verdictOf({ ...moment, command: made.replace('<8', '<9') }, tests)).toBe('neutral');
});

test('which unit told of a world is read back from its step', () => {
  const seen = searched(IMPORT, { tried: world({}), said: '9 passed in 1.00s', words: [`${TAUGHT}u`] });
  expect(new Progress({ seen, verified: null }).worldsOf('').trials).toMatchObject([{ taught: true }]);
});
