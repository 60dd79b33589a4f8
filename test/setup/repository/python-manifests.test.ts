import { factsOfFiles } from './sample';

const BASE = { 'stamp/__init__.py': '', 'tests/test_a.py': '' };
const PROJECT = '[project]\nname = "stamp"\n';

const read = (files: Readonly<Record<string, string>>) => {
  const { dependencies, groups } = factsOfFiles({ ...BASE, ...files });
  const spell = ({ name, extras = [], spec }: (typeof dependencies)[number]) =>
    `${name}${extras.length > 0 ? `[${extras.join(',')}]` : ''}${spec}`;
  return [
    ...dependencies.map((one) => [one.scope, one.extra ?? '', spell(one)].join(' ')),
    ...groups.filter(({ test }) => test).map(({ kind, name }) => `${kind} ${name}`),
  ];
};

test.each([
  [
    'PDM’s own groups',
    { 'pyproject.toml': `${PROJECT}[tool.pdm.dev-dependencies]\ntest = ["pytest", "-e file:///x"]\nlint = ["ruff"]\n` },
    ['test test pytest', 'extra lint ruff', 'tool test'],
  ],
  [
    'groups that include others, in a circle too',
    {
      'pyproject.toml': `${PROJECT}[dependency-groups]\nTest_All = [{include-group = "core.test"}]\ncore-test = ["responses", {include-group = "test-all"}]\ntest = [{include-group = "nobody"}, "pytest"]\n`,
    },
    ['test Test_All responses', 'extra core-test responses', 'test test pytest', 'group Test_All', 'group test'],
  ],
  [
    'Poetry’s old table beside a group',
    {
      'pyproject.toml':
        '[tool.poetry]\nname = "stamp"\n[tool.poetry.dev-dependencies]\nmoto = {version = "^5", extras = ["s3"]}\n[tool.poetry.group.test.dependencies]\npytest = "*"\n',
    },
    ['test dev moto[s3]^5', 'test test pytest', 'tool test', 'tool dev'],
  ],
  [
    'a Pipfile',
    {
      Pipfile:
        '[packages]\nrequests = {extras = ["socks"], version = ">=2"}\nflask = "*"\nstamp = {path = ".", editable = true}\nloom = {git = "https://host.invalid/loom.git", ref = "v1"}\n[dev-packages]\npytest = ">=7"\n',
    },
    [
      'core  requests[socks]>=2',
      'core  flask',
      'core  loomgit+https://host.invalid/loom.git@v1',
      'test dev-packages pytest>=7',
      'tool dev-packages',
    ],
  ],
  [
    'tox inside of pyproject.toml, as tox.ini',
    {
      'pyproject.toml': `${PROJECT}[tool.tox]\nlegacy_tox_ini = """\n[testenv]\nextras = testing\ndeps =\n  responses\n  -r x.txt\n[testenv:lint]\ndeps = flake8\n"""\n`,
    },
    ['test  responses', 'extra testing'],
  ],
  [
    'tox inside of pyproject.toml, as tables',
    {
      'pyproject.toml': `${PROJECT}[tool.tox.env_run_base]\ndeps = ["pytest", "responses"]\n[tool.tox.env.lint]\ndeps = ["flake8"]\n[tool.tox.env.py312]\ndeps = ["mock>=4"]\n`,
    },
    ['test  pytest', 'test  responses', 'test  mock>=4'],
  ],
  [
    'what tox installs for factors that are in no environment of its list is for another way of testing',
    {
      'tox.ini':
        '[tox]\nenvlist = lint, py{38,311}-{all,no}deps\n[testenv]\nextras =\n  alldeps: test\n  gtk: testing\ndeps =\n  responses\n  mindeps: attrs == 21.3.0\n  alldeps: mock\n  py311,!lint: trio\n',
    },
    ['test  responses', 'test  mock', 'test  trio', 'extra test'],
  ],
  [
    'tox.toml',
    { 'tox.toml': '[env_run_base]\ndeps = ["responses"]\nextras = ["test"]\n' },
    ['test  responses', 'extra test'],
  ],
  [
    'sessions of nox that test',
    {
      'noxfile.py':
        'import nox\n\n@nox.session\ndef tests(session):\n    session.install("-e", ".[foo]", "pytest>=7")\n    session.install(\n        "-r", "more.txt", \'responses[x]\', f"django=={version}",\n    )\n    session.run("pytest")\n\n@nox.session\ndef lint(session):\n    session.install("flake8")\n',
    },
    ['test  pytest>=7', 'test  responses[x]'],
  ],
  [
    'lists that lie beside the tests',
    {
      'setup.py': '',
      'tests/requirements.txt': 'responses\n',
      'test/requirements.txt': 'mock\n',
      'requirements/test_py3.txt': 'freezegun\n',
    },
    [
      'test  freezegun',
      'test  mock',
      'test  responses',
      'file requirements/test_py3.txt',
      'file test/requirements.txt',
      'file tests/requirements.txt',
    ],
  ],
  [
    'what pip brings into an environment of conda',
    {
      'environment.yml':
        'name: x\ndependencies:\n  - python=3.9\n  - numpy\n  - pip:\n    - loom[wool]>=1  # why\n    - -r x.txt\n    - "tape"\n  - scipy\n',
    },
    ['core  loom[wool]>=1', 'core  tape'],
  ],
])('%s', (_, files, expected) => {
  expect(read(files as unknown as Record<string, string>)).toEqual(expected);
});
