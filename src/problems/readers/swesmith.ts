import { z } from 'zod';
import { splitPatch } from '../patch';
import { reversePatch } from '../reverse';
import { fileOfTestId } from '../test-files';
import { asProblem, Commands, Ids, invalidRow, parseRow, type RowReader, shellPaths, Text } from './row';
import { notesOf } from './swebench';

const Row = z.object({
  instance_id: z.string().min(1),
  repo: z.string(),
  patch: z.string().min(1),
  FAIL_TO_PASS: Ids,
  PASS_TO_PASS: Ids,
  image_name: z.string().min(1),
  base_commit: Text,
  problem_statement: Text,
  test_cmd: Commands,
});

/**
 * A row of SWE-smith. Its `patch` introduces the bug into the clean repository that the image holds, so the problem is
 * the image with the patch applied, and the reference is the patch reversed. A test that never ran has not passed here.
 * Rows name no runner: it is that of the language that the patch is in, Python's where the ids are pytest's.
 */
export const sweSmith: RowReader = {
  is: ({ instance_id, image_name, patch, test_patch }) =>
    typeof instance_id === 'string' &&
    typeof patch === 'string' &&
    typeof image_name === 'string' &&
    (test_patch === undefined || test_patch === null),
  read(value, line, options) {
    const row = parseRow(Row, value, line);
    if (row.problem_statement === undefined)
      throw invalidRow(line, 'problem_statement: missing; SWE-smith rows get one in a later step of theirs');
    const ids = [...row.FAIL_TO_PASS, ...row.PASS_TO_PASS];
    if (row.FAIL_TO_PASS.length === 0) throw invalidRow(line, 'FAIL_TO_PASS: names no test');
    let gold: string;
    try {
      gold = reversePatch(row.patch);
    } catch (error) {
      throw invalidRow(line, `patch: ${(error as Error).message}`);
    }
    const published = row.image_name.includes('/') ? '' : (options.registry ?? publishedAt(row.image_name));
    const problem = asProblem(
      {
        id: row.instance_id,
        image: `${published}${row.image_name}`,
        workdir: '/testbed',
        statement: row.problem_statement,
        tests: {
          command: row.test_cmd.length > 0 ? row.test_cmd.join(' ; ') : commandOf(row.patch, ids, line),
          failToPass: row.FAIL_TO_PASS,
          passToPass: row.PASS_TO_PASS,
        },
        goldPatch: gold,
        preparation: { patch: row.patch },
        provenance: { format: 'swesmith', repo: row.repo, baseCommit: row.base_commit },
      },
      line,
    );
    return { problem, notes: notesOf(ids) };
  },
};

/** Its images are published under one account; others are where the row says. */
function publishedAt(image: string): string {
  return image.startsWith('swesmith.') ? 'jyangballin/' : '';
}

/** Commands by the end of the names of the files that a patch changes. */
const RUNNERS: readonly (readonly [ends: RegExp, language: string, command: string | undefined])[] = [
  [/\.go$/, 'Go', 'go test -v ./...'],
  [/\.rs$/, 'Rust', 'cargo test --no-fail-fast'],
  [/\.(?:[cm]?[jt]sx?|vue|svelte)$/, 'JavaScript', undefined],
  [/\.(?:java|kt|scala)$/, 'Java', undefined],
  [/\.(?:c|cc|cpp|cxx|h|hpp)$/, 'C and C++', undefined],
  [/\.php$/, 'PHP', undefined],
  [/\.rb$/, 'Ruby', undefined],
  [/\.cs$/, 'C#', undefined],
];

function commandOf(patch: string, ids: readonly string[], line: number): string {
  const changed = splitPatch(patch).flatMap(({ from, to }) => to ?? from ?? []);
  const found = RUNNERS.find(([ends]) => changed.some((path) => ends.test(path)));
  if (found) {
    const [, language, command] = found;
    if (command !== undefined) return command;
    throw invalidRow(line, `test_cmd: missing; projects in ${language} each have a test command of their own`);
  }
  const strange = ids.find((id) => !/^[^:\n]+\.py::/.test(id));
  if (strange !== undefined) {
    throw invalidRow(
      line,
      `FAIL_TO_PASS, PASS_TO_PASS: ${JSON.stringify(strange.slice(0, 80))} is no pytest id, and the row has no test_cmd`,
    );
  }
  const files = shellPaths(ids.map(fileOfTestId), line);
  return `source /opt/miniconda3/bin/activate testbed && python -m pytest -rA ${files}`;
}
