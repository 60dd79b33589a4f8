import { factsOf } from '../../../src/setup/repository/facts-of';
import { surveyOf } from '../../../src/setup/repository/markers';
import { ownTests } from '../../../src/setup/repository/own-tests';

const ofFiles = (...files: (readonly [path: string, text: string])[]) => {
  const survey = surveyOf([['setup.py', ''], ...files]);
  return ownTests(factsOf(survey), survey);
};
const of = (path: string, text: string) => ofFiles([path, text]);
const makefile = (recipe: string) =>
  of('Makefile', `PYTHON := python3\nBUILD_DIR = $(shell pwd)/build\n\nall: build\n\ncheck: build\n\t${recipe}\n`);

test.each([
  [
    'a place of its own build is left out, the interpreter is whichever there is',
    'PYTHONPATH=$(BUILD_DIR) $(PYTHON) -c "import tests; tests.unittest.main(defaultTest=\'tests.all\')" --verbose',
    'python -c "import tests; tests.unittest.main(defaultTest=\'tests.all\')" --verbose',
  ],
  [
    'quietly, in two lines',
    '@python3.11 -W error \\\n\t  -m unittest discover -s tests',
    'python -W error -m unittest discover -s tests',
  ],
  ['with a setting', 'LC_ALL=C STAGE=$(BUILD_DIR)/a $(PYTHON) run_tests.py', 'LC_ALL=C python run_tests.py'],
  ['a program of the project', '$(PY) tests/run_tests.py -v', 'python tests/run_tests.py -v'],
  ['measured', 'coverage run --branch -m unittest discover', 'python -m unittest discover'],
  ['what nothing defines is nothing', '$(PYTHON) -m unittest $(TESTS)', 'python -m unittest'],
  ['what is only known when it runs', '$(PYTHON) -m unittest $(shell ls t)', null],
  ['pytest runs without being told', 'python -m pytest tests', null],
  ['no tests', 'python -m build', null],
])('a target of the Makefile: %s', (_, recipe, expected) => {
  expect(makefile(recipe)).toBe(expected);
});

test('a target that only leads to others, and values that stand in the Makefile', () => {
  const text = [
    'PYTHON?=python3',
    'FLAGS = -p $(LOUD)',
    'LOUD := -v',
    'COVERAGE = $(shell which coverage)',
    'test_build: build',
    '\t$(PYTHON) test.py $(FLAGS) $(OPTIONS)',
    'test_inplace: inplace',
    '\t$(PYTHON) test.py $(FLAGS) $(COVERAGE)',
    'test: test_inplace',
  ].join('\n');
  expect(of('Makefile', text)).toBe('python test.py -p -v');
  expect(of('Makefile', text.replace(' $(COVERAGE)', ' --inplace'))).toBe('python test.py -p -v --inplace');
  expect(of('Makefile', 'A = $(B)\nB = $(A)\ntest:\n\tpython -m unittest $(A)\n')).toBe('python -m unittest');
});

test('tox, with its own words for places and arguments', () => {
  const tox =
    '[testenv]\ndeps = mock\ncommands =\n    {envpython} -b -m unittest discover {posargs:-s {toxinidir}/t}\n';
  expect(of('tox.ini', tox)).toBe('python -b -m unittest discover -s ./t');
  expect(of('tox.ini', '[testenv]\ncommands = nosetests\n')).toBeNull();
  expect(of('tox.ini', '[testenv]\ncommands =\n  python -bb -m stamp.test {posargs:}\n')).toBe(
    'python -bb -m stamp.test',
  );
});

test('documents and machines, but not what runs a single test', () => {
  const readme =
    'One test:\n\n    $ python -m unittest tests.test_dates.TestDates\n\nAll:\n\n    $ python -m unittest -v\n';
  expect(of('README.md', readme)).toBe('python -m unittest -v');
  expect(of('README.md', readme.split('All')[0]!)).toBeNull();
  expect(of('.github/workflows/ci.yml', 'steps:\n  - run: poetry run python runtests.py\n')).toBe('python runtests.py');
});

test('the Makefile goes before documents; a project that has pytest is left to it', () => {
  const files = [
    ['Makefile', 'test:\n\tpython -m unittest discover -s unit\n'],
    ['README.rst', 'python -m unittest\n'],
  ] as const;
  expect(ofFiles(...files)).toBe('python -m unittest discover -s unit');
  expect(ofFiles(...files, ['conftest.py', ''])).toBeNull();
});

test.each([
  [
    'in a folder',
    '[testenv]\nchangedir = tests\ncommands =\n  {envpython} runtests.py {posargs}\n',
    'cd tests && python runtests.py',
  ],
  [
    'in a folder below',
    '[testenv]\nchange_dir = {toxinidir}/tests\ncommands = python -m unittest\n',
    'cd tests && python -m unittest',
  ],
  ['in a folder of tox’s own', '[testenv]\nchangedir = {envtmpdir}\ncommands = python -m unittest\n', null],
  ['by stestr', '[testenv]\ncommands =\n  stestr run --slowest {posargs}\n', 'stestr run --slowest'],
])('a command of tox %s', (_, text, expected) => {
  expect(of('tox.ini', text)).toBe(expected);
});

test('a program in the root that nobody mentions', () => {
  expect(of('runtests.py', '')).toBe('python runtests.py');
  expect(ofFiles(['runtests.py', ''], ['conftest.py', ''])).toBeNull();
  // Beside tests that pytest would not find.
  const odd = ofFiles(['tests/runtests.py', ''], ['tests/fields.py', ''], ['tests/odd/test_a.py', '']);
  expect(odd).toBe('python tests/runtests.py');
  expect(ofFiles(['tests/runtests.py', ''], ['tests/test_fields.py', ''])).toBeNull();
});
