import { z } from 'zod';
import { Subject } from '../../contract/harness';
import type { Problem } from '../../contract/problem';
import { splitPatch } from '../patch';
import { fileOfTestId, isTestPath } from '../test-files';
import { asProblem, Ids, invalidRow, parseRow, type ReadOptions, unwrapJson } from './row';

const Row = z.object({
  instance_id: z.string().min(1),
  repo: z.string(),
  base_commit: z.string().optional(),
  patch: z.string(),
  test_patch: z.string(),
  problem_statement: z.string().min(1),
  version: z.union([z.string(), z.number()]).optional(),
  environment_setup_commit: z.string().nullish(),
  FAIL_TO_PASS: Ids,
  PASS_TO_PASS: Ids,
  image_name: z.string().optional(),
  docker_image: z.string().optional(),
  // Not part of the data set: rows of ours, and others that bring their own.
  test_cmd: z.string().optional(),
  test_timeout: z.number().positive().optional(),
  workdir: z.string().startsWith('/').default('/testbed'),
  /** Takes the solution out of the image's files. */
  stub_patch: z.string().default(''),
  /** The function that is taken out, as JSON: its copies elsewhere go too. */
  purge: z.preprocess(unwrapJson, Subject).optional(),
  licence: z.string().nullish(),
});

/** The images' Python lives in a conda environment of this name. */
const ACTIVATE = 'source /opt/miniconda3/bin/activate testbed';

/**
 * A row of SWE-bench or a data set in its shape. The hidden tests come as a patch: it is applied when the image is
 * prepared for grading, so it travels as the problem's `tests.patch`. A row whose ids are no pytest ids (Django's own
 * runner) is refused unless it brings a test command: our lists are by pytest's ids.
 */
export function fromSweBench(value: unknown, line: number, options: ReadOptions): Problem {
  const row = parseRow(Row, value, line);
  const ids = [...row.FAIL_TO_PASS, ...row.PASS_TO_PASS];
  const strange = ids.find((id) => !/^[^:\s]+\.\w+::/.test(id));
  if (strange !== undefined && row.test_cmd === undefined) {
    throw invalidRow(
      line,
      `FAIL_TO_PASS, PASS_TO_PASS: ${JSON.stringify(strange.slice(0, 80))} is no pytest id, and the row has no test_cmd`,
    );
  }
  const touched = splitPatch(row.test_patch).flatMap((section) => (section.to?.endsWith('.py') ? [section.to] : []));
  const files = [...new Set([...touched.filter(isTestPath), ...ids.map(fileOfTestId)])].filter((path) =>
    path.endsWith('.py'),
  );
  return asProblem(
    {
      id: row.instance_id,
      image: row.image_name ?? row.docker_image ?? sweBenchImage(row.instance_id, options.registry),
      workdir: row.workdir,
      statement: row.problem_statement,
      tests: {
        command: row.test_cmd ?? `${ACTIVATE} && python -m pytest -rA ${files.map(quoted).join(' ')}`,
        failToPass: row.FAIL_TO_PASS,
        passToPass: row.PASS_TO_PASS,
        patch: row.test_patch,
        timeoutSeconds: row.test_timeout,
      },
      goldPatch: row.patch,
      // The image's repository has its history, in which the fix may be found.
      preparation: {
        patch: row.stub_patch,
        // Compiled code of what was taken out is the solution too.
        files: cachesOf(row.stub_patch).map((path) => ({ path, content: null })),
        ...(row.purge ? { purge: row.purge } : {}),
      },
      provenance: { format: 'swebench', repo: row.repo, baseCommit: row.base_commit, version: row.version },
      ...(row.licence ? { licence: row.licence } : {}),
    },
    line,
  );
}

/** Folders of compiled code beside the Python files that a patch changes. */
function cachesOf(patch: string): string[] {
  const changed = splitPatch(patch).flatMap(({ to }) => (to?.endsWith('.py') ? [to] : []));
  return [...new Set(changed.map((path) => `${path.slice(0, path.lastIndexOf('/') + 1)}__pycache__`))];
}

/** Names of images may not hold `__`, so the data set's builders write `_1776_` for it. */
export function sweBenchImage(id: string, registry = 'swebench/'): string {
  return `${registry}sweb.eval.x86_64.${id.replaceAll('__', '_1776_').toLowerCase()}:latest`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
