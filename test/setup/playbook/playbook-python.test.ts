import { dossierOf, OK, simulate, textOf } from './simulated';

const BASE = { 'stamp/__init__.py': '', 'tests/test_a.py': '' };
const POETRY =
  '[tool.poetry]\nname = "stamp"\n[tool.poetry.dev-dependencies]\nmoto = {version = "^5", extras = ["s3"]}\nblack = "*"\n[tool.poetry.group.test.dependencies]\npytest-cov = "*"\n';

/** The commands of pip when nothing goes wrong. */
const pips = (files: Readonly<Record<string, string>>) =>
  simulate(dossierOf({ ...BASE, ...files }), () => OK)
    .seen.map(({ move }) => textOf(move))
    .filter((line) => line.includes('pip install'))
    .map((line) => line.replaceAll('python -m pip install -q ', ''));

test.each([
  ['Poetry’s old table beside a group', { 'pyproject.toml': POETRY }, ['-e .', "'moto[s3]>=5,<6' pytest-cov pytest"]],
  [
    'PDM’s groups',
    {
      'pyproject.toml':
        '[project]\nname = "stamp"\n[tool.pdm.dev-dependencies]\ntest = ["coverage[toml]>=7"]\nlint = ["ruff"]\n',
    },
    ['-e .', "'coverage[toml]>=7' pytest"],
  ],
  [
    'a Pipfile',
    { Pipfile: '[packages]\nflask = "*"\nrequests = ">=2"\n[dev-packages]\nresponses = "*"\n' },
    ["flask 'requests>=2'", 'responses pytest'],
  ],
  [
    'a project that is no package, with Poetry',
    { 'pyproject.toml': '[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\nflask = "^2.1"\n' },
    ["'flask>=2.1,<3'", 'pytest'],
  ],
  [
    'a project of Poetry that names a back end and is no package',
    {
      'pyproject.toml':
        '[tool.poetry]\nname = "notes"\npackage-mode = false\n[tool.poetry.dependencies]\nflask = "^2.1"\n[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n',
    },
    ["'flask>=2.1,<3'", 'pytest'],
  ],
  [
    'a project of uv that is no package',
    { 'pyproject.toml': '[project]\nname = "notes"\ndependencies = ["flask"]\n[tool.uv]\npackage = false\n' },
    ['flask', 'pytest'],
  ],
  [
    'a project of PDM that is no package, with an extra for tests',
    {
      'pyproject.toml':
        '[project]\nname = "notes"\ndependencies = ["flask"]\n[project.optional-dependencies]\ntest = ["responses"]\n[tool.pdm]\ndistribution = false\n',
    },
    ['flask', 'responses pytest'],
  ],
  [
    'what only tests require, beside an extra for them',
    {
      'setup.py':
        "from setuptools import setup\nsetup(name='stamp', tests_require=['mock<4'], extras_require={'test': ['responses']})\n",
    },
    ['-e .', "-e '.[test]' 'mock<4' pytest"],
  ],
  [
    'a workspace of uv',
    {
      'pyproject.toml':
        '[project]\nname = "stamp"\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n[tool.uv.sources]\nink = { workspace = true }\n',
      'packages/ink/pyproject.toml': '[project]\nname = "ink"\n',
      'packages/old/pyproject.toml': '[project]\nname = "old"\n',
    },
    ['-e ./packages/ink -e .', 'pytest'],
  ],
  [
    'a workspace of uv whose root is nothing itself',
    {
      'pyproject.toml': '[tool.uv.workspace]\nmembers = ["libs/**"]\n',
      'libs/a/pyproject.toml': '',
      'libs/b/c/pyproject.toml': '',
    },
    ['-e ./libs/a -e ./libs/b/c', 'pytest'],
  ],
  [
    'packages beside it that Poetry and PDM take from a path',
    {
      'pyproject.toml':
        '[project]\nname = "stamp"\n[tool.poetry.group.dev.dependencies]\nink = { path = "./ink", develop = true }\n[tool.pdm.dev-dependencies]\ndev = ["-e file:///${PROJECT_ROOT}/parts/pad#egg=pad"]\n',
      'ink/setup.py': '',
      'parts/pad/pyproject.toml': '',
    },
    ['-e ./ink -e ./parts/pad -e .', 'pytest'],
  ],
  [
    'an environment of conda',
    { 'app.py': '', 'environment.yml': 'dependencies:\n  - pip:\n    - flask\n' },
    ['flask', 'pytest'],
  ],
])('%s', (_, files, expected) => {
  expect(pips(files as unknown as Record<string, string>)).toEqual(expected);
});

test('without its versions, each is still asked for with its extras, and the project itself is not', () => {
  const files = {
    ...BASE,
    'pyproject.toml':
      '[build-system]\nrequires=["setuptools"]\n[project]\nname="stamp"\n[project.optional-dependencies]\ntest=["stamp[fast]","moto[s3]==1"]\n',
  };
  const { seen } = simulate(dossierOf(files), (action) =>
    textOf(action).includes("'.[test]'")
      ? { exitCode: 1, output: 'error: metadata-generation-failed', timedOut: false }
      : OK,
  );
  expect(seen.map(({ move }) => textOf(move)).find((line) => line.startsWith('for name'))).toMatch(
    /^for name in 'moto\[s3\]'; do/,
  );
});
