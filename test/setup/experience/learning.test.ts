import type { SetupAction, SetupMoment, TrialRecord } from '../../../src/contract';
import {
  addsNothing,
  checkedDrafts,
  type ExtractOptions,
  extractByRules,
  judgementOf,
  mergeUnits,
  SameAnswer,
  sameCauseSameFix,
} from '../../../src/setup/experience';
import { momentsOf } from '../../../src/setup/loop/seen';
import type { SeenAction } from '../../../src/setup/roles/role';
import { draftLike, FACTS, PG_CONFIG, unitLike } from '../../store/experience/support/units';

const OPTIONS: ExtractOptions = {
  facts: FACTS,
  verdict: 'not_guilty',
  charges: [],
  workdir: '/repo',
  provenance: { run: 'r', repository: 'pypi:shop-kit==1.3.0', created: '2026-11-22T00:00:00.000Z' },
};
const steps = (...given: [command: string, exitCode: number, output?: string, undone?: boolean][]): SetupMoment[] =>
  given.map(([command, exitCode, output = '', undone = false], at) => ({
    turn: at + 1,
    action: 'shell',
    command,
    exitCode,
    output,
    undone,
  }));
const PG = 'Error: pg_config executable not found.';
const INSTALL = '. /venv/bin/activate && pip install -e .';

test('an error and the kept action that made it go away become a unit', () => {
  const [draft, ...more] = extractByRules(
    steps([INSTALL, 1, PG], ['apt-get update && apt-get install -y libpq-dev', 0], [INSTALL, 0]),
    OPTIONS,
  );
  expect(more).toEqual([]);
  expect(draft!.atoms).toEqual([{ name: 'apt_install', args: { packages: ['libpq-dev'] } }]);
  expect(new RegExp(draft!.signals.regex[0]!).test(PG)).toBe(true);
  expect(draft!.provenance).toEqual({ ...OPTIONS.provenance, verdict: 'not_guilty' });
});

test('a ladder of errors gives one unit a rung', () => {
  const gcc = "error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory";
  const drafts = extractByRules(
    steps(
      [INSTALL, 1, PG],
      ['apt-get install -y libpq-dev', 0],
      [INSTALL, 1, gcc],
      ['apt-get install -y gcc', 0],
      [INSTALL, 0],
    ),
    OPTIONS,
  );
  expect(drafts.map(({ atoms }) => atoms[0]!.args.packages)).toEqual([['libpq-dev'], ['gcc']]);
});

test('the fix may stand in the command that repeats the goal', () => {
  const [draft] = extractByRules(
    steps(
      ['. /venv/bin/activate && python -m pytest -q', 2, "E   ModuleNotFoundError: No module named 'zstd'"],
      [". /venv/bin/activate && pip install 'zstd<2' && python -m pytest -q", 0],
    ),
    OPTIONS,
  );
  expect(draft!.atoms).toEqual([{ name: 'pip_pin', args: { name: 'zstd', spec: '<2' } }]);
  expect(draft!.signals.keywords).toContain('zstd');
});

test('a minimum in quotes is no redirection', () => {
  const [draft] = extractByRules(
    steps(
      [INSTALL, 1, "E   ModuleNotFoundError: No module named 'zstd'"],
      ["pip install 'zstd>=1.5' 2>&1 | tail -5", 0],
      [INSTALL, 0],
    ),
    OPTIONS,
  );
  expect(draft!.atoms).toEqual([{ name: 'pip_pin', args: { name: 'zstd', spec: '>=1.5' } }]);
});

test('attempts that failed or were undone are never part of a unit', () => {
  const drafts = extractByRules(
    steps(
      [INSTALL, 1, PG],
      ['pip install pg-config', 1, 'no'],
      ['apt-get install -y postgresql-all', 0, '', true],
      ['apt-get install -y libpq-dev', 0],
      [INSTALL, 0],
    ),
    OPTIONS,
  );
  expect(JSON.stringify(drafts)).not.toMatch(/postgresql-all|pip install pg-config/);
  expect(drafts[0]!.atoms).toHaveLength(1);
});

test('what a unit mended that was tried as it is was mended by nothing that came later', () => {
  const trial = { turn: 2, action: 'try_experience', unit: 'pg', command: null, output: '' };
  const [failed, bystander, again] = steps([INSTALL, 1, PG], ['export FOO=1', 0], [INSTALL, 0]);
  const among = (fields: Pick<SetupMoment, 'exitCode' | 'undone'>) =>
    extractByRules([failed!, { ...trial, ...fields }, bystander!, again!], OPTIONS);
  expect(among({ exitCode: 0, undone: false })).toEqual([]);
  // Rolled back or refused, it did nothing.
  expect(among({ exitCode: 0, undone: true })).toHaveLength(1);
  expect(among({ exitCode: null, undone: false })).toHaveLength(1);
});

test('what an agent wanted to try taught nothing where a rival overtook it: that one is what ran', () => {
  const turn = (at: number, move: object, exitCode: number, output = ''): SeenAction => ({
    ...{ turn: at, move: { thought: '', ...move } as SetupAction, undone: false, notes: [] },
    observed: { exitCode, output, timedOut: false },
  });
  const seen = [
    turn(1, { action: 'shell', command: INSTALL }, 1, PG),
    turn(2, { action: 'try_experience', unit: 'slow', command: 'apt-get install -y postgresql-all' }, 0),
    turn(3, { action: 'shell', command: INSTALL }, 0),
  ];
  const trial = { turn: 2, command: '', before: PG, after: '' };
  const tried = (winner: string): TrialRecord[] => [
    { ...trial, unit: 'quick', outcome: 'success', kept: winner === 'quick' },
    { ...trial, unit: 'slow', outcome: 'neutral', kept: winner === 'slow' },
  ];
  expect(momentsOf(seen, tried('quick'))[1]).toMatchObject({ unit: 'quick', command: null });
  expect(extractByRules(momentsOf(seen, tried('quick')), OPTIONS)).toEqual([]);
  expect(extractByRules(momentsOf(seen, tried('slow')), OPTIONS)).toHaveLength(1);
});

test('what still stands, what was never run again and what only avoids tests teach nothing', () => {
  const failing = 'python -m pytest';
  const error = "E   ModuleNotFoundError: No module named 'x'";
  expect(
    extractByRules(steps([INSTALL, 1, PG], ['apt-get install -y libpq-dev', 0], [INSTALL, 1, PG]), OPTIONS),
  ).toEqual([]);
  expect(extractByRules(steps([INSTALL, 1, PG], ['apt-get install -y libpq-dev', 0]), OPTIONS)).toEqual([]);
  expect(
    extractByRules(steps([failing, 2, error], ['pip install y', 0], [`${failing} --ignore=tests/x`, 0]), OPTIONS),
  ).toEqual([]);
  expect(
    extractByRules(steps([failing, 2, error], ["export PYTEST_ADDOPTS='--ignore=tests/x'", 0], [failing, 0]), OPTIONS),
  ).toEqual([]);
});

test('nothing of the repository gets in: name, folder, version', () => {
  const error = 'LookupError: setuptools-scm was unable to detect version for /repo.';
  const [draft] = extractByRules(
    steps(
      [INSTALL, 1, error],
      ['export SETUPTOOLS_SCM_PRETEND_VERSION_FOR_SHOP_KIT=1.3.0', 0],
      ['touch /repo/shop_kit/_version.py', 0],
      [INSTALL, 0],
    ),
    OPTIONS,
  );
  const { provenance: _, ...said } = draft!;
  expect(JSON.stringify(said)).not.toMatch(/shop.?kit|\/repo|1\.3\.0/i);
  expect(said.advice_nl.join(' ')).toContain('VERSION');
  // Half of the actions would be worse than their description.
  expect(said.atoms).toEqual([]);
});

test('charges first: what the court upheld was no fix', () => {
  const moments = steps(
    ['python -m pytest', 2, "E   ModuleNotFoundError: No module named 'graphviz'"],
    ['pip install graphviz-stub', 0],
    ['python -m pytest', 0],
  );
  expect(extractByRules(moments, OPTIONS)).toHaveLength(1);
  const charges = ['graphviz is replaced by graphviz-stub, an empty package'];
  expect(extractByRules(moments, { ...OPTIONS, verdict: 'guilty', charges })).toEqual([]);
});

test('same cause and same fix, or only one of them', () => {
  const draft = draftLike('a');
  expect(sameCauseSameFix(draft, { ...draft, advice_nl: ['Other words.'] })).toMatchObject({ same: true });
  const otherFix = { ...draft, atoms: [{ name: 'pip_install' as const, args: { name: 'lxml-wheel' } }] };
  expect(sameCauseSameFix(draft, otherFix).same).toBe(false);
  const otherCause = draftLike('b', {}, { keywords: ['zlib.h'], regex: ['zlib\\.h: No such file'] });
  expect(sameCauseSameFix(draft, otherCause).same).toBe(false);
});

test('B8: a merge keeps atoms, record and id, counts its version and names what it replaces', () => {
  const older = { ...PG_CONFIG, telemetry: { hits: 4, successes: 2, failures: 1 } };
  const newer = draftLike('new', {}, { applicability: { lang: 'python', os: ['debian'] } });
  const merged = mergeUnits(older, newer);
  expect(merged).toMatchObject({ id: older.id, version: 2, telemetry: older.telemetry });
  expect(merged.provenance.supersedes).toBe('pg-config@1');
  expect(merged.atoms).toEqual([...older.atoms, ...newer.atoms]);
  expect(merged.signals.regex).toEqual([...older.signals.regex, ...newer.signals.regex]);
  expect(merged.advice_nl).toEqual([...older.advice_nl, ...newer.advice_nl]);
  expect(mergeUnits(older, newer, ['One.']).advice_nl).toEqual(['One.']);
  expect(addsNothing(merged, newer)).toBe(true);
  expect(addsNothing(older, newer)).toBe(false);
});

test('the same error and fix elsewhere add something: the unit applies there, too', () => {
  const draft = (applicability: object) => draftLike('x', {}, { applicability });
  const older = { ...PG_CONFIG, ...draft({ lang: 'python', os: ['debian'], runtime: ['python3.11'] }) };
  const same = { lang: 'python', os: ['debian'], runtime: ['python3.11'], tools: ['pip'] };
  expect(addsNothing(older, draft(same))).toBe(true);
  for (const other of [{ lang: 'node' }, { os: ['alpine'] }, { runtime: ['python3.12'] }]) {
    expect(addsNothing(older, draft({ ...same, ...other }))).toBe(false);
  }
  expect(mergeUnits(older, draft({ ...same, lang: 'node' })).signals.applicability.lang).toBe('');
});

test('a merge never grows past what a unit may hold', () => {
  const long = unitLike('long', { advice_nl: ['1', '2', '3', '4', '5'] });
  expect(mergeUnits(long, draftLike('x')).advice_nl).toHaveLength(5);
});

test("a model's units are checked one by one, its judgement is about the version it saw", () => {
  const good = { signals: { keywords: ['x'] }, advice_nl: ['do'], atoms: [] };
  const bad = { signals: {}, advice_nl: [], atoms: [{ name: 'format_disk', args: {} }] };
  const { drafts, refused } = checkedDrafts({ units: [bad, good], why: '' }, [], OPTIONS);
  expect(drafts.map(({ advice_nl }) => advice_nl)).toEqual([['do']]);
  expect(refused[0]).toContain('atoms.0.name');
  expect(judgementOf({ same: true, advice: [], why: 'w' }, { ...PG_CONFIG, version: 3 })).toEqual({
    nearest: 'pg-config',
    version: 3,
    same: true,
    why: 'w',
  });
});

test("a model's joined advice that is longer than a unit may hold is no answer: the rules join instead", () => {
  const answer = (length: number) => SameAnswer.safeParse({ same: true, advice: ['x'.repeat(length)] }).success;
  expect([answer(2_000), answer(2_001)]).toEqual([true, false]);
});

test.each([
  ['VIRTUAL_ENV=/venv /opt/uv/bin/uv pip install -q --exclude-newer 2020-04-03 -e .'],
  ['rm -rf node_modules && npm install --before=2019-03-01T23:59:59Z'],
])('all packages of one day teach nobody else, nor does what came after them: %s', (dated) => {
  const failing = "ImportError: cannot import name 'escape' from 'jinja2'";
  const moments = steps(['pytest', 1, failing], [dated, 0], ['pip install mock', 0], ['pytest', 0]);
  expect(extractByRules(moments, OPTIONS)).toEqual([]);
});
