import { isPointsmanError } from '../../src/contract';
import { formatOfRow, importRows, knownFormat, type RowAt, type RowFormat, readRow } from '../../src/problems/readers';
import { readPythonList } from '../../src/problems/readers/python-list';
import { sweBenchImage } from '../../src/problems/readers/swebench';

const FIX =
  'diff --git a/pkg/a.py b/pkg/a.py\n--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 3\n';
const TESTS =
  'diff --git a/tests/test_a.py b/tests/test_a.py\n--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1 +1,2 @@\n import a\n+def test_x(): assert a.x == 2\n';

const swebench = {
  instance_id: 'Owner__repo-1',
  repo: 'Owner/repo',
  base_commit: 'abc',
  patch: FIX,
  test_patch: TESTS,
  problem_statement: 'x is wrong',
  FAIL_TO_PASS: '["tests/test_a.py::test_x[a::b]"]',
  PASS_TO_PASS: '[]',
};
const swesmith = {
  instance_id: 'o__r.12345678.lm__abc',
  repo: 'swesmith/o__r.12345678',
  patch: FIX,
  FAIL_TO_PASS: ['tests/test_a.py::test_x'],
  PASS_TO_PASS: ['tests/test_a.py::test_y'],
  image_name: 'swesmith.x86_64.o__r.12345678',
  problem_statement: 'x is wrong',
};
const r2egym = {
  repo_name: 'repo',
  docker_image: 'owner/repo_final:abc',
  commit_hash: 'abcdef0123456789',
  problem_statement: '[ISSUE]\nx is wrong\n[/ISSUE]',
  parsed_commit_content: JSON.stringify({
    file_diffs: [
      {
        header: { file: { path: 'pkg/a.py' } },
        old_file_content: 'x = 1\n',
        new_file_content: 'x = 2\n',
        hunks: [
          {
            descriptor: { old_range: { start: 1, length: 1 }, new_range: { start: 1, length: 1 }, section: '' },
            line_group: {
              all_lines: [
                { content: 'x = 1', type: 'deleted' },
                { content: 'x = 2', type: 'added' },
              ],
            },
          },
        ],
      },
      { header: { file: { path: 'tests/test_a.py' } }, hunks: [] },
    ],
  }),
  execution_result_content: JSON.stringify({
    test_file_names: ['test_1.py'],
    test_file_codes: ['class A:\n    def test_x(self): pass\n'],
  }),
  expected_output_json: JSON.stringify({ 'A.test_x[1.5]': 'PASSED', 'A.test_old': 'FAILED' }),
};

const multi = {
  org: 'Acme',
  repo: 'Tool',
  number: 12,
  base: { ref: 'main', sha: 'abc' },
  resolved_issues: [{ number: 11, title: 'x is wrong', body: 'It is.' }],
  fix_patch: FIX,
  test_patch: TESTS,
  fixed_tests: {},
  f2p_tests: { TestX: { run: 'FAIL' } },
  s2p_tests: {},
  n2p_tests: { 'TestX/part_one': {} },
  p2p_tests: { TestY: {}, TestX: {} },
};

const read = (row: unknown, format?: RowFormat) => readRow(row, 1, format).problem;

describe('readers', () => {
  it('reads SWE-bench rows with lists in strings, by the image name rule', () => {
    const problem = read(swebench, 'swebench');
    expect(problem).toMatchObject({
      id: 'Owner__repo-1',
      image: 'swebench/sweb.eval.x86_64.owner_1776_repo-1:latest',
      goldPatch: FIX,
      tests: { failToPass: ['tests/test_a.py::test_x[a::b]'], passToPass: [], patch: TESTS },
      preparation: { patch: '' },
    });
    expect(problem.tests.command).toMatch(/pytest -rA tests\/test_a\.py$/);
    expect(sweBenchImage('A__b-1', '')).toBe('sweb.eval.x86_64.a_1776_b-1:latest');
  });

  it('turns the SWE-smith patch round: it brings the bug, its reverse is the reference', () => {
    const problem = read(swesmith, 'swesmith');
    expect(problem.preparation?.patch).toBe(FIX);
    expect(problem.goldPatch).toBe(
      'diff --git a/pkg/a.py b/pkg/a.py\n--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,2 +1,2 @@\n-x = 2\n+x = 1\n y = 3\n',
    );
  });

  it('gives R2E-Gym names their file and counts only what is expected to pass', () => {
    const problem = read(r2egym, 'r2egym');
    expect(problem.tests.failToPass).toEqual(['r2e_tests/test_1.py::A::test_x[1.5]']);
    expect(problem.statement).toBe('x is wrong');
    expect(problem.goldPatch).toBe(
      'diff --git a/pkg/a.py b/pkg/a.py\n--- a/pkg/a.py\n+++ b/pkg/a.py\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n',
    );
    expect(problem.preparation?.files).toEqual([{ path: 'r2e_tests/test_1.py', content: null }]);
  });

  it.each<[string, RowFormat, object, RegExp]>([
    ['a missing field', 'swesmith', { ...swesmith, patch: undefined }, /line 7: patch/],
    ['a list that is none', 'swebench', { ...swebench, FAIL_TO_PASS: 'x' }, /line 7: FAIL_TO_PASS/],
    ['no test at all', 'swebench', { ...swebench, FAIL_TO_PASS: null }, /FAIL_TO_PASS: names no test/],
    [
      'ids of another framework',
      'swebench',
      { ...swebench, FAIL_TO_PASS: ['test_x (a.Tests)'] },
      /no pytest id .*Django/,
    ],
    ['a row without a statement', 'swesmith', { ...swesmith, problem_statement: '' }, /problem_statement/],
    [
      'a test outside',
      'swebench',
      { ...swebench, FAIL_TO_PASS: ['../../etc/test_a.py::test_x'] },
      /outside of the repository/,
    ],
    [
      'a test by its absolute path',
      'swesmith',
      { ...swesmith, PASS_TO_PASS: ['/etc/a.py::b'] },
      /outside of the repository/,
    ],
    [
      'a bug in a language without one runner',
      'swesmith',
      { ...swesmith, patch: FIX.replaceAll('a.py', 'a.ts') },
      /test_cmd: missing; projects in JavaScript/,
    ],
    [
      'tests of a runner that nobody reads',
      'multiswebench',
      { ...multi, f2p_tests: { 'org.a.BTest': {} } },
      /"org\.a\.BTest" is no name/,
    ],
    [
      'a row whose runner lies elsewhere',
      'nemotron',
      { instance_dict: '{"instance_id": "a", "fail_to_pass": []}', dataset_name: 'own' },
      /a row of own, whose runner/,
    ],
  ])('refuses %s and says where', (_, format, row, message) => {
    try {
      readRow(row, 7, format);
      throw new Error('accepted');
    } catch (error) {
      expect(isPointsmanError(error) && error.code).toBe('InvalidInput');
      expect((error as Error).message).toMatch(message);
    }
  });

  it('names the formats that are known for one that is not, and for a row of none', () => {
    expect(() => knownFormat('swebenhc')).toThrow(/did you mean "swebench"/);
    expect(() => readRow({ question: 'a', answer: 'b' }, 3)).toThrow(
      /line 3: of no known format \(its fields: question, answer; known: multiswebench, nemotron, r2egym/,
    );
    expect(() =>
      readRow({ ...swebench, FAIL_TO_PASS: undefined, selected_test_files_to_run: '[]' }, 1, undefined),
    ).toThrow();
  });
});

describe('data sets as they are published', () => {
  const rebench = {
    ...swebench,
    install_config: JSON.stringify({
      python: '3.9',
      test_cmd: 'pytest --no-header -rA -p no:cacheprovider',
      env_vars: { A: "it's" },
    }),
    license_name: 'MIT',
  };

  it('are recognised by their fields', () => {
    const rows: [RowFormat, object][] = [
      ['swebench', swebench],
      ['swebench-live', { ...swebench, test_cmds: ['pytest'] }],
      ['swerebench', rebench],
      ['swegym', { ...swebench, repo: 'getmoto/moto' }],
      ['swesmith', swesmith],
      ['r2egym', r2egym],
      ['multiswebench', multi],
      ['nemotron', { responses_create_params: { metadata: { instance_dict: JSON.stringify(swebench) } } }],
    ];
    expect(rows.map(([, row]) => formatOfRow(row))).toEqual(rows.map(([format]) => format));
    expect(formatOfRow([])).toBeUndefined();
  });

  it('nulls of tables are absences, and lists as Python prints them are lists', () => {
    const row = {
      ...swebench,
      FAIL_TO_PASS: `['tests/test_a.py::test_x[it\\'s]', "tests/test_a.py::test_y"]`,
      PASS_TO_PASS: null,
      version: null,
      image_name: null,
      docker_image: '',
    };
    expect(read(row)).toMatchObject({
      image: 'swebench/sweb.eval.x86_64.owner_1776_repo-1:latest',
      tests: { failToPass: ["tests/test_a.py::test_x[it's]", 'tests/test_a.py::test_y'], passToPass: [] },
    });
  });

  it('SWE-bench Live: its commands as they are given, its images', () => {
    const row = {
      ...swebench,
      rebuild_cmds: ['make deps', 'pip install .'],
      test_cmds: ['pytest -rA > log.txt'],
      print_cmds: ['cat log.txt'],
      log_parser: 'pytest',
    };
    expect(read(row)).toMatchObject({
      image: 'starryzhang/sweb.eval.x86_64.owner_1776_repo-1:latest',
      tests: { command: 'make deps ; pip install . ; pytest -rA > log.txt ; cat log.txt' },
    });
    expect(read({ ...row, docker_image: 'own/image' }).image).toBe('own/image');
  });

  it('SWE-rebench: the command of its installation, with the files of tests; in the second version as it is', () => {
    expect(read(rebench)).toMatchObject({
      image: 'swerebench/sweb.eval.x86_64.owner_1776_repo-1:latest',
      licence: 'MIT',
      tests: {
        command: `source /opt/miniconda3/bin/activate testbed && export A='it'\\''s' && pytest --no-header -rA -p no:cacheprovider tests/test_a.py`,
      },
    });
    const second = {
      ...swebench,
      FAIL_TO_PASS: ['TestX'],
      image_name: 'swerebenchv2/owner-repo:1-abc',
      install_config: { test_cmd: ['go build ./...', 'go test -v ./...'] },
    };
    expect(read(second)).toMatchObject({
      image: 'swerebenchv2/owner-repo:1-abc',
      workdir: '/repo',
      tests: { command: 'go build ./... ; go test -v ./...' },
    });
  });

  it('SWE-Gym: its names of images', () => {
    const row = { ...swebench, instance_id: 'Project-MONAI__MONAI-1', repo: 'Project-MONAI/MONAI' };
    expect(read(row).image).toBe('xingyaoww/sweb.eval.x86_64.project-monai_s_monai-1:latest');
  });

  it('Django is run by its own runner, on the modules of the test files', () => {
    const patch = TESTS.replaceAll('tests/test_a.py', 'tests/admin_views/tests.py');
    const row = {
      ...swebench,
      repo: 'django/django',
      test_patch: patch,
      FAIL_TO_PASS: ['test_x (admin_views.tests.A)', 'A first line.'],
    };
    expect(read(row).tests.command).toMatch(/runtests\.py --verbosity 2 .* admin_views\.tests$/);
  });

  it('a path with blanks is one word for the shell', () => {
    const row = { ...swebench, FAIL_TO_PASS: ["tests/test it's.py::test_x"] };
    expect(read(row).tests.command).toContain("'tests/test it'\\''s.py'");
  });

  it('ids that were cut at a blank are said', () => {
    const { notes } = readRow({ ...swebench, FAIL_TO_PASS: ['tests/test_a.py::test_x[a'] }, 1);
    expect(notes).toEqual([expect.stringMatching(/an id is cut at a blank \(tests\/test_a\.py::test_x\[a\)/)]);
  });

  it('SWE-smith: the runner of the language', () => {
    const command = (path: string, ids: string[]) =>
      read({ ...swesmith, patch: FIX.replaceAll('pkg/a.py', path), FAIL_TO_PASS: ids, PASS_TO_PASS: [] }).tests.command;
    expect(command('a/b.go', ['TestB', 'TestB/two'])).toBe('go test -v ./...');
    expect(command('src/b.rs', ['b::works'])).toBe('cargo test --no-fail-fast');
    expect(command('pkg/a.py', ['tests/test a.py::b'])).toContain("'tests/test a.py'");
    expect(read(swesmith).image).toBe('jyangballin/swesmith.x86_64.o__r.12345678');
    expect(read({ ...swesmith, image_name: 'mine' }).image).toBe('mine');
  });

  it('R2E-Gym: a runner that the row brings, names without colours and tails', () => {
    const expected = {
      '\u001b[1mA.test_x\u001b[0m': 'PASSED',
      'A.test_y - some words': 'PASSED',
      'A.test_z': 'FAILED',
    };
    const files = {
      test_file_names: ['test_1.py', 'unittest_custom_runner.py'],
      test_file_codes: ['class A: pass', 'main()'],
    };
    const own = { ...r2egym, execution_result_content: files, expected_output_json: expected };
    const { problem, notes } = readRow(own, 1);
    expect(problem.tests.failToPass).toEqual(['A.test_x', 'A.test_y']);
    expect(problem.tests.command).toBe('. .venv/bin/activate && python -W ignore r2e_tests/unittest_custom_runner.py');
    expect(notes).toEqual([expect.stringContaining('own runner')]);
    const plain = { ...r2egym, expected_output_json: { '\u001b[1mA.test_x\u001b[0m - x': 'PASSED' } };
    expect(read(plain).tests.failToPass).toEqual(['r2e_tests/test_1.py::A::test_x']);
    const outside = {
      ...r2egym,
      execution_result_content: { test_file_names: ['a/..'], test_file_codes: ['def a(): pass'] },
      expected_output_json: { a: 'PASSED' },
    };
    expect(() => read(outside)).toThrow(/tests\.files|stays inside|outside/);
  });

  it('Multi-SWE-bench: image, folder and script as it publishes them', () => {
    expect(read(multi)).toMatchObject({
      id: 'Acme__Tool-12',
      image: 'mswebench/acme_m_tool:pr-12',
      workdir: '/home/Tool',
      statement: 'x is wrong\n\nIt is.',
      tests: { command: 'bash /home/run.sh', failToPass: ['TestX', 'TestX/part_one'], passToPass: ['TestY'] },
    });
  });

  it('tables have a column for each name of any row: those without a value are none of this one', () => {
    const f2p_tests = { TestX: { run: 'FAIL' }, TestOfAnother: null };
    expect(read({ ...multi, f2p_tests, n2p_tests: null }).tests.failToPass).toEqual(['TestX']);
    const install_config = { python: '3.9', test_cmd: 'pytest -rA', env_vars: { A: null }, packages: null };
    expect(read({ ...swebench, install_config }).tests.command).toMatch(/testbed && pytest -rA tests\/test_a\.py$/);
  });

  it('nemotron: the row that it holds is read as that data set’s', () => {
    const inner = { ...swebench, repo: 'getmoto/moto', problem_statement: undefined };
    const row = {
      responses_create_params: {
        metadata: {
          dataset_name: 'SWE-Gym/SWE-Gym',
          problem_statement: 'x is wrong',
          instance_dict: JSON.stringify(inner),
        },
      },
    };
    expect(read(row)).toMatchObject({ statement: 'x is wrong', image: expect.stringContaining('xingyaoww/') });
    expect(read({ ...row, responses_create_params: JSON.stringify(row.responses_create_params) }).id).toBe(
      'Owner__repo-1',
    );
  });
});

describe('a file of rows', () => {
  const bad = { ...swebench, instance_id: 'b', FAIL_TO_PASS: ['x (a.B)'] };
  const rows: RowAt[] = [
    { line: 1, value: swebench },
    { line: 2, value: bad },
    { line: 3, problem: 'expected JSON' },
    { line: 4, value: swebench },
    { line: 5, value: { ...swebench, instance_id: 'c' } },
  ];
  const read = async (options: Parameters<typeof importRows>[1] = {}) => {
    async function* all() {
      yield* rows;
    }
    const found: string[] = [];
    for await (const row of importRows(all(), options))
      found.push(
        'reason' in row ? `${row.line} ${row.id}: ${row.reason.slice(0, 20)}` : `${row.line} ${row.problem.id}`,
      );
    return found;
  };

  it('gives what can be read, and what cannot with line, id and reason', async () => {
    expect(await read()).toEqual([
      '1 Owner__repo-1',
      '2 b: FAIL_TO_PASS, PASS_T',
      '3 : expected JSON',
      '4 Owner__repo-1: line 1 has the same ',
      '5 c',
    ]);
  });

  it('says nothing of ids that nobody asked for', async () => {
    expect(await read({ only: ['c'] })).toEqual(['5 c']);
    expect(await read({ only: ['b'] })).toEqual(['2 b: FAIL_TO_PASS, PASS_T']);
  });
});

test.each<[string, string[] | undefined]>([
  [`['a', "it's", 'b\\n\\x41\\u00e9']`, ['a', "it's", 'b\nA\u00e9']],
  [`['a'\n 'b']`, ['a', 'b']],
  ['[]', []],
  ["('a',)", ['a']],
  ["['a', 1]", undefined],
  ["['a", undefined],
  ["['a\\']", undefined],
  ['a, b', undefined],
  ["__import__('os')", undefined],
])('a list of Python: %s', (text, list) => {
  expect(readPythonList(text)).toEqual(list);
});
