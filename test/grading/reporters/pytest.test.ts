import fc from 'fast-check';
import { pytest } from '../../../src/grading/reporters/pytest';
import { mergedOutcomes } from '../../../src/grading/reporters/reporter';
import { recorded } from './recorded';

const NASTY = 'tests/test_nasty.py';
const PATHS = [
  'README.rst',
  'pkg/__init__.py',
  NASTY,
  'tests/test_broken.py',
  'tests/test_whole_skip.py',
  'tests/test_re[run.py',
  'tests/deep/test_child.py',
];

/** The suite that was recorded under every version, by what its tests were written to do. */
const SUITE: Record<string, string> = {
  'README.rst::README.rst': 'failed',
  'pkg/__init__.py::pkg.double': 'passed',
  'tests/test_broken.py::<collect>': 'error',
  'tests/test_re[run.py::test_bracket_path': 'passed',
  'tests/deep/test_child.py::TestChild::test_inherited': 'failed',
  [`${NASTY}::test_plain`]: 'passed',
  [`${NASTY}::test_fails`]: 'failed',
  [`${NASTY}::test_setup_error`]: 'error',
  [`${NASTY}::test_teardown_error`]: 'error',
  [`${NASTY}::test_fails_and_teardown_error`]: 'error',
  [`${NASTY}::test_skipped`]: 'skipped',
  [`${NASTY}::test_skips_itself`]: 'skipped',
  [`${NASTY}::test_xfailed`]: 'xfailed',
  [`${NASTY}::test_xpassed`]: 'xpassed',
  [`${NASTY}::test_xpassed_without_reason`]: 'xpassed',
  [`${NASTY}::test_xpassed_strict`]: 'failed',
  [`${NASTY}::test_parametrized[a]`]: 'passed',
  [`${NASTY}::test_parametrized[a b]`]: 'failed',
  [`${NASTY}::test_parametrized[x::y]`]: 'passed',
  [`${NASTY}::test_parametrized[c[d]]`]: 'passed',
  [`${NASTY}::test_parametrized[a.b/c]`]: 'passed',
  [`${NASTY}::test_parametrized[-]`]: 'passed',
  [`${NASTY}::test_parametrized[]`]: 'passed',
  [`${NASTY}::test_parametrized[<&"'>]`]: 'passed',
  [`${NASTY}::test_parametrized[\\xe9]`]: 'passed',
  [`${NASTY}::test_parametrized[\\x00]`]: 'passed',
  [`${NASTY}::test_parametrized[\\n]`]: 'passed',
  [`${NASTY}::test_parametrized[\\U0001f600]`]: 'passed',
  [`${NASTY}::test_xpassed_parametrized[x y]`]: 'xpassed',
  [`${NASTY}::test_xpassed_parametrized[x]`]: 'xfailed',
  [`${NASTY}::TestGroup::TestInner::test_deep`]: 'passed',
  [`${NASTY}::TestGroup::test_method`]: 'passed',
  [`${NASTY}::TestFirst::test_inherited`]: 'passed',
  [`${NASTY}::TestSecond::test_inherited`]: 'failed',
  [`${NASTY}::Case::test_one`]: 'passed',
  [`${NASTY}::Case::test_two`]: 'failed',
  [`${NASTY}::Case::test_skip`]: 'skipped',
  [`${NASTY}::Case::test_expected`]: 'xfailed',
  [`${NASTY}::Case::test_unexpected`]: 'failed',
  [`${NASTY}::Case::test_subtests`]: 'failed',
  [`${NASTY}::test_prints`]: 'passed',
  [`${NASTY}::test_second_attempt_passes`]: 'passed',
  [`${NASTY}::test_every_attempt_fails`]: 'failed',
};

const reportOf = (version: string) => ({
  file: recorded(`pytest/${version}.xml`),
  stdout: recorded(`pytest/${version}.txt`),
  stderr: '',
  paths: PATHS,
});

describe.each(['4.6', '5.4', '6.2', '7.4', '8.4', '9.2'])('pytest %s', (version) => {
  test('every outcome by its id, where the ids are wanted', () => {
    expect(pytest.read(reportOf(version), Object.keys(SUITE))).toEqual(SUITE);
  });

  test('the same where nobody said which ids there are', () => {
    expect(pytest.read(reportOf(version), [])).toEqual(SUITE);
  });

  test('a report that is cut off has no outcome for the test that it ends in', () => {
    const report = reportOf(version);
    const end = report.file.indexOf('name="test_plain"') + 30;
    expect(pytest.read({ ...report, file: report.file.slice(0, end) }, [])).not.toHaveProperty(`${NASTY}::test_plain`);
  });
});

const caseOf = (classname: string, name: string, rest = '') =>
  `<testcase classname="${classname}" name="${name}" ${rest}time="0.1" />`;
const reported = (...cases: string[]) => ({
  file: `<testsuites><testsuite name="pytest">${cases.join('')}</testsuite></testsuites>`,
  stdout: '',
  stderr: '',
});

test('an id that was cut at a blank stands for all tests that it begins', () => {
  const read = (...cases: string[]) =>
    pytest.read({ ...reported(...cases), paths: ['t.py'] }, ['t.py::test[a', 't.py::test[x']);
  const cases = ['test[a b]', 'test[a c]', 'test[ab]'].map((name) => caseOf('t', name));
  expect(read(...cases)).toMatchObject({ 't.py::test[a': 'passed' });
  expect(read(...cases)).not.toHaveProperty(['t.py::test[x']);
  const failing = caseOf('t', 'test[a d]').replace(' />', '><failure message="x"/></testcase>');
  expect(read(...cases, failing)).toMatchObject({ 't.py::test[a': 'failed', 't.py::test[a b]': 'passed' });
});

test('two ids of one spelling are told apart by their file, or else share the worse outcome', () => {
  const wanted = ['a/b.py::T::test', 'a/b/T.py::test'];
  const failing = caseOf('a.b.T', 'test', 'file="a/b/T.py" ').replace(' />', '><failure message="x"/></testcase>');
  expect(pytest.read(reported(caseOf('a.b.T', 'test', 'file="a/b.py" '), failing), wanted)).toEqual({
    'a/b.py::T::test': 'passed',
    'a/b/T.py::test': 'failed',
  });
  expect(pytest.read(reported(failing.replace('file="a/b/T.py"', 'file="base.py"')), wanted)).toEqual({
    'a/b.py::T::test': 'failed',
    'a/b/T.py::test': 'failed',
  });
});

test('characters that pytest holds for no XML are found, as each version spells them', () => {
  const wanted = ['t.py::test[\u0007]', 't.py::test[😀]'];
  for (const name of ['test[😀]', 'test[#x1F600]']) {
    expect(pytest.read(reported(caseOf('t', 'test[#x07]'), caseOf('t', name)), wanted)).toEqual({
      [wanted[0]!]: 'passed',
      [wanted[1]!]: 'passed',
    });
  }
});

test('a test that passed against its mark is found when pytest was started in a folder below its root', () => {
  const report = reported(
    caseOf('tests.deep.test_a', 'test_x[a b]', 'file="tests/deep/test_a.py" '),
    caseOf('u', 'test_y'),
  );
  const stdout = '=== short test summary info ===\nXPASS test_a.py::test_x[a b] - because of this\n';
  expect(pytest.read({ ...report, stdout, paths: ['u.py'] }, [])).toEqual({
    'tests/deep/test_a.py::test_x[a b]': 'xpassed',
    'u.py::test_y': 'passed',
  });
});

test('what a test prints about itself is no summary', () => {
  const report = reported(caseOf('t', 'test_y', 'file="t.py" '));
  expect(pytest.read({ ...report, stdout: 'XPASS t.py::test_y\n1 passed\n' }, [])).toEqual({
    't.py::test_y': 'passed',
  });
});

test('any id that is wanted is found again in what pytest makes of it', () => {
  const part = fc.stringMatching(/^[A-Za-z_]\w{0,6}$/);
  const params = fc.option(
    fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\r\n\t\p{Cn}\p{Cs}]/u.test(text)),
  );
  const id = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.array(part, { minLength: 1, maxLength: 3 }), params)
    .map(([path, names, given]) => `${path.join('/')}.py::${names.join('::')}${given === null ? '' : `[${given}]`}`);
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 5 }), (ids) => {
      const cases = ids.map((each) => {
        const [path = '', ...rest] = each.split(/::(?![^[]*\])/);
        const open = each.indexOf('[');
        const names = (open < 0 ? each : each.slice(0, open)).split('::').slice(1);
        const name = names.pop()! + (open < 0 ? '' : each.slice(open));
        expect(rest).not.toEqual([]);
        const text = name
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('"', '&quot;')
          // biome-ignore lint/suspicious/noControlCharactersInRegex: as pytest spells them.
          .replace(/[\u0000-\u001f\u007f]/g, (c) => `#x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
        return caseOf([path.replace(/\.py$/, '').replaceAll('/', '.'), ...names].join('.'), text, `file="${path}" `);
      });
      const outcomes = pytest.read(reported(...cases), ids);
      for (const each of ids) expect(outcomes[each]).toBe('passed');
    }),
  );
});

test('reading takes time that grows with the cases, not with their square', () => {
  const ids = Array.from({ length: 15_000 }, (_, n) => `tests/test_m${n % 500}.py::TestC::test_${n}[a-${n}]`);
  const cases = ids.map((_, n) =>
    caseOf(`tests.test_m${n % 500}.TestC`, `test_${n}[a-${n}]`, `file="tests/test_m${n % 500}.py" `),
  );
  // Time of this process, because the machine is shared; the quickest of three, for garbage is collected at times.
  const cpuMs = (count: number) => {
    const report = reported(...cases.slice(0, count));
    const tries = [1, 2, 3].map(() => {
      const began = process.cpuUsage();
      expect(Object.keys(pytest.read(report, ids.slice(0, count)))).toHaveLength(count);
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    });
    return Math.min(...tries);
  };
  cpuMs(2_500);
  const [few, many] = [cpuMs(2_500), cpuMs(15_000)];
  if (process.env.POINTSMAN_FIGURES) console.log(`15,000 cases: ${Math.round(many)} ms`);
  // Six times as many; 36 would be their square.
  expect(many / few).toBeLessThan(18);
});

test.each<[string, boolean]>([
  ['pytest -q', true],
  ['/opt/venv/bin/pytest', true],
  ['py.test tests', true],
  ['python -m pytest', true],
  ['python3.11 -I -m pytest tests', true],
  ['python -W error -X dev -Im pytest', true],
  ['python -bb -mpytest', true],
  ['python /opt/venv/bin/pytest -x', true],
  ['python -m unittest', false],
  ['python -c pytest', false],
  ['pip install pytest', false],
  ['python tests/run.py -m pytest', false],
])('%s: %s', (command, expected) => {
  expect(pytest.starts(command.split(' '))).toBe(expected);
});

test('the report is asked for before what pytest takes for paths, and the summary that was asked for stays', () => {
  const words = 'pytest -rs -- tests'.split(' ');
  const asked = pytest.asks('/r/x.xml', words);
  expect([...words.slice(0, asked.at), ...asked.words, ...words.slice(asked.at)]).toEqual(
    'pytest -rs --junitxml=/r/x.xml -o junit_family=xunit1 -o junit_logging=no --junitprefix= -rsX -- tests'.split(' '),
  );
  expect(asked.variables.PYTEST_ADDOPTS).toContain('--junitxml=/r/x.xml');
});

test('paths are replaced and options are kept; where the two cannot be told apart nothing is said', () => {
  const only = (command: string) => pytest.only!(command.split(' '), ['tests/test_a.py'])?.join(' ');
  expect(only('pytest')).toBe('pytest tests/test_a.py');
  expect(only('python -m pytest -rA -p no:cov -n 2 tests other/test_b.py --tb=no')).toBe(
    'python -m pytest tests/test_a.py -rA -p no:cov -n 2 --tb=no',
  );
  expect(only('pytest --pyargs sklearn')).toBeUndefined();
  expect(only('pytest --unknown value')).toBeUndefined();
  expect(only('pytest --unknown=value tests')).toBe('pytest tests/test_a.py --unknown=value');
  expect(only('pytest $FILES')).toBeUndefined();
  expect(pytest.alone!('pytest -q tests'.split(' '), 'tests/test_a.py::test[a b]')).toEqual([
    'pytest',
    'tests/test_a.py::test[a b]',
    '-q',
  ]);
});

test('a test that two runs of a command have must pass in both', () => {
  expect(mergedOutcomes([{ a: 'passed', b: 'passed' }, { a: 'failed' }])).toEqual({ a: 'failed', b: 'passed' });
});

test('of several runs behind a script each says in its summary what passed', () => {
  const summary = (lines: string) => `==== short test summary info ====\n${lines}==== 2 passed in 0.1s ====\n`;
  const stdout = `${summary('PASSED a/test_a.py::test_one\nPASSED a/test_a.py::test_p[x - y]\n')}a/test_b.py:3: AssertionError
${summary('PASSED b/test_b.py::test_two\nFAILED b/test_b.py::test_no - assert 1 == 2\n')}`;
  const given = { file: null, stdout, stderr: '' };
  expect(pytest.read(given, [])).toEqual({
    'a/test_a.py::test_one': 'passed',
    'a/test_a.py::test_p[x - y]': 'passed',
    'b/test_b.py::test_two': 'passed',
  });
  const wanted = ['a/test_a.py::test_p[x - y]', 'b/test_b.py::test_no'];
  expect(pytest.read(given, wanted)).toEqual({ [wanted[0]!]: 'passed', [wanted[1]!]: 'failed' });
  expect(pytest.failures!(given, wanted)).toBeUndefined();
  // What one run prints is no more than its report.
  expect(pytest.read({ ...given, stdout: summary('PASSED a/test_a.py::forged\n') }, [])).toEqual({});
});
