import type { SetupMoment } from '../../../src/contract';
import { checkedDrafts, type ExtractOptions, extractByRules } from '../../../src/setup/experience';
import { FACTS } from '../../store/experience/support/units';

const OPTIONS: ExtractOptions = {
  facts: FACTS,
  verdict: 'not_guilty',
  charges: [],
  workdir: '/repo',
  provenance: { run: 'r', repository: 'pypi:toolz==0.12.1', created: '2026-11-22T00:00:00.000Z' },
};
type Given = [command: string, exitCode: number | null, undone?: boolean];
const steps = (...given: Given[]): SetupMoment[] =>
  given.map(([command, exitCode, undone = false], at) => ({
    ...{ turn: at + 1, action: 'shell', command, exitCode, output: '', undone },
  }));
const draft = (more: object = {}, signals: object = {}) => ({
  signals: { keywords: ['pg_config'], regex: ['pg_config executable not found'], ...signals },
  advice_nl: ['Building psycopg2 needs pg_config: install libpq-dev.'],
  atoms: [{ name: 'apt_install', args: { packages: ['libpq-dev'] } }],
  ...more,
});
const check = (unit: object, moments: readonly SetupMoment[] = [], options: Partial<ExtractOptions> = {}) =>
  checkedDrafts({ units: [unit], why: '' }, moments, { ...OPTIONS, ...options });

test("a model's draft that is about no repository and avoids nothing stands as it is", () => {
  const { drafts, refused } = check(draft(), steps(['apt-get install -y libpq-dev', 0]));
  expect(refused).toEqual([]);
  expect(drafts).toMatchObject([{ ...draft(), provenance: { ...OPTIONS.provenance, verdict: 'not_guilty' } }]);
});

test('the draft of the audit is refused, for what it does', () => {
  const { drafts, refused } = check(
    draft({
      advice_nl: ['In toolz at /repo skip the broken tests'],
      atoms: [{ name: 'set_pytest_flag', args: { name: '--ignore', value: 'toolz/tests/test_x.py' } }],
    }),
  );
  expect(drafts).toEqual([]);
  expect(refused[0]).toContain('avoids tests');
});

test('nothing of the repository gets in: neither words nor patterns nor atoms nor fields of its own', () => {
  const { drafts } = check(
    draft(
      {
        advice_nl: ['toolz 0.12.1 in /repo/setup.cfg wants pg_config.'],
        atoms: [{ name: 'shell', args: { cmd: 'cd /repo && make' } }],
        note: 'seen in toolz',
      },
      {
        keywords: ['toolz', 'pg_config', '/repo/setup.cfg'],
        regex: ['toolz\\.egg-info', 'version 0\\.12\\.1', 'pg_config executable not found'],
        situation_triggers: ['toolz fails to build'],
        applicability: { lang: 'python', tools: ['pip', 'toolz'] },
        seen: '/repo',
      },
    ),
  );
  const { provenance: _, ...said } = drafts[0]!;
  expect(JSON.stringify(said)).not.toMatch(/toolz|\/repo|0\.12\.1|0\\+\.12/i);
  expect(said).toMatchObject({
    signals: { keywords: ['pg_config'], regex: ['pg_config executable not found'] },
    advice_nl: ['PROJECT VERSION in ./setup.cfg wants pg_config.'],
    // Half of the actions would be worse than their description.
    atoms: [],
  });
});

test('what only this repository could find is refused', () => {
  const { drafts, refused } = check(draft({}, { keywords: ['toolz'], regex: ['toolz/core\\.py'] }));
  expect([drafts, refused]).toEqual([[], [expect.stringContaining('this repository alone')]]);
});

test.each<[string, object]>([
  ['set_pytest_flag', { name: '--deselect', value: 'tests/a.py::b' }],
  ['set_pytest_flag', { name: 'ignore', value: 'tests' }],
  ['set_pytest_flag', { flag: '--ignore-glob=*x*' }],
  ['set_pytest_flag', { flags: ['-k', 'not slow'] }],
  ['set_pytest_flag', { name: '-k', value: 'fast and not slow' }],
  ['set_pytest_flag', { name: '-m', value: 'not network' }],
  ['set_pytest_flag', { name: '--collect-only' }],
  ['set_pytest_flag', { flag: '--co' }],
  ['set_env', { key: 'PYTEST_ADDOPTS', value: '--deselect tests/a.py' }],
  ['set_env', { var: 'PYTEST_ADDOPTS', value: "-k 'not slow'" }],
  ['set_env', { var: 'MAVEN_OPTS', value: '-DskipTests' }],
  ['shell', { cmd: 'export PYTEST_ADDOPTS="--co"' }],
  ['shell', { commands: ['make', 'pytest -q --collect-only'] }],
  ['shell', { cmd: 'pytest || true' }],
  ['shell', { cmd: 'rm tests/test_network.py' }],
  ['shell', { cmd: 'echo "collect_ignore = [1]" >> conftest.py' }],
  ['adjust_command', { modified_command: 'python -m pytest -k "not network" tests' }],
  ['adjust_command', { cmd: 'npx jest --testPathIgnorePatterns e2e' }],
  ['adjust_command', { cmd: 'cargo test -- --skip slow' }],
])('an atom that avoids tests is no fix: %s %j', (name, args) => {
  const { drafts, refused } = check(draft({ atoms: [{ name, args }] }));
  expect([drafts, refused]).toEqual([[], [expect.stringContaining('avoids tests')]]);
});

test.each<[string, object]>([
  ['set_pytest_flag', { name: '-W', value: 'ignore::DeprecationWarning' }],
  ['set_pytest_flag', { name: '--import-mode', value: 'importlib' }],
  ['set_pytest_flag', { flag: '-o asyncio_mode=auto' }],
  ['set_env', { key: 'A', value: 'do not ask' }],
  ['pip_install', { name: 'foo', flags: ['--ignore-installed'] }],
  ['shell', { cmd: 'python -m pip install foo' }],
])('an atom that avoids nothing stands: %s %j', (name, args) => {
  expect(check(draft({ atoms: [{ name, args }] })).refused).toEqual([]);
});

test.each([
  'Skip the failing tests.',
  'Run `pytest --deselect tests/a.py::b` instead.',
  'Ignore the test that needs the network.',
  'Disable flaky tests in conftest.py.',
  'Then pass -k "not slow".',
  'Mark the test as xfail.',
])('advice to avoid tests is none: %s', (advice) => {
  const { refused } = check(draft({ advice_nl: ['It needs pg_config.', advice], atoms: [] }));
  expect(refused).toEqual([expect.stringContaining('avoids tests')]);
});

test.each([
  'Do not skip the failing tests: install libpq-dev.',
  'Install libpq-dev instead of deselecting with --deselect.',
  'The tests skip themselves where the server is missing; start it.',
  'Check with `pytest --collect-only` that all of them are found.',
  'Never run with --ignore=tests.',
])('a warning is advice: %s', (advice) => {
  expect(check(draft({ advice_nl: [advice] })).refused).toEqual([]);
});

test.each<[string, Given[], object]>([
  ['failed', [['apt-get install -y libpq-dev', 100]], draft()],
  ['was undone', [['sudo apt-get -y install libpq-dev', 0, true]], draft()],
  [
    'failed and was undone',
    [
      ['apt install libpq-dev', 1],
      ['apt-get install -y libpq-dev gcc', 0, true],
    ],
    draft(),
  ],
  [
    'failed with this version',
    [
      ['pip install foo==2', 1],
      ["pip install 'foo<2'", 0],
    ],
    draft({ atoms: [{ name: 'pip_pin', args: { name: 'foo', spec: '==2' } }] }),
  ],
  [
    'failed as a command',
    [
      ['autoreconf -fi', 127],
      ['make', 0],
    ],
    draft({ atoms: [{ name: 'shell', args: { cmd: 'autoreconf -fi' } }] }),
  ],
  [
    'failed with this value',
    [
      ['export A=1', 0, true],
      ['export A=2', 0],
    ],
    draft({ atoms: [{ name: 'set_env', args: { key: 'A', value: '1' } }] }),
  ],
  [
    'failed, says the advice',
    [['pip install pg-config', 1]],
    draft({ advice_nl: ['Run `pip install pg-config`.'], atoms: [] }),
  ],
])('what %s teaches nothing', (_, given, unit) => {
  const { drafts, refused } = check(unit, steps(...given));
  expect([drafts, refused]).toEqual([[], [expect.stringContaining('failed or was undone')]]);
});

test.each<[string, Given[], object]>([
  [
    'tried twice',
    [
      ['apt-get install -y libpq-dev', 100],
      ['apt-get update && apt-get install -y libpq-dev', 0],
    ],
    draft(),
  ],
  ['done with others', [['apt-get install -y gcc libpq-dev', 0]], draft()],
  ['done in no step by these words', [['make', 0]], draft()],
  [
    'done with another version',
    [
      ['pip install foo==2', 1],
      ["pip install 'foo<2'", 0],
    ],
    draft({ atoms: [{ name: 'pip_pin', args: { name: 'foo', spec: '<2' } }] }),
  ],
  [
    'warned of',
    [['pip install pg-config', 1]],
    draft({ advice_nl: ['Do not run `pip install pg-config`: it is another thing.'], atoms: [] }),
  ],
])('what was %s may stand', (_, given, unit) => {
  expect(check(unit, steps(...given)).refused).toEqual([]);
});

test('what the court upheld was no fix, and may be warned of', () => {
  const guilty = { verdict: 'guilty', charges: ['graphviz is replaced by graphviz-stub, an empty package'] };
  const unit = draft({ atoms: [{ name: 'pip_install', args: { name: 'graphviz-stub' } }] }, { keywords: ['graphviz'] });
  expect(check(unit, [], guilty).refused).toEqual([expect.stringContaining('charge')]);
  expect(check(unit).refused).toEqual([]);
  expect(check({ ...unit, atoms: [] }, [], guilty).refused).toEqual([]);
});

test('what avoids tests is no fix for the rules either', () => {
  const error = "E   ModuleNotFoundError: No module named 'x'";
  const run = (fix: string) =>
    extractByRules(
      steps(['python -m pytest', 2], [fix, 0], ['python -m pytest', 0]).map((each, at) =>
        at === 0 ? { ...each, output: error } : each,
      ),
      OPTIONS,
    );
  expect(run('pip install x')).toHaveLength(1);
  expect(run("export PYTEST_ADDOPTS='--co'")).toEqual([]);
  expect(run(`export PYTEST_ADDOPTS='-m "not x"'`)).toEqual([]);
});
