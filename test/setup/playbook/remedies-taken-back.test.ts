import { execFileSync } from 'node:child_process';
import type { SetupAction } from '../../../src/contract';
import { riskRules } from '../../../src/setup/loop/frame-policy';
import { comparedWorlds } from '../../../src/setup/playbook/compared-worlds';
import { playbook } from '../../../src/setup/playbook/playbook';
import { Progress } from '../../../src/setup/playbook/progress';
import type { Observed, SeenAction, SetupDossier } from '../../../src/setup/roles/role';
import { dossierOf, failed, OK, textOf } from './simulated';

const FILES = {
  'pyproject.toml': '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\n',
  'stamp/__init__.py': '',
  'tests/test_a.py': '',
};
const OWN = "E   ModuleNotFoundError: No module named 'stamp.fast'";
const pytest = (counts: string, text = OWN) => failed(`${text}\n=== ${counts} in 1.0s ===`);
const verifier = (counts: string) => failed(`The verifier says no (pytest: ${counts}). ${OWN}`);

const isTests = (action: SetupAction) => textOf(action).includes('pytest -q --tb');

/** With frames as the loop takes them: before a command that a rule names, and before each `verify`. */
function withFrames(
  meet: (action: SetupAction, harmed: boolean) => Observed,
  more: Partial<SetupDossier> = {},
): SeenAction[] {
  const seen: SeenAction[] = [];
  const frames: number[] = [];
  let verified: ReturnType<typeof dossierOf>['verified'] = null;
  for (;;) {
    const action = playbook({ ...dossierOf(FILES, more), seen, verified });
    if (action.action === 'finish' || seen.length > 100) return seen;
    const framed = action.action === 'shell' && riskRules(action.command).length > 0;
    if (action.action === 'rollback') {
      if (frames.at(-1) === seen.length) frames.pop();
      const from = frames.pop()!;
      for (let at = from; at < seen.length; at++) seen[at] = { ...seen[at]!, undone: true };
    } else if (framed || action.action === 'verify') frames.push(seen.length);
    const harmed = seen.some(({ move, undone }) => !undone && textOf(move).includes('--force-reinstall'));
    const observed = action.action === 'rollback' ? OK : meet(action, harmed);
    if (action.action === 'verify') {
      const empty = { framework: null, counts: NONE, evidence: null, failures: [], smoke: false, head: '' };
      verified = { ...empty, success: observed.exitCode === 0, hint: observed.output };
      // Nothing came after it, and it changes nothing.
      frames[frames.length - 1] = seen.length + 1;
    }
    const notes = framed ? [`frame ${frames.length} before it (downgrade)`] : [];
    seen.push({ move: action, observed, turn: seen.length + 1, undone: false, notes });
  }
}
const NONE = { collected: 0, passed: 0, failed: 0, skipped: 0, errors: 0 };

const briefly = ({ move }: SeenAction) => {
  if (isTests(move)) return 'tests';
  return textOf(move).includes('--force-reinstall') ? 'reinstall' : move.action;
};

test.each([
  ['fewer tests pass', '2 failed, 9 passed', '3 failed, 8 passed'],
  ['none runs any more', '1338 passed, 12 errors', '1 error'],
  ['none passes, and now none runs either', '5 failed', 'no tests ran'],
])('%s after a remedy: it is taken back, and neither it nor the tests are tried again', (_, before, after) => {
  const seen = withFrames((action, harmed) => (isTests(action) ? pytest(harmed ? after : before) : OK));
  const from = seen.findIndex(({ move }) => isTests(move));
  expect(seen.slice(from).map(briefly)).toEqual(['tests', 'reinstall', 'tests', 'rollback', 'verify']);
  expect(seen[from + 3]!.move.thought).toContain('it did harm: take it back');
  expect(seen.map(({ undone }) => undone).slice(from)).toEqual([false, true, true, false, false]);
});

test('what the verifier counts is enough to know', () => {
  const dated = 'PIP_UPLOADED_PRIOR_TO';
  const released = '2024-03-01T18:36:20Z';
  const seen: SeenAction[] = [];
  const add = (observed: Observed, notes: readonly string[] = []) => {
    const verified = { framework: null, counts: NONE, evidence: null, failures: [], smoke: false, head: '' };
    const hint = seen.findLast(({ move }) => move.action === 'verify')?.observed.output ?? '';
    const move = playbook({ ...dossierOf(FILES, { released }), seen, verified: { ...verified, success: false, hint } });
    if (move.action !== 'finish') seen.push({ move, observed, turn: seen.length + 1, undone: false, notes });
    return move;
  };
  for (let move = add(OK); ; move = add(OK)) if (isTests(move)) break;
  add(verifier('90 passed, 1 failed, 0 errors, 0 skipped'));
  expect(textOf(add(OK, ['frame 3 before it (downgrade)']))).toContain(dated);
  add(verifier('70 passed, 21 failed, 0 errors, 0 skipped'));
  expect(add(OK)).toMatchObject({ action: 'rollback', frames: 1 });
});

test.each([
  ['as many pass', '2 failed, 9 passed', '1 failed, 9 passed'],
  ['more pass', '2 failed, 9 passed', '1 failed, 10 passed'],
])('%s: the remedy stays', (_, before, after) => {
  const seen = withFrames((action, harmed) => (isTests(action) ? pytest(harmed ? after : before) : OK));
  expect(seen.map(briefly)).not.toContain('rollback');
});

test.each([
  [
    'no frame was taken before it',
    ({ notes: _, ...step }: SeenAction) => ({ ...step, notes: [] }),
    (s: SeenAction) => s,
  ],
  [
    'a frame was taken between',
    (step: SeenAction) => step,
    (step: SeenAction) => ({ ...step, notes: ['frame 9 before it (toolchain)'] }),
  ],
  [
    'nobody knows how many would have passed',
    (step: SeenAction) => step,
    (step: SeenAction) => ({ ...step, observed: { ...step.observed, exitCode: null, timedOut: true } }),
  ],
])('%s: one frame back would be elsewhere, so nothing is taken back', (_, ofRemedy, ofAttempt) => {
  const seen = withFrames((action, harmed) =>
    isTests(action) ? pytest(harmed ? '1 error' : '9 passed, 1 error') : OK,
  );
  const at = seen.findIndex((step) => briefly(step) === 'rollback');
  const until = seen.slice(0, at).map((step) => ({ ...step, undone: false }));
  until[at - 2] = ofRemedy(until[at - 2]!);
  until[at - 1] = ofAttempt(until[at - 1]!);
  expect(playbook({ ...dossierOf(FILES), seen: until }).action).not.toBe('rollback');
});

describe('tests that fail are tried in the world of their release', () => {
  const released = '2020-04-03T08:00:00Z';
  const FAILING = 'FAILED tests/test_a.py::test_old - TypeError: gone\n';
  /** pytest 9, or what the world allows. */
  const versionIn = (seen: readonly SeenAction[]) => {
    const made = seen.findLast(({ move, undone }) => !undone && textOf(move).includes('--exclude-newer '));
    return made === undefined ? null : Number(/pytest<(\d)/.exec(textOf(made.move))?.[1] ?? 10) - 1;
  };

  function explored(
    counts: (version: number | null) => string,
    made: (command: string) => Observed | null = () => null,
  ) {
    const seen: SeenAction[] = [];
    return withFrames(
      (action) => {
        const command = textOf(action);
        if (command.includes('--exclude-newer ')) {
          const version = Number(/pytest<(\d)/.exec(command)?.[1] ?? 10) - 1;
          const ok = { ...OK, output: `today: 2026-11-26\npython: 3.9\npytest==${version}.1.0\nwerkzeug==1.0.1\n` };
          const observed = made(command) ?? ok;
          if (observed.exitCode === 0) seen.push({ move: action, observed, turn: 1, undone: false, notes: [] });
          return observed;
        }
        return isTests(action) ? failed(`${FAILING}=== ${counts(versionIn(seen))} in 1.0s ===`) : OK;
      },
      { released },
    );
  }
  const kept = (seen: readonly SeenAction[]) =>
    seen
      .filter(({ move, undone }) => !undone && textOf(move).includes('--exclude-newer '))
      .map(({ move }) => textOf(move));

  test('the one in which most pass stands, the others are taken back, and all are compared', () => {
    const passed: Readonly<Record<number, number>> = { 9: 522, 8: 522, 7: 526, 6: 100 };
    const seen = explored((version) =>
      version === null ? '1 error' : `${527 - passed[version]!} failed, ${passed[version]} passed`,
    );
    const standing = kept(seen);
    // The project goes with the runner: of what its plugins depend on it is the only one.
    expect(standing.at(-1)).toMatch(/--upgrade-package .* -e \. 'pytest<8' \$plugins/);
    const upgraded = /\$\(printf [^)]*\$plugins\)/.exec(standing.at(-1)!)![0];
    const upgrades = (plugins: string) =>
      execFileSync('bash', ['-c', `plugins='${plugins}'; echo ${upgraded}`], { encoding: 'utf8' });
    expect(upgrades('pytest-odd')).toBe(
      '--upgrade-package pytest --upgrade-package pluggy --upgrade-package pytest-odd\n',
    );
    expect(upgrades('')).toBe('--upgrade-package pytest --upgrade-package pluggy\n');
    // What a remedy had brought is not lost where that day has no build of it.
    expect(standing.at(-1)).toMatch(
      /--exclude-newer 20[\d-]+ [^;|]* "\$name" \|\| [^;|]* pip install (?:(?!--exclude-newer)[^;|])* "\$name" \|\|/,
    );
    expect(seen.filter(({ move }) => move.action === 'rollback')).toHaveLength(2);
    expect(seen.at(-1)!.move.action).toBe('verify');
    const compared = comparedWorlds(seen);
    expect(compared.map(({ passed: n, wrong, stands }) => [n, wrong, stands])).toEqual([
      [0, 1, false],
      [522, 5, false],
      [522, 5, false],
      [526, 1, true],
      [100, 427, false],
    ]);
    expect(compared[3]).toMatchObject({
      what: 'packages as of 2020-04-03; pytest<8, the newest that its tests go with',
      packages: ['pytest==7.1.0', 'werkzeug==1.0.1'],
      failures: ['tests/test_a.py::test_old'],
    });
  });

  test('today’s stands where they fail in it too, or where it cannot be made', () => {
    const alike = explored(() => '1 failed, 526 passed');
    expect(kept(alike)).toEqual([]);
    expect(comparedWorlds(alike)[0]).toMatchObject({ what: 'packages as of today', stands: true });
    const unmade = explored(
      () => '1 failed, 526 passed',
      () => failed('error: no network'),
    );
    expect(kept(unmade)).toEqual([]);
    expect(comparedWorlds(unmade).map(({ passed }) => passed)).toEqual([526, null]);
  });

  test('a day whose packages cannot be built with this interpreter is tried with one of its own', () => {
    const seen = explored(
      (version) => (version === null ? '10 errors' : '40 passed'),
      (command) => (command.includes('python3.9') ? null : failed('python: 3.11\nFailed to build `odd==1.0`')),
    );
    expect(kept(seen)).toHaveLength(1);
    expect(comparedWorlds(seen).map(({ what, passed }) => [what, passed])).toEqual([
      ['packages as of today', 0],
      ['packages as of 2020-04-03', null],
      ['packages as of 2020-04-03; odd as of today, as that of the day cannot be used', null],
      ['packages as of 2020-04-03; a Python ==3.9.*, as there was then', 40],
    ]);
  });

  test('the tests run once in each state', () => {
    const seen = explored(() => '1 failed, 526 passed');
    const worlds = seen.filter(({ move }) => textOf(move).includes('--exclude-newer '));
    expect(seen.filter(({ move }) => isTests(move))).toHaveLength(worlds.length + 1);
  });

  test('none is made where nobody knows the day', () => {
    const seen = withFrames((action) => (isTests(action) ? failed('=== 1 failed, 5 passed in 1.0s ===') : OK));
    expect(seen.some(({ move }) => textOf(move).includes('--exclude-newer '))).toBe(false);
  });
});

test('a unit that tests pass for stands, whatever was tried and taken back since', () => {
  const step = (thought: string, action: SetupAction['action'], output: string, undone = false): SeenAction => {
    const move = {
      action,
      thought: `${thought} x`,
      command: 'python -m pytest -q',
      unit: 'ignore-warnings',
      frames: 1,
    };
    const observed = { exitCode: action === 'rollback' ? 0 : 1, output, timedOut: false };
    return { move: move as unknown as SetupAction, observed, turn: 1, undone, notes: [] };
  };
  const seen = [
    step('[goal python/tests]', 'shell', 'E   DeprecationWarning: old'),
    step('[fix python/tests unit:ignore-warnings]', 'try_experience', 'kept'),
    step('[goal python/tests]', 'shell', '=== 169 failed, 626 passed in 9.0s ==='),
    step('[fix python/tests world:2024-03-05::]', 'shell', '', true),
    step('[goal python/tests]', 'shell', '=== 1 error in 1.0s ===', true),
    step('[fix python/tests harm:world:2024-03-05::]', 'rollback', ''),
  ];
  expect(new Progress({ seen, verified: null }).standingUnit('python/tests')).toBeNull();
  expect(new Progress({ seen: seen.slice(0, 2), verified: null }).standingUnit('python/tests')).toBe('ignore-warnings');
});
