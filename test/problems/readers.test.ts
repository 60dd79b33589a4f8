import { isPointsmanError } from '../../src/contract';
import { type RowFormat, readRows } from '../../src/problems/readers';
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

const read = (row: unknown, format: RowFormat) => readRows(JSON.stringify(row), format)[0]!;

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

  it.each<[string, RowFormat, string, RegExp]>([
    ['no JSON', 'swebench', '{"a":', /line 1: not JSON/],
    ['a missing field', 'swesmith', JSON.stringify({ ...swesmith, patch: undefined }), /line 1: patch/],
    ['a list that is none', 'swebench', JSON.stringify({ ...swebench, FAIL_TO_PASS: 'x' }), /line 1: FAIL_TO_PASS/],
    [
      'ids of another framework',
      'swebench',
      JSON.stringify({ ...swebench, FAIL_TO_PASS: ['test_x (a.Tests)'] }),
      /no pytest id/,
    ],
    [
      'a row without a statement',
      'swesmith',
      JSON.stringify({ ...swesmith, problem_statement: '' }),
      /problem_statement/,
    ],
    ['a bad second row', 'swebench', `${JSON.stringify(swebench)}\n\n{}`, /line 3: instance_id/],
    ['an unknown format', 'swebenhc' as RowFormat, '', /did you mean "swebench"/],
  ])('refuses %s and says where', (_, format, text, message) => {
    try {
      readRows(text, format);
      throw new Error('accepted');
    } catch (error) {
      expect(isPointsmanError(error) && error.code).toBe('InvalidInput');
      expect((error as Error).message).toMatch(message);
    }
  });
});
