import { markedTests } from '../../../src/setup/repository/marked-tests';
import { surveyOf } from '../../../src/setup/repository/markers';

const MARKERS = 'unit\n  integration: needs a server\n  redis\n  benchmark';
const cfg = (addopts: string, markers = MARKERS) =>
  surveyOf([['setup.cfg', `[tool:pytest]\naddopts =\n  --verbose\n  ${addopts}\nmarkers =\n  ${markers}\n`]]);

test.each([
  ['one kind is chosen: the others that need a service join it', '-m unit', 'unit or integration'],
  ['quoted, of several words', '-m "unit and not slow"', '(unit and not slow) or integration'],
  ['they are taken away: they no longer are', "-m 'not integration'", ''],
  ['among others', "-m 'not slow and not integration'", 'not slow'],
  ['something else is taken away', "-m 'not benchmark'", null],
  ['nothing is chosen', '-ra', null],
  ['they are chosen already', "-m 'unit or integration'", null],
])('%s', (_, addopts, expected) => {
  expect(markedTests(cfg(addopts), ['memcached'])).toBe(expected);
  expect(markedTests(cfg(addopts), [])).toBeNull();
});

test('a marker that is named after the service counts too, one for another service does not', () => {
  expect(markedTests(cfg('-m unit'), ['redis'])).toBe('unit or integration or redis');
  expect(markedTests(cfg('-m unit', 'unit\n  mysql'), ['redis'])).toBeNull();
});

test('options are read where pytest reads them', () => {
  const toml = '[tool.pytest.ini_options]\naddopts = ["-m", "not db"]\nmarkers = ["db: needs one"]\n';
  expect(markedTests(surveyOf([['pyproject.toml', toml]]), ['postgres'])).toBe('');
  const ini = '[pytest]\naddopts = -m fast\nmarkers =\n  fast\n  functional(name): slow\n';
  const both = surveyOf([
    ['pytest.ini', ini],
    ['pyproject.toml', toml],
  ]);
  expect(markedTests(both, ['postgres'])).toBe('fast or functional');
  expect(markedTests(surveyOf([['pyproject.toml', 'not toml =']]), ['postgres'])).toBeNull();
});
