import { z } from 'zod';
import type { Problem } from '../../contract/problem';
import { reversePatch } from '../reverse';
import { fileOfTestId } from '../test-files';
import { asProblem, Ids, invalidRow, parseRow, type ReadOptions } from './row';

const Row = z.object({
  instance_id: z.string().min(1),
  repo: z.string(),
  patch: z.string().min(1),
  FAIL_TO_PASS: Ids,
  PASS_TO_PASS: Ids,
  image_name: z.string().min(1),
  base_commit: z.string().optional(),
  problem_statement: z.string().optional(),
  test_cmd: z.string().optional(),
});

/**
 * A row of SWE-smith. Its `patch` introduces the bug into the clean repository that the image holds, so the problem is
 * the image with the patch applied, and the reference is the patch reversed. A test that never ran has not passed here.
 */
export function fromSweSmith(value: unknown, line: number, options: ReadOptions): Problem {
  const row = parseRow(Row, value, line);
  if (!row.problem_statement)
    throw invalidRow(line, 'problem_statement: missing; SWE-smith rows get one in a later step of theirs');
  const files = [...new Set([...row.FAIL_TO_PASS, ...row.PASS_TO_PASS].map(fileOfTestId))];
  let gold: string;
  try {
    gold = reversePatch(row.patch);
  } catch (error) {
    throw invalidRow(line, `patch: ${(error as Error).message}`);
  }
  return asProblem(
    {
      id: row.instance_id,
      image: `${row.image_name.includes('/') ? '' : (options.registry ?? '')}${row.image_name}`,
      workdir: '/testbed',
      statement: row.problem_statement,
      tests: {
        command:
          row.test_cmd ?? `source /opt/miniconda3/bin/activate testbed && python -m pytest -rA ${files.join(' ')}`,
        failToPass: row.FAIL_TO_PASS,
        passToPass: row.PASS_TO_PASS,
      },
      goldPatch: gold,
      preparation: { patch: row.patch },
      provenance: { format: 'swesmith', repo: row.repo, baseCommit: row.base_commit },
    },
    line,
  );
}
