import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { aloneCommand, narrowed, reported } from '../../../src/grading/runners/ask';
import { simpleCommands } from '../../../src/grading/runners/command-line';
import { followed } from '../../../src/grading/runners/follow';
import { quote } from '../../../src/rollout/shell';

const NOXFILE = `import nox

@nox.session(python=["3.10", "3.11"])
def tests(session):
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "-q", *session.posargs)


@nox.session(name="unit-tests")
def unit(session):
    session.run("python", "-m", "unittest", "discover")
`;
const FILES: Record<string, string> = {
  'noxfile.py': NOXFILE,
  'tox.ini':
    '[testenv]\ncommands =\n    pip list\n    {envpython} -m pytest {posargs:tests}\n[testenv:django]\ncommands = ./manage.py test\n',
  Makefile:
    'PYTHON ?= python3\nall: build\n\ntest: build\n\t@$(PYTHON) -m pytest tests\n\nbuild:\n\techo build\n\nloop:\n\t$(MAKE) loop\n\nci: test\n',
  'package.json':
    '{"scripts": {"pretest": "eslint .", "test": "npm run unit -- --ci", "unit": "jest --coverage", "all": "npm test && node --test"}}',
  'run_tests.sh': '#!/bin/bash\nset -e\n# pytest in a comment\nif true; then\n  exec "$PYTHON" -m pytest "$@"\nfi\n',
  'ci/test.sh': 'cd ci && ../run_tests.sh\n',
  'ci/../run_tests.sh': '',
  'scripts/run.py': '#!/usr/bin/env python3\nimport sys, pytest\nsys.exit(pytest.main(["tests"]))\n',
  'tests/all.py': 'import unittest\nif __name__ == "__main__":\n    unittest.main()\n',
  'setup.py': 'from setuptools import setup\nsetup(tests_require=["pytest-runner"])\n',
  'pyproject.toml':
    '[tool.hatch.envs.default.scripts]\ncheck = ["ruff .", "pytest {args:tests}"]\n[tool.hatch.envs.dev.scripts]\nunit = "python -m unittest"\n',
  'self.sh': './self.sh\n',
  'runtests.py':
    '#!/usr/bin/env python3\nimport sys\n\nimport pytest\n\nsys.exit(pytest.main(["-q", *sys.argv[1:]]))\n',
  'tests/test_a.py': 'import pytest\nif __name__ == "__main__":\n    pytest.main([__file__])\n',
  'old/runtests.py': 'from django.test.utils import get_runner\n',
};
const readFile = (path: string) => (Object.hasOwn(FILES, path) ? FILES[path] : undefined);
const runsOf = (command: string) =>
  followed(command, readFile).runs.map(({ reporter, words, through }) => [
    reporter,
    words.join(' '),
    through.join(' '),
  ]);

test.each<[string, [string, string, string][]]>([
  ['cd x && source act && python -m pytest -q tests', [['pytest', 'python -m pytest -q tests', '']]],
  ['. .venv/bin/activate && pytest -rA "a b.py" > log 2>&1', [['pytest', 'pytest -rA a b.py', '']]],
  // A name that Django's own program has, too.
  ['python3 -W error runtests.py -k a', [['pytest', 'python -m pytest', 'runtests.py']]],
  ['./runtests.py', [['pytest', 'python -m pytest', 'runtests.py']]],
  ['python old/runtests.py app', [['unittest', 'python old/runtests.py app', '']]],
  ['python -m pytest tests/test_a.py', [['pytest', 'python -m pytest tests/test_a.py', '']]],
  ['nox -s tests', [['pytest', 'python -m pytest -q', 'noxfile.py']]],
  ['nox -s tests-3.11 -- tests/test_a.py', [['pytest', 'python -m pytest -q', 'noxfile.py']]],
  ['python -m nox --session=unit-tests', [['unittest', 'python -m unittest discover', 'noxfile.py']]],
  ['tox -e py', [['pytest', 'python -m pytest tests', 'tox.ini']]],
  ['tox run -e django', [['unittest', './manage.py test', 'tox.ini']]],
  ['make test', [['pytest', 'python3 -m pytest tests', 'Makefile']]],
  ['make -j2 ci', [['pytest', 'python3 -m pytest tests', 'Makefile']]],
  ['npm test', [['jest', 'jest --coverage', 'package.json package.json']]],
  [
    'npm run all',
    [
      ['jest', 'jest --coverage', 'package.json package.json package.json'],
      ['node', 'node --test', 'package.json'],
    ],
  ],
  ['./run_tests.sh', [['pytest', 'python -m pytest $@', 'run_tests.sh']]],
  ['bash -e ci/test.sh', [['pytest', 'python -m pytest $@', 'ci/test.sh run_tests.sh']]],
  ['poetry run pytest', [['pytest', 'pytest', '']]],
  ['uv run --frozen --extra test python -m pytest', [['pytest', 'python -m pytest', '']]],
  ['hatch run check', [['pytest', 'pytest tests', 'pyproject.toml']]],
  ['hatch run dev:unit', [['unittest', 'python -m unittest', 'pyproject.toml']]],
  ['hatch test', [['pytest', 'python -m pytest', 'pyproject.toml']]],
  ['coverage run --branch --source pkg -m pytest tests', [['pytest', 'python -m pytest tests', '']]],
  ['python -m coverage run -m unittest', [['unittest', 'python -m unittest', '']]],
  ['xvfb-run -a --server-args "-screen 0" pytest', [['pytest', 'pytest', '']]],
  ['env A=b timeout -k 5 60 pytest', [['pytest', 'pytest', '']]],
  ['A=b nice -n 10 python -I -m pytest', [['pytest', 'python -I -m pytest', '']]],
  ['python setup.py test', [['pytest', 'python -m pytest', 'setup.py']]],
  ['python scripts/run.py', [['pytest', 'python -m pytest', 'scripts/run.py']]],
  ['./scripts/run.py', [['pytest', 'python -m pytest', 'scripts/run.py']]],
  ["bash -c 'cd x; pytest -q'", [['pytest', 'pytest -q', '']]],
  ['(cd sub; pytest) || true', [['pytest', 'pytest', '']]],
  [
    'pytest a && pytest b',
    [
      ['pytest', 'pytest a', ''],
      ['pytest', 'pytest b', ''],
    ],
  ],
  [
    'echo "pytest; x" # pytest\ncat <<EOF\npytest here\nEOF\npython -m unittest',
    [['unittest', 'python -m unittest', '']],
  ],
  ['go vet ./... && CGO_ENABLED=0 go test -v ./... | tee log', [['go', 'go test -v ./...', '']]],
  ['npx jest a.test.js', [['jest', 'jest a.test.js', '']]],
  ['pnpm exec vitest run', [['vitest', 'vitest run', '']]],
])('%s', (command, expected) => {
  expect(runsOf(command)).toEqual(expected);
});

test('a program of the project that ends in unittest.main is asked for its own words', () => {
  const command = 'python tests/all.py';
  expect(reported(command, followed(command, readFile), '/r').command).toBe('python tests/all.py -v');
});

test('what leads to itself ends, and the ids decide', () => {
  for (const command of ['make loop', './self.sh', 'some-program']) {
    const { runs } = followed(command, readFile, ['tests/test_a.py::test_b']);
    expect(runs).toMatchObject([{ reporter: 'pytest', words: [], why: expect.stringContaining('no runner') }]);
  }
  expect(followed('x', readFile, ['test_a (m.Case)']).runs[0]!.reporter).toBe('unittest');
  expect(followed('x', readFile, ['e.org/p::TestA']).runs[0]!.reporter).toBe('go');
  expect(followed('x', readFile).runs[0]!.reporter).toBe('tap');
});

const ASKED = '--junitxml=/r -o junit_family=xunit1 -o junit_logging=no --junitprefix= ';
test('a runner that the command starts is asked by words, one behind scripts by variables', () => {
  const ask = (command: string) => reported(command, followed(command, readFile), '/r');
  expect(ask('cd x && pytest -q tests/*.py; true').command).toBe(`cd x && pytest -q tests/*.py ${ASKED}-rX; true`);
  expect(ask('pytest a && pytest b')).toEqual({
    command: `pytest a ${ASKED}-rX && pytest b ${ASKED.replace('/r', '/r.1')}-rX`,
    reports: [
      { reporter: 'pytest', path: '/r' },
      { reporter: 'pytest', path: '/r.1' },
    ],
    printed: [],
  });
  expect(ask('coverage run -m pytest').command).toBe(`coverage run -m pytest ${ASKED}-rX`);
  expect(ask('go test ./...').command).toBe('go test -json ./...');
  expect(ask('cargo +nightly test -p a -- --nocapture').command).toBe(
    'cargo +nightly test --no-fail-fast -p a -- --nocapture',
  );
  expect(ask('cargo nextest run --no-fail-fast').command).toBe('cargo nextest run --no-fail-fast');
  expect(ask('tox -e py').command).toMatch(/^export PYTEST_ADDOPTS=.*\nexport TOX_OVERRIDE=.*\nexport .*\ntox -e py$/);
});

test('variables are added to what the environment has for them', () => {
  const { command } = reported('make test; echo', followed('make test', readFile), '/r');
  const shown = spawnSync(
    'bash',
    ['-c', `${command.replace('make test; echo', 'echo "$PYTEST_ADDOPTS|$TOX_OVERRIDE"')}`],
    {
      env: { PATH: process.env.PATH, PYTEST_ADDOPTS: '-x', TOX_OVERRIDE: 'a=b' },
      encoding: 'utf8',
    },
  ).stdout;
  expect(shown).toBe(`-x ${ASKED}-rfEpX|a=b;testenv.pass_env+=PYTEST_ADDOPTS;env_run_base.pass_env+=PYTEST_ADDOPTS\n`);
});

test('what a command pipes or redirects is kept for us, and it ends as it did', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runners-'));
  try {
    writeFileSync(join(folder, 'pytest'), '#!/bin/bash\necho out "$1"; echo err >&2; exit 3\n', { mode: 0o755 });
    for (const [command, shown, other] of [
      ['pytest a | tail -c 2; echo ${PIPESTATUS[0]}', 'a\n3\n', undefined],
      ['pytest a > log; echo $?', '3\n', 'out a\n'],
      ['pytest a >> log 2>&1 || echo $?', '3\n', 'out a\nerr\n'],
      ['(pytest a &> log) && echo never', '', 'out a\nerr\n'],
      ['pytest a > /dev/null && echo never', '', undefined],
    ] as const) {
      const ask = reported(command, followed(command, readFile), join(folder, `r${command.length}`));
      const env = { PATH: `${folder}:${process.env.PATH}` };
      const result = spawnSync('bash', ['-c', ask.command], { cwd: folder, encoding: 'utf8', env });
      expect([command, result.stdout]).toEqual([command, shown]);
      expect(readFileSync(ask.printed[0]!, 'utf8')).toContain('out a');
      if (other !== undefined) expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(other);
      rmSync(join(folder, 'log'), { force: true });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a command is narrowed where it stands, and stays as it was around it', () => {
  const narrow = (command: string) => narrowed(command, followed(command, readFile), ['tests/test a.py']);
  expect(narrow('. act && A="$B" pytest -q -k "a b" tests 2>&1 | tee log')).toBe(
    `. act && A="$B" pytest 'tests/test a.py' -q -k "a b" 2>&1 | tee log`,
  );
  expect(narrow('coverage run --branch -m pytest tests')).toBe(`coverage run --branch -m pytest 'tests/test a.py'`);
  expect(narrow('tox -e py')).toBeUndefined();
  expect(narrow('pytest a && pytest b')).toBeUndefined();
  expect(aloneCommand('pytest -q tests', followed('pytest -q tests', readFile), "t.py::test[it's]")).toBe(
    `pytest 't.py::test[it'"'"'s]' -q`,
  );
});

test('simple commands are what bash takes them for', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'a',
      '-k',
      'x=1',
      '',
      "it's",
      'a b',
      '"',
      '#',
      'a#b',
      '\\',
      '&&',
      ';',
      '|',
      '>',
      '$',
      '(',
      '\n',
      'é',
    ),
    fc.string({ maxLength: 6 }).filter((text) => !text.includes('\0')),
  );
  const simple = fc.array(word, { minLength: 1, maxLength: 4 });
  const between = fc.constantFrom(' && ', ';', ' | ', ' || ', '\n', ' & ', ' # end\n');
  fc.assert(
    fc.property(
      simple,
      simple,
      between,
      fc.constantFrom('', ' 2>&1', ' > log', ' >& log', ' &> log', '<in'),
      (a, b, join, to) => {
        const first = ['run', ...a];
        const text = `${first.map(quote).join(' ')}${to}${join}${['run', ...b].map(quote).join(' ')}`;
        const found = simpleCommands(text).map(({ words }) => words);
        expect(found.map((words) => words.map(({ text: each }) => each))).toEqual([first, ['run', ...b]]);
        for (const { start, end, text: each } of found.flat()) {
          if (/^[\w-]+$/.test(each)) expect(text.slice(start, end)).toBe(each);
        }
      },
    ),
  );
});
