import { z } from 'zod';
import { Subject } from '../../contract/harness';
import { splitPatch } from '../patch';
import { fileOfTestId, isTestPath } from '../test-files';
import {
  asProblem,
  Commands,
  Ids,
  invalidRow,
  parseRow,
  type ReadOptions,
  type ReadRow,
  type RowReader,
  shellPaths,
  Text,
  unwrapJson,
} from './row';

/** What SWE-rebench says of how an environment was installed; the image has done it. */
const InstallConfig = z.object({ test_cmd: Commands, env_vars: z.record(z.string(), z.string().nullish()).nullish() });

const Row = z.object({
  instance_id: z.string().min(1),
  repo: z.string(),
  base_commit: Text,
  patch: Text,
  test_patch: z.string().default(''),
  problem_statement: z.string().min(1),
  version: z.union([z.string(), z.number()]).optional(),
  FAIL_TO_PASS: Ids,
  PASS_TO_PASS: Ids,
  image_name: Text,
  docker_image: Text,
  license: Text,
  license_name: Text,
  // SWE-bench Live
  test_cmds: Commands,
  rebuild_cmds: Commands,
  print_cmds: Commands,
  // SWE-rebench
  install_config: z.preprocess(unwrapJson, InstallConfig).optional(),
  // Not part of the data sets: rows of ours, and others that bring their own.
  test_cmd: Commands,
  test_timeout: z.number().positive().optional(),
  workdir: z.string().startsWith('/').optional(),
  /** Takes the solution out of the image's files. */
  stub_patch: z.string().default(''),
  /** The function that is taken out, as JSON: its copies elsewhere go too. */
  purge: z.preprocess(unwrapJson, Subject).optional(),
  licence: Text,
});
type Row = z.infer<typeof Row>;

/** How the data sets in the shape of SWE-bench differ from it. */
interface Variant {
  is(fields: Readonly<Record<string, unknown>>): boolean;
  /** Where the row names no image, or only its last part. */
  image(row: Row, registry: string | undefined): string;
  readonly workdir: (row: Row) => string;
  /** The row's own commands, `files` for those that are given the files of tests; undefined where it has none. */
  command(row: Row, files: string): string | undefined;
  /** Before a command of pytest that we make ourselves. */
  readonly activate: string;
}

/** The images' Python lives in a conda environment of this name. */
const ACTIVATE = 'source /opt/miniconda3/bin/activate testbed && ';

const has = (fields: Readonly<Record<string, unknown>>, name: string) =>
  fields[name] !== undefined && fields[name] !== null && fields[name] !== '';

const ownCommand = (row: Row) => (row.test_cmd.length > 0 ? row.test_cmd.join(' ; ') : undefined);

const SWE_BENCH: Variant = {
  is: (fields) => has(fields, 'test_patch') && has(fields, 'instance_id') && 'FAIL_TO_PASS' in fields,
  image: ({ instance_id }, registry) => sweBenchImage(instance_id, registry),
  workdir: () => '/testbed',
  command: ownCommand,
  activate: ACTIVATE,
};

/** Its commands are run as they are given, one after the other whatever the first come to, as its harness does. */
const SWE_BENCH_LIVE: Variant = {
  ...SWE_BENCH,
  is: (fields) => SWE_BENCH.is(fields) && ('test_cmds' in fields || 'rebuild_cmds' in fields || 'log_parser' in fields),
  image: ({ instance_id }, registry = 'starryzhang/') => sweBenchImage(instance_id, registry),
  command(row) {
    const commands = [...row.rebuild_cmds, ...row.test_cmds, ...row.print_cmds];
    return row.test_cmds.length > 0 ? commands.join(' ; ') : ownCommand(row);
  },
  // Its images have the interpreter on the path.
  activate: '',
};

/** `install_config.test_cmd` is given the files of tests; in the second version it has them itself, and no conda. */
const SWE_REBENCH: Variant = {
  ...SWE_BENCH,
  is: (fields) => SWE_BENCH.is(fields) && has(fields, 'install_config'),
  image: ({ instance_id }, registry = 'swerebench/') => sweBenchImage(instance_id, registry),
  workdir: (row) => (isSecond(row) ? `/${row.repo.split('/').at(-1) || 'testbed'}` : '/testbed'),
  command(row, files) {
    const own = ownCommand(row);
    const installed = row.install_config?.test_cmd ?? [];
    if (own !== undefined || installed.length === 0) return own;
    if (isSecond(row)) return installed.join(' ; ');
    const variables = Object.entries(row.install_config?.env_vars ?? {});
    const exports = variables.flatMap(([name, value]) =>
      typeof value === 'string' && /^\w+$/.test(name) ? [`export ${name}='${value.replaceAll("'", `'\\''`)}' && `] : [],
    );
    const commands = installed.map((command) => (/\bpy\.?test\b/.test(command) ? `${command} ${files}` : command));
    return `${ACTIVATE}${exports.join('')}${commands.join(' ; ')}`;
  },
};

function isSecond({ image_name, docker_image }: Row): boolean {
  return /(^|\/)swerebenchv2\//.test(`${image_name ?? ''} ${docker_image ?? ''}`);
}

/** SWE-Gym writes `_s_` where SWE-bench writes `_1776_`, and names neither an environment nor an image. */
const SWE_GYM: Variant = {
  ...SWE_BENCH,
  is: (fields) =>
    SWE_BENCH.is(fields) &&
    !has(fields, 'environment_setup_commit') &&
    !has(fields, 'image_name') &&
    !has(fields, 'docker_image') &&
    GYM_REPOSITORIES.has(String(fields.repo).toLowerCase()),
  image: ({ instance_id }, registry = 'xingyaoww/') =>
    `${registry}sweb.eval.x86_64.${instance_id.replaceAll('__', '_s_').toLowerCase()}:latest`,
};

const GYM_REPOSITORIES = new Set(
  'bokeh/bokeh conan-io/conan dask/dask facebookresearch/hydra getmoto/moto iterative/dvc modin-project/modin pandas-dev/pandas project-monai/monai pydantic/pydantic python/mypy'.split(
    ' ',
  ),
);

/** SWE-bench and data sets in its shape; see `docs/guide-problems.md` for what is read of each. */
export const sweBench = readerOf('swebench', SWE_BENCH);
export const sweBenchLive = readerOf('swebench-live', SWE_BENCH_LIVE);
export const sweRebench = readerOf('swerebench', SWE_REBENCH);
export const sweGym = readerOf('swegym', SWE_GYM);

function readerOf(format: string, variant: Variant): RowReader {
  return { is: variant.is, read: (value, line, options) => readAs(format, variant, value, line, options) };
}

/**
 * The hidden tests come as a patch: it is applied when the image is prepared for grading, so it travels as the problem's
 * `tests.patch`. Rows without a command are run with pytest, or as SWE-bench runs their repository; other ids are refused.
 */
function readAs(format: string, variant: Variant, value: unknown, line: number, options: ReadOptions): ReadRow {
  const row = parseRow(Row, value, line);
  const ids = [...row.FAIL_TO_PASS, ...row.PASS_TO_PASS];
  if (row.FAIL_TO_PASS.length === 0) throw invalidRow(line, 'FAIL_TO_PASS: names no test');
  const touched = splitPatch(row.test_patch).flatMap(({ to }) => (to?.endsWith('.py') ? [to] : []));
  const named = ids.filter((id) => PYTEST_ID.test(id)).map(fileOfTestId);
  const files = [...touched.filter(isTestPath), ...named].filter((path) => path.endsWith('.py'));
  const command =
    variant.command(row, shellPaths(files, line)) ?? commandByIds(row, ids, files, variant.activate, line);
  const problem = asProblem(
    {
      id: row.instance_id,
      image: imageOf(row, variant, options.registry),
      workdir: row.workdir ?? variant.workdir(row),
      statement: row.problem_statement,
      tests: {
        command,
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
      provenance: { format, repo: row.repo, baseCommit: row.base_commit, version: row.version },
      licence: row.licence ?? row.license ?? row.license_name,
    },
    line,
  );
  return { problem, notes: notesOf(ids) };
}

const PYTEST_ID = /^[^:\n]+\.\w+::/;

function imageOf(row: Row, variant: Variant, registry: string | undefined): string {
  return row.image_name ?? row.docker_image ?? variant.image(row, registry);
}

/** How SWE-bench runs repositories that do not use pytest, as far as their reports can be read. */
const RUNNERS: Readonly<Record<string, (modules: string) => string>> = {
  'django/django': (modules) =>
    `./tests/runtests.py --verbosity 2 --settings=test_sqlite --parallel 1${modules === '' ? '' : ` ${modules}`}`,
};

function commandByIds(
  row: Row,
  ids: readonly string[],
  files: readonly string[],
  activate: string,
  line: number,
): string {
  const strange = ids.find((id) => !PYTEST_ID.test(id));
  if (strange === undefined) return `${activate}python -m pytest -rA ${shellPaths(files, line)}`;
  const runner = RUNNERS[row.repo.toLowerCase()];
  if (runner) {
    const modules = files.map((path) =>
      path
        .replace(/^tests\//, '')
        .replace(/\.py$/, '')
        .replaceAll('/', '.'),
    );
    return `${activate}${runner([...new Set(modules)].filter((name) => /^[\w.]+$/.test(name)).join(' '))}`;
  }
  const kind = /^[\w. ]+ \([\w.]+\)$/.test(strange) ? ' (it looks like one of unittest or Django)' : '';
  throw invalidRow(
    line,
    `FAIL_TO_PASS, PASS_TO_PASS: ${JSON.stringify(strange.slice(0, 80))} is no pytest id${kind}, and the row has no test_cmd`,
  );
}

/** The parser that made the lists ends an id at its first blank. */
export function notesOf(ids: readonly string[]): string[] {
  const cut = ids.filter((id) => id.includes('::') && id.includes('[') && !id.endsWith(']'));
  if (cut.length === 0) return [];
  return [
    `${cut.length === 1 ? 'an id is' : `${cut.length} ids are`} cut at a blank (${cut[0]!.slice(0, 80)}): each stands for all tests that it begins, which must all pass`,
  ];
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
