import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { TestFile } from '../../contract/problem';
import { isTestPath } from '../test-files';
import { asProblem, invalidRow, parseRow, type RowReader, shellPaths, unwrapJson } from './row';
import { notesOf } from './swebench';

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
 * PASSED are expected of some; here a test either counts and must pass, or does not count. Names may be in colours and have
 * what a test said behind them. They are widened to pytest ids by the test files that the row carries; a name that several
 * files could mean is refused. Rows that bring a runner of their own are run by it, and keep their names.
 */
export const r2eGym: RowReader = {
  is: (fields) => 'parsed_commit_content' in fields && 'expected_output_json' in fields,
  read(value, line) {
    const row = parseRow(Row, value, line);
    const { test_file_names: names, test_file_codes: codes } = row.execution_result_content;
    if (names.length !== codes.length)
      throw invalidRow(line, 'execution_result_content: names and codes of test files differ in number');
    const files: TestFile[] = codes.map((content, at) => ({
      path: `r2e_tests/${names[at]!.split('/').at(-1)!}`,
      content,
    }));
    const passing = passingIn(row.expected_output_json);
    if (passing.length === 0) throw invalidRow(line, 'expected_output_json: expects no test to pass');
    const runner = files.find(({ path }) => /_runner\.py$/.test(path) && !/\/test_[^/]*$/.test(path))?.path;
    const owner = ownerOf(files);
    const gold = row.parsed_commit_content.file_diffs
      .filter((diff) => !isTestPath(diff.header.file.path))
      .map((diff) => textOfDiff(diff, line));
    const problem = asProblem(
      {
        id: `${row.repo_name}__${row.commit_hash.slice(0, 12)}`,
        image: row.docker_image,
        workdir: '/testbed',
        statement: row.problem_statement.replace(/^\s*\[ISSUE\]\s*|(?:(?<!\s)\s+)?\[\/ISSUE\]\s*$/g, ''),
        tests: {
          command:
            runner === undefined
              ? `. .venv/bin/activate && ${commandOf(row.repo_name)}`
              : `. .venv/bin/activate && python -W ignore ${shellPaths([runner], line)}`,
          // Which of them failed before is not in the row; `problem check` measures it.
          failToPass: runner === undefined ? passing.map((name) => idOf(name, owner, line)) : passing,
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
    return {
      problem,
      notes: runner === undefined ? notesOf(problem.tests.failToPass) : [`the row's own runner is used: ${runner}`],
    };
  },
};

/** As its makers run the tests of each repository. */
function commandOf(repository: string): string {
  const quiet = "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' ";
  if (repository === 'orange3')
    return 'QT_QPA_PLATFORM=minimal xvfb-run --auto-servernum python -m pytest -rA r2e_tests';
  if (repository === 'pandas') return `${quiet}python -W ignore -m pytest -rA -o addopts= r2e_tests`;
  if (/^(sympy|numpy|scrapy|pyramid)$/.test(repository)) return `${quiet}python -W ignore -m pytest -rA r2e_tests`;
  return 'python -m pytest -rA r2e_tests';
}

/** Names of tests that pass, without colours and what is said behind them; one that is there twice passes both times. */
function passingIn(expected: Readonly<Record<string, string>>): string[] {
  const passes = new Map<string, boolean>();
  for (const [name, status] of Object.entries(expected)) {
    const plain = stripVTControlCharacters(name).split(' - ')[0]!.trim();
    if (plain !== '') passes.set(plain, (passes.get(plain) ?? true) && status === 'PASSED');
  }
  return [...passes].flatMap(([name, passed]) => (passed ? [name] : []));
}

/** Which of the test files could define a test, by the parts of its name: classes, and the function at the end. */
function ownerOf(files: readonly TestFile[]): (parts: readonly string[]) => readonly string[] {
  if (files.length === 1) return () => [files[0]!.path];
  const defined = files.map(({ path, content }) => {
    const names = new Set<string>();
    for (const [, kind, name] of String(content).matchAll(/^[ \t]*(?:async[ \t]+)?(class|def)[ \t]+(\w+)/gm))
      names.add(`${kind} ${name}`);
    return { path, names };
  });
  return (parts) =>
    defined
      .filter(({ names }) => parts.every((part, at) => names.has(`${at < parts.length - 1 ? 'class' : 'def'} ${part}`)))
      .map(({ path }) => path);
}

/** `Class.test_name[param]` and the file that defines it. Their names join the parts after the file with dots. */
function idOf(name: string, ownersOf: (parts: readonly string[]) => readonly string[], line: number): string {
  const bracket = name.indexOf('[');
  const [dotted, params] = bracket < 0 ? [name, ''] : [name.slice(0, bracket), name.slice(bracket)];
  const parts = dotted.split('.');
  const [owner, ...others] = ownersOf(parts);
  if (owner !== undefined && others.length === 0) return [owner, ...parts].join('::') + params;
  throw invalidRow(
    line,
    `expected_output_json: ${JSON.stringify(name.slice(0, 80))} could be in ${others.length + (owner === undefined ? 0 : 1)} of the test files`,
  );
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
