import fc from 'fast-check';
import { REACH, ReachOf } from '../../src/grading/reach';
import { restored, SHARED } from '../../src/grading/shared-files';

const created = (path: string, text = 'x\n', mode = '100644') =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}${text.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`;
const changed = (path: string) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
const submodule = (path: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 160000\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+Subproject commit 1\n`;

const reach = (goldPatch = '') =>
  new ReachOf({
    problem: {
      tests: {
        command: 'bash ci/run.sh --config=conf/own.cfg pkg/doc.py',
        parser: { kind: 'pytest' },
        failToPass: ['tests/test_a.py::test', 'docs/usage.rst::usage.rst', 'pkg/doc.py::pkg.doc.f'],
        passToPass: [],
        files: [
          { path: 'tests/test_a.py', content: '' },
          { path: 'extra/data/case.json', content: '' },
        ],
        timeoutSeconds: 60,
      },
      goldPatch,
      protected: ['.venv'],
    },
    through: ['ci/run.sh', 'Makefile'],
  });

/** At least one patch of every kind that no patch may bring. */
const KINDS: Record<string, string[]> = {
  outside_workdir: [created('../x.py')],
  git: [created('.git/config'), created('sub/.GIT/hooks/x'), created('.gitmodules')],
  submodule: [submodule('vendor/lib')],
  hidden_test: [changed('tests/test_a.py'), changed('extra/data/case.json'), changed('./tests//test_a.py')],
  in_place_of_tests: [created('extra/data', '/elsewhere', '120000'), created('extra', 'x\n')],
  link_out: [
    created('pkg/out', '/etc', '120000'),
    created('pkg/out', '../../x', '120000'),
    created('pkg/out', '../tests/helper.py', '120000'),
    created('pkg/out', '../.git/config', '120000'),
  ],
  git_attributes: [created('pkg/.gitattributes')],
  startup_hook: [created('sitecustomize.py'), created('pkg/usercustomize.py'), created('x.pth'), created('pyvenv.cfg')],
  protected: [changed('.venv/bin/python'), changed('node_modules/jest/index.js'), changed('lib/site-packages/x.py')],
  compiled_code: [changed('pkg/__pycache__/a.cpython-311.pyc'), created('pkg/_speed.so'), created('pkg/x.so.1')],
  package_metadata: [created('pkg.egg-info/entry_points.txt'), created('x-1.dist-info/METADATA')],
  pytest_config: [created('pytest.ini'), created('.pytest.ini'), created('sub/conftest.py'), created('Conftest.py')],
  test: [
    changed('tests/helper.py'),
    created('pkg/test_more.py'),
    created('src/a.test.ts'),
    created('pkg/a_test.go'),
    changed('src/__snapshots__/a.snap'),
  ],
  doctest: [changed('docs/usage.rst')],
  test_command: [changed('ci/run.sh'), changed('Makefile'), changed('conf/own.cfg'), changed('MAKEFILE')],
  runner_config: [
    created('noxfile.py'),
    created('jest.config.js'),
    created('vitest.config.mts'),
    created('.mocharc.json'),
    created('build/CTestTestfile.cmake'),
    created('.coveragerc'),
    created('.config/nextest.toml'),
  ],
  tool_chain: [
    created('.npmrc'),
    created('.cargo/config.toml'),
    created('go.work'),
    created('build.rs'),
    created('.env'),
  ],
  shadows_library: [created('pytest.py'), created('src/json/__init__.py'), created('lib/pluggy', 'pkg', '120000')],
};

test('every row of the table has its patches here', () => {
  expect(Object.keys(KINDS).sort()).toEqual(REACH.map(({ kind }) => kind).sort());
});

describe.each(Object.entries(KINDS))('%s', (kind, patches) => {
  test.each(patches)('is left out, and the fix beside it is kept (%#)', (patch) => {
    const fix = changed('pkg/fix.py');
    for (const both of [patch + fix, fix + patch]) {
      const { patch: kept, leftOut } = reach().of(both);
      expect(kept).toBe(fix);
      expect(leftOut).toMatchObject([{ kind }]);
    }
  });
});

test('what the gold patch changes is the candidate’s to change, but the hidden tests', () => {
  for (const patch of [changed('conftest.py'), changed('noxfile.py'), changed('Makefile'), created('pytest.ini')]) {
    expect(reach(patch).of(patch)).toEqual({ patch, leftOut: [] });
  }
  expect(reach(changed('tests/test_a.py')).of(changed('tests/test_a.py')).patch).toBe('');
  // A link at the same path is something else.
  expect(reach(changed('conftest.py')).of(created('conftest.py', '/x', '120000')).patch).toBe('');
});

test('files that are nobody’s business pass, shared ones among them', () => {
  for (const path of [
    'pyproject.toml',
    'setup.cfg',
    'tox.ini',
    'package.json',
    'Cargo.toml',
    'go.mod',
    'pkg/json.py',
    'pkg/latest.py',
    'pkg/contest.py',
    'docs/other.rst',
    'pkg/doc.py',
    'CHANGES.rst',
    'pkg/attestation.go',
    '.gitignore',
  ]) {
    expect(reach().of(changed(path))).toEqual({ patch: changed(path), leftOut: [] });
    expect(reach().refuses(path)).toBeUndefined();
  }
  expect(reach().of(created('pkg/link', 'other.py', '120000')).leftOut).toEqual([]);
});

test('a file that is moved is left out for either end', () => {
  const moved =
    'diff --git a/pkg/a.py b/conftest.py\nsimilarity index 100%\nrename from pkg/a.py\nrename to conftest.py\n';
  expect(
    reach()
      .of(moved)
      .leftOut.map(({ path }) => path),
  ).toEqual(['pkg/a.py', 'conftest.py']);
});

test('another spelling of a path is the same path', () => {
  const path = fc.constantFrom(
    'conftest.py',
    'tests/test_a.py',
    'ci/run.sh',
    'noxfile.py',
    '.gitattributes',
    'x.pth',
    'docs/usage.rst',
  );
  const spelling = fc.constantFrom<(text: string) => string>(
    (text) => `./${text}`,
    (text) => text.toUpperCase(),
    (text) => text.replace('/', '//'),
    (text) => text.replace('/', '/./'),
    (text) => `${text}.`,
    (text) => text.replace('t', 'ｔ'),
    (text) => text.replace('t', 't\u200b'),
  );
  fc.assert(
    fc.property(path, fc.array(spelling, { maxLength: 3 }), (given, spellings) => {
      const other = spellings.reduce<string>((text, each) => each(text), given);
      expect(reach().refuses(other)?.kind).toBe(reach().refuses(given)!.kind);
    }),
  );
});

const SHARED_CASES: Record<string, { before: string; now: string; expected: string }> = {
  'pyproject.toml': {
    before: '[project]\nname = "a"\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    now: '[project]\nname = "b"\n\n[tool.pytest.ini_options]\naddopts = "-p evil"\n\n[tool.mypy]\nstrict = true\n\n[project.entry-points."pytest11"]\nx = "y"\n',
    expected: '[project]\nname = "b"\n\n[tool.mypy]\nstrict = true\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
  },
  'setup.cfg': {
    before: '[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n',
    now: '[tool:pytest]\naddopts = -p evil\n[metadata]\nname = b\n',
    expected: '[metadata]\nname = b\n\n[tool:pytest]\naddopts = -q\n',
  },
  'tox.ini': {
    before: '[testenv]\ncommands = pytest\n',
    now: '[testenv]\ncommands = true\n[flake8]\nmax-line-length = 99\n',
    expected: '[flake8]\nmax-line-length = 99\n\n[testenv]\ncommands = pytest\n',
  },
  'package.json': {
    before: '{"name": "a", "scripts": {"test": "jest"}}',
    now: '{"name": "b", "scripts": {"test": "true"}, "jest": {"testMatch": []}}',
    expected: '{\n  "name": "b",\n  "scripts": {\n    "test": "jest"\n  }\n}\n',
  },
  'cargo.toml': {
    before: '[package]\nname = "a"\n',
    now: '[package]\nname = "a"\n\n[dependencies]\nx = "1"\n\n[[test]]\nname = "t"\nharness = false\n',
    expected: '[package]\nname = "a"\n\n[dependencies]\nx = "1"\n',
  },
  'go.mod': {
    before: 'module a\n\ngo 1.21\n',
    now: 'module a\n\ngo 1.21\n\nrequire b v1.0.0\n\nreplace b => ./c\nreplace (\n\td => ./e\n)\n',
    expected: 'module a\n\ngo 1.21\n\nrequire b v1.0.0\n',
  },
};

test('every shared file has its case here', () => {
  expect(Object.keys(SHARED_CASES).sort()).toEqual(Object.keys(SHARED).sort());
});

describe.each(Object.entries(SHARED_CASES))('%s', (path, { before, now, expected }) => {
  test('the tables of the run are put back, the others are the candidate’s', () => {
    expect(restored(`sub/${path}`, before, now)).toBe(expected);
  });

  test('where only other tables changed nothing is touched', () => {
    expect(restored(path, before, expected)).toBe(expected);
    expect(restored(path, before, before)).toBe(before);
  });

  test('tables that the gold patch changes are the candidate’s', () => {
    expect(restored(path, before, now, now)).toBe(now);
  });
});

test('what cannot be put back so that it means the same is the problem’s as a whole', () => {
  const before = '[tool.pytest.ini_options]\naddopts = "-q"\n';
  for (const now of [
    'tool.pytest.ini_options.addopts = "-p evil"\n',
    '[tool]\npytest = { ini_options = { addopts = "-p evil" } }\n',
    'x = """\n[tool.pytest.ini_options]\n"""\n[tool."pytest"."ini_options"]\naddopts = "-p evil"\n',
    'not toml at all [',
  ]) {
    const result = restored('pyproject.toml', before, now)!;
    expect(result).not.toContain('evil');
    expect(result).toContain('addopts = "-q"');
  }
});

test('a new file keeps no table of the run, and is not there when nothing else is in it', () => {
  expect(restored('setup.cfg', undefined, '[tool:pytest]\naddopts = -p evil\n')).toBeUndefined();
  expect(restored('setup.cfg', undefined, '[metadata]\nname = a\n')).toBe('[metadata]\nname = a\n');
});

test('a file that is deleted leaves the tables of the run', () => {
  expect(restored('setup.cfg', '[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n', undefined)).toBe(
    '[tool:pytest]\naddopts = -q\n',
  );
});
