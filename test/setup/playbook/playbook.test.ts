import fc from 'fast-check';
import type { SetupAction } from '../../../src/contract';
import { SetupAction as Schema } from '../../../src/contract';
import type { Suggestion } from '../../../src/contract/experience';
import { playbook } from '../../../src/setup/playbook/playbook';
import { examples } from '../../support/counts';
import { dossierOf, failed, OK, simulate, textOf } from './simulated';

const REPOSITORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  python: {
    'pyproject.toml':
      '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\n[project.optional-dependencies]\ntest=["pytest","mock==1"]\n',
    'stamp/__init__.py': '',
    'tests/test_a.py': '',
  },
  node: {
    'package.json':
      '{"name":"stamp","scripts":{"test":"eslint . && mocha"},"devDependencies":{"mocha":"^10","x":"git+ssh://git@host.invalid/x"}}',
    'index.js': '',
    'test/a.js': '',
  },
  go: { 'go.mod': 'module host.invalid/stamp\n\ngo 1.22\n', 'a.go': '', 'a_test.go': '' },
  rust: { 'Cargo.toml': '[package]\nname="stamp"\nversion="1.0.0"\n', 'src/lib.rs': '' },
  cmake: { 'CMakeLists.txt': 'project(stamp)\noption(STAMP_BUILD_TESTS "" OFF)\n', 'a.c': '' },
  autotools: { 'configure.ac': 'AC_INIT([a],[1])', 'Makefile.am': 'TESTS = t\n', 'a.c': '' },
  meson: { 'meson.build': "project('a', 'c')", 'a.c': '' },
  maven: { 'pom.xml': '<project><artifactId>a</artifactId></project>', 'src/main/java/A.java': '' },
};

test.each(Object.entries(REPOSITORIES))('%s: without an error it is a straight line to a verified end', (_, files) => {
  const { seen, end } = simulate(dossierOf(files), () => OK);
  expect(end.success).toBe(true);
  expect(seen.at(-1)!.move.action).toBe('verify');
  expect(seen.length).toBeLessThanOrEqual(6);
  expect(new Set(seen.map(({ move }) => textOf(move))).size).toBe(seen.length);
});

test('beside Python, what the manifests of other languages declare is not pip’s to install', () => {
  const beside = { 'package.json': '{"devDependencies":{"webpack":"^5"}}', 'a.js': '', 'a.py': '' };
  const stamp = { 'setup.py': 'from setuptools import setup\nsetup(name="stamp")\n', 'tests/test_a.py': '' };
  const { seen } = simulate(dossierOf({ ...stamp, ...beside }), () => OK);
  const tools = seen.map(({ move }) => textOf(move)).filter((line) => line.includes('pip install'));
  expect(tools).toEqual([expect.any(String), 'python -m pip install -q pytest']);
});

test('a project in a folder of its repository is worked on there', () => {
  const moved = Object.entries(REPOSITORIES.cmake!).map(([path, text]) => [`core/${path}`, text]);
  const files = { ...Object.fromEntries(moved), 'README.md': '', 'debian/control': 'Source: stamp' };
  const { seen, end } = simulate(dossierOf(files), () => OK);
  const lines = seen.map(({ move }) => textOf(move));
  expect(lines[0]).toBe('cd /repo/core');
  expect(lines).toContainEqual(expect.stringMatching(/build-dep .* \.\.\/$/));
  expect(end.success).toBe(true);
});

test('components come first and share the toolchain; wanted services are started before the tests', () => {
  const component = { name: 'letters', workdir: '/family/letters', survey: dossierOf(REPOSITORIES.python!).survey };
  const wanted = [{ name: 'redis', kind: 'process' as const, packages: [], env: {} }];
  const { seen } = simulate(dossierOf(REPOSITORIES.python!, { components: [component], wanted }), () => OK);
  const lines = seen.map(({ move }) => textOf(move));
  expect(lines.filter((line) => line.includes('-m venv'))).toHaveLength(1);
  expect(lines.findIndex((line) => line.startsWith('cd /family/letters && {'))).toBeLessThan(
    lines.indexOf('python -m pip install -q -e .'),
  );
  expect(lines.indexOf('start_service')).toBeLessThan(lines.findIndex((line) => line.includes('pytest -q')));
  expect(lines.filter((line) => line.includes('pytest -q'))).toHaveLength(1);
});

test.each([2, 3, 4, 5, 6, 7])(
  'with %s steps left it spends none on what is optional that a verify would need',
  (steps) => {
    const dossier = dossierOf(REPOSITORIES.python!, { stepsLeft: steps });
    const meet = (action: SetupAction) =>
      textOf(action).includes('pytest') ? failed("ModuleNotFoundError: No module named 'yaml'") : OK;
    const { seen } = simulate(dossier, meet);
    const lines = seen.slice(0, steps + 1).map(({ move }) => textOf(move));
    expect(lines).toContain('python -m pip install -q -e .');
    expect(lines).toContain('verify');
  },
);

test('a version that is made from tags is said before the project is installed', () => {
  const files = {
    'pyproject.toml': '[build-system]\nrequires=["setuptools-scm"]\n[project]\nname="stamp-it"\ndynamic=["version"]\n',
    'stamp_it.py': '',
  };
  const { seen } = simulate(dossierOf(files, { version: 'v1.3.0' }), () => OK);
  expect(textOf(seen[1]!.move)).toBe('export SETUPTOOLS_SCM_PRETEND_VERSION_FOR_STAMP_IT=1.3.0 PBR_VERSION=1.3.0');
});

test('nobody knows the language: the verifier is asked, and what it says is the reason', () => {
  const { end, seen } = simulate(dossierOf({ 'README.md': 'x' }), () => failed('nothing to test'));
  expect(seen.map(({ move }) => move.action)).toEqual(['verify']);
  expect(end).toMatchObject({ success: false, message: 'verify cannot be reached: nothing to test' });
});

const unit = (id: string, more: Partial<Suggestion> = {}): Suggestion => ({
  unit: id,
  advice: ['x'],
  atoms: [],
  commands: [`fix ${id}`],
  similarity: 1,
  reliability: 1,
  score: 1,
  matched: ['regex:x'],
  ...more,
});

describe('experience', () => {
  const tests = (action: SetupAction) => textOf(action).includes('pytest -q');

  test('a unit is tried once for an error that the table does not know; undone, the next one', () => {
    const { seen, end } = simulate(
      dossierOf(REPOSITORIES.python!),
      (action, before) => {
        if (action.action === 'try_experience') return action.unit === 'bad' ? { ...OK, undone: true } : OK;
        if (tests(action))
          return before.some(({ move }) => textOf(move) === 'good') ? OK : failed('ImportPathMismatchError: odd');
        return OK;
      },
      [unit('empty', { commands: [] }), unit('bad'), unit('good')],
    );
    expect(end.success).toBe(true);
    expect(
      seen
        .map(({ move }) => move)
        .filter(({ action }) => action === 'try_experience')
        .map(textOf),
    ).toEqual(['bad', 'good']);
  });

  test('a unit that leads to another error, against which nothing helps, is rolled back and the next one tried', () => {
    let force = '';
    const { seen, end } = simulate(
      dossierOf(REPOSITORIES.python!),
      (action) => {
        if (action.action === 'rollback') force = '';
        if (action.action === 'try_experience') force = action.unit;
        if (tests(action))
          return force === 'good' ? OK : failed(force === '' ? 'ImportPathMismatchError: odd' : 'worse');
        return OK;
      },
      [unit('bad'), unit('good')],
      // The second error is one that no unit fits.
      (text) => text.includes('odd'),
    );
    expect(end.success).toBe(true);
    const after = seen.map(({ move }) => (move.action === 'try_experience' ? move.unit : move.action)).slice(3);
    expect(after).toEqual(['shell', 'bad', 'shell', 'rollback', 'good', 'shell', 'verify']);
  });

  test('a unit by which more tests pass stays, although some still fail', () => {
    let tried = false;
    const { seen } = simulate(
      dossierOf(REPOSITORIES.python!),
      (action) => {
        if (action.action === 'try_experience') tried = true;
        return tests(action)
          ? failed(tried ? '=== 1 failed, 9 passed in 0.1s ===' : '=== 8 failed, 2 passed in 0.1s ===')
          : OK;
      },
      [unit('good')],
    );
    expect(seen.map(({ move }) => move.action).slice(-3)).toEqual(['try_experience', 'shell', 'verify']);
  });

  test('what the table knows for sure goes before a unit, what only may help after it', () => {
    const sure = simulate(
      dossierOf(REPOSITORIES.python!),
      (action, before) => {
        if (tests(action))
          return before.some(({ move }) => textOf(move).includes('freezegun'))
            ? OK
            : failed("E   ModuleNotFoundError: No module named 'freezegun'");
        return OK;
      },
      [unit('other')],
    );
    expect(sure.seen.map(({ move }) => textOf(move))).toContain('python -m pip install -q freezegun');
    expect(sure.seen.some(({ move }) => move.action === 'try_experience')).toBe(false);
    const unsure = simulate(
      dossierOf(REPOSITORIES.python!),
      (action) =>
        textOf(action).includes('[test]')
          ? failed("ValueError: invalid mode: 'U'\nerror: metadata-generation-failed")
          : OK,
      [unit('other')],
    );
    const after = unsure.seen.map(({ move }) => textOf(move));
    expect(after.indexOf('other')).toBeLessThan(after.findIndex((line) => line.startsWith('for name in pytest mock')));
  });

  test('advice with a blank for a package is filled in from the traceback', () => {
    const error = 'File "/venv/lib/python3.11/site-packages/jinja2/utils.py", line 3\nAttributeError: odd';
    const { seen } = simulate(dossierOf(REPOSITORIES.python!), (action) => (tests(action) ? failed(error) : OK), [
      unit('up', { commands: ['python -m pip install --upgrade PACKAGE_OF_THE_TRACEBACK'] }),
      unit('hard', { commands: ['edit NAME_OF_THE_FILE'] }),
    ]);
    const tried = seen.map(({ move }) => move).filter((move) => move.action === 'try_experience');
    expect(tried[0]).toMatchObject({ unit: 'up', command: 'python -m pip install --upgrade jinja2' });
  });
});

test('a step that a rollback took back is done again', () => {
  const seen: ReturnType<typeof simulate>['seen'] = [];
  const dossier = dossierOf(REPOSITORIES.rust!);
  const first = playbook(dossier);
  seen.push({ move: first, observed: OK, turn: 1, undone: true, notes: [] });
  expect(textOf(playbook({ ...dossier, seen }))).toBe(textOf(first));
});

const PIECES = [
  "ModuleNotFoundError: No module named 'NAME'",
  'fatal error: NAME.h: No such file or directory',
  'bash: line 1: NAME: command not found',
  'error: unrecognized arguments: --cov --NAME=1 -n4',
  "fixture 'NAME' not found",
  'cannot find -lNAME',
  "Package 'NAME', required by 'virtual:world', not found",
  'Could NOT find NAME (missing: NAME_LIBRARY)',
  'connect ECONNREFUSED 127.0.0.1:6379',
  'npm ERR! code ERESOLVE',
  "Cannot find module 'NAME'",
  'go.mod requires go >= 1.23',
  'missing go.sum entry for module NAME',
  'error: metadata-generation-failed',
  'Source option 6 is no longer supported. Use 7 or later',
  "make: *** No rule to make target 'check'.  Stop.",
  'possibly undefined macro: AC_PROG_LIBTOOL',
  'fatal: not a git repository',
  "No module named 'pkg_resources'",
  "No module named 'stamp.NAME'",
  'CMake Error at a:1 (b):\n  Could NOT find NAME (missing: NAME_LIBRARY)',
  'Compatibility with CMake < 3.5 has been removed',
  'configure: error: NAME library not found',
  'npm error notsup Required: {"node":">=20"}',
  'Unsupported URL Type "workspace:": workspace:*',
  'package weak is not in std',
  'error: release version 21 not supported',
  'NAME have unmet dependencies',
  '3 passed, 1 error in 0.1s',
  '1 passed, 1 failed in 0.1s',
  'NAME',
];

test('whatever it meets, it ends, repeats no remedy, and never does the same twice without a change between', () => {
  const text = fc
    .tuple(fc.constantFrom(...PIECES), fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/))
    .map(([piece, name]) => piece.replaceAll('NAME', name));
  const answers = fc.array(fc.tuple(fc.array(text, { maxLength: 5 }), fc.integer({ min: 0, max: 3 })), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(REPOSITORIES)), answers, fc.boolean(), (name, script, withUnits) => {
      let at = 0;
      const units = withUnits ? ['a', 'b', 'c'].map((id) => unit(id)) : [];
      const { seen } = simulate(
        dossierOf(REPOSITORIES[name]!),
        () => {
          const [lines, luck] = script[at++ % script.length]!;
          return luck === 0 ? OK : { ...failed(lines.join('\n')), undone: luck === 3 };
        },
        units,
      );
      // The bounds of all goals together, reached by no repository that is not out to reach them.
      expect(seen.length).toBeLessThan(6 * 38);
      for (const { move } of seen) expect(Schema.safeParse(move).success).toBe(true);
      const remedies = seen
        .filter(({ move, observed }) => /^\[fix /.test(move.thought) && observed.exitCode === 0)
        .map(({ move }) => move.thought);
      expect(new Set(remedies).size).toBe(remedies.length);
      seen.slice(1).forEach(({ move }, index) => {
        const before = seen[index]!;
        if (before.observed.exitCode !== 0 && !before.undone) expect(textOf(move)).not.toBe(textOf(before.move));
      });
    }),
    { numRuns: examples(100, 300) },
  );
});
