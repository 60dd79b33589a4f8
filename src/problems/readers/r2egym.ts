import { z } from 'zod';
import type { Problem, TestFile } from '../../contract/problem';
import { isTestPath } from '../test-files';
import { asProblem, invalidRow, parseRow, unwrapJson } from './row';

const Line = z.object({ content: z.string(), type: z.string() });
const Range = z.object({ start: z.int(), length: z.int().nullish() });
const Hunk = z.object({
  descriptor: z.object({ old_range: Range, new_range: Range, section: z.string().nullish() }),
  line_group: z.object({ all_lines: z.array(Line) }),
});
const FileDiff = z.object({
  header: z.object({ file: z.object({ path: z.string() }), misc_line: z.string().nullish() }),
  is_binary_file: z.boolean().nullish(),
  old_file_content: z.string().nullish(),
  new_file_content: z.string().nullish(),
  hunks: z.array(Hunk).nullish(),
});
const Row = z.object({
  repo_name: z.string().min(1),
  docker_image: z.string().min(1),
  commit_hash: z.string().min(1),
  problem_statement: z.string().min(1),
  parsed_commit_content: z.preprocess(unwrapJson, z.object({ file_diffs: z.array(FileDiff) })),
  execution_result_content: z.preprocess(
    unwrapJson,
    z.object({ test_file_names: z.array(z.string()), test_file_codes: z.array(z.string()) }),
  ),
  expected_output_json: z.preprocess(unwrapJson, z.record(z.string(), z.string())),
});

/**
 * A row of R2E-Gym. Its expectation is a map of every test's status by a name without the file, and statuses other than
 * PASSED are expected of some; here a test either counts and must pass, or does not count. The names are widened to
 * pytest ids by the test files that the row carries; a name that several files could mean is refused.
 */
export function fromR2eGym(value: unknown, line: number): Problem {
  const row = parseRow(Row, value, line);
  const { test_file_names: names, test_file_codes: codes } = row.execution_result_content;
  if (names.length !== codes.length)
    throw invalidRow(line, 'execution_result_content: names and codes of test files differ in number');
  const files: TestFile[] = codes.map((content, at) => ({
    path: `r2e_tests/${names[at]!.split('/').at(-1)!}`,
    content,
  }));
  const passing = Object.entries(row.expected_output_json).flatMap(([name, status]) =>
    status === 'PASSED' ? [name] : [],
  );
  if (passing.length === 0) throw invalidRow(line, 'expected_output_json: expects no test to pass');
  const gold = row.parsed_commit_content.file_diffs
    .filter((diff) => !isTestPath(diff.header.file.path))
    .map((diff) => textOfDiff(diff, line));
  return asProblem(
    {
      id: `${row.repo_name}__${row.commit_hash.slice(0, 12)}`,
      image: row.docker_image,
      workdir: '/testbed',
      statement: row.problem_statement.replace(/^\s*\[ISSUE\]\s*|(?:(?<!\s)\s+)?\[\/ISSUE\]\s*$/g, ''),
      tests: {
        command: '. .venv/bin/activate && python -m pytest -rA r2e_tests',
        // Which of them failed before is not in the row; `problem check` measures it.
        failToPass: passing.map((name) => idOf(name, files, line)),
        passToPass: [],
        files,
      },
      goldPatch: gold.join(''),
      preparation: { files: files.map(({ path }) => ({ path, content: null })) },
      protected: ['.venv'],
      provenance: { format: 'r2egym', repo: row.repo_name, commit: row.commit_hash, unsplit: true },
    },
    line,
  );
}

/** `Class.test_name[param]` and the file that defines it. Their names join the parts after the file with dots. */
function idOf(name: string, files: readonly TestFile[], line: number): string {
  const bracket = name.indexOf('[');
  const [dotted, params] = bracket < 0 ? [name, ''] : [name.slice(0, bracket), name.slice(bracket)];
  const parts = dotted.split('.');
  const defines = (file: TestFile) =>
    parts.every((part, at) =>
      new RegExp(`^\\s*(?:async\\s+)?${at < parts.length - 1 ? 'class' : 'def'}\\s+${escaped(part)}\\b`, 'm').test(
        String(file.content),
      ),
    );
  const owners = files.length === 1 ? [...files] : files.filter(defines);
  if (owners.length !== 1) {
    throw invalidRow(
      line,
      `expected_output_json: ${JSON.stringify(name.slice(0, 80))} could be in ${owners.length} of the test files`,
    );
  }
  return [owners[0]!.path, ...parts].join('::') + params;
}

function textOfDiff(diff: z.infer<typeof FileDiff>, line: number): string {
  const { path } = diff.header.file;
  if (diff.is_binary_file) throw invalidRow(line, `parsed_commit_content: ${path} is binary`);
  const created = !diff.old_file_content && /new file/.test(diff.header.misc_line ?? '');
  const deleted = !diff.new_file_content && /deleted file/.test(diff.header.misc_line ?? '');
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(created ? ['new file mode 100644'] : deleted ? ['deleted file mode 100644'] : []),
    `--- ${created ? '/dev/null' : `a/${path}`}`,
    `+++ ${deleted ? '/dev/null' : `b/${path}`}`,
  ];
  const body = (diff.hunks ?? []).flatMap(({ descriptor, line_group }) => {
    const { old_range: old, new_range: now, section } = descriptor;
    const signs: Record<string, string> = { added: '+', deleted: '-', context: ' ', note: '\\' };
    const lines = line_group.all_lines.map(({ content, type }) =>
      type === 'note' ? `\\ ${content.replace(/^\\?\s*/, '')}` : `${signs[type] ?? ' '}${content}`,
    );
    return [
      `@@ -${old.start},${old.length ?? 1} +${now.start},${now.length ?? 1} @@${section ? ` ${section}` : ''}`,
      ...lines,
    ];
  });
  return `${[...head, ...body].join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
