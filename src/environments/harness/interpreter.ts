import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { z } from 'zod';
import { PointsmanError } from '../../contract';
import type { Sandbox } from '../../sandbox/sandbox';

/** Where set-ups put an environment's own interpreter, before the ones that the path names. */
const VENVS = ['.venv', 'venv', 'env', '.env'];
/** Probes say which interpreter and which roots are right; more of them only cost time. */
const MAX_PROBES = 12;
const SECONDS_PER_MODULE = 30;
/** Not in /tmp, which is memory in some containers: the engine's way of putting files does not reach it. */
const SCRIPT = '/var/tmp/pointsman-locate.py';

const Located = z.object({
  python: z.string(),
  version: z.tuple([z.int(), z.int(), z.int()]),
  implementation: z.string(),
  modules: z.record(z.string(), z.union([z.object({ file: z.string().nullable() }), z.object({ error: z.string() })])),
});

export interface InterpreterQuestion {
  readonly workdir: string;
  /** The one that is wanted; without it the likely ones are tried. */
  readonly python?: string | undefined;
  /** Directories of packages, relative to `workdir`, as the sources suggest them. */
  readonly importRoots: readonly string[];
  /** Modules of the repository that have to be importable; the first dozen are tried. */
  readonly modules: readonly string[];
}

export interface Interpreter {
  readonly python: string;
  readonly version: readonly [number, number, number];
  /** The roots that were asked about, or none where only the installed package can be imported. */
  readonly importRoots: string[];
  /** File by module, as it was imported. */
  readonly files: Readonly<Record<string, string>>;
  /** Why a module cannot be imported. */
  readonly failures: Readonly<Record<string, string>>;
}

/**
 * Finds the interpreter that imports most of the repository's modules, with its import roots put first and, where that
 * fails (an extension that is built only where the package is installed), without them. Throws `InvalidInput` when there
 * is no Python 3.8 or later. Modules that cannot be imported are no error here: the functions in them are none of use.
 */
export async function findInterpreter(sandbox: Sandbox, question: InterpreterQuestion): Promise<Interpreter> {
  const modules = question.modules.slice(0, MAX_PROBES);
  const found: Interpreter[] = [];
  for (const python of await interpreters(sandbox, question)) {
    for (const importRoots of [[...question.importRoots], []]) {
      const answer = await locateModules(sandbox, python, question.workdir, importRoots, modules);
      if (!answer) continue;
      if (Object.keys(answer.failures).length === 0) return answer;
      found.push(answer);
    }
  }
  const best = found.sort((a, b) => Object.keys(b.files).length - Object.keys(a.files).length)[0];
  if (best) return best;
  throw new PointsmanError(
    'InvalidInput',
    `no Python 3.8 or later in the image${question.python ? ` at ${question.python}` : ''}`,
    'Name the interpreter of the environment in `environment.python`.',
  );
}

async function interpreters(sandbox: Sandbox, { workdir, python }: InterpreterQuestion): Promise<string[]> {
  const likely = python ? [python] : [...VENVS.map((venv) => `${workdir}/${venv}/bin/python`), 'python3', 'python'];
  const command =
    'for p in ${VIRTUAL_ENV:+"$VIRTUAL_ENV/bin/python"} "$@"; do command -v -- "$p" || true; done | awk \'!seen[$0]++\'';
  const done = await sandbox.exec({ command, args: likely, cwd: workdir, timeoutMs: 60_000 });
  return done.stdout.toString('utf8').split('\n').filter(Boolean);
}

/**
 * What one interpreter imports, with the import roots put first on its path. Undefined where it is no Python 3.8 or later.
 */
export async function locateModules(
  sandbox: Sandbox,
  python: string,
  workdir: string,
  importRoots: readonly string[],
  modules: readonly string[],
): Promise<Interpreter | undefined> {
  await sandbox.write([{ path: SCRIPT, bytes: readFileSync(join(__dirname, 'steps', 'locate.py')) }]);
  const roots = importRoots.map((root) => posix.join(workdir, root));
  const done = await sandbox.exec({
    command: '"$1" -B "$2" "$3"; code=$?; rm -f -- "$2"; exit $code',
    args: [python, SCRIPT, JSON.stringify({ roots, modules, seconds: SECONDS_PER_MODULE })],
    cwd: workdir,
    timeoutMs: (modules.length * SECONDS_PER_MODULE + 60) * 1000,
  });
  const answer = done.exitCode === 0 ? Located.safeParse(JSON.parse(done.stdout.toString('utf8'))) : undefined;
  if (!answer?.success || answer.data.version[0] !== 3 || answer.data.version[1] < 8) return undefined;
  const files: Record<string, string> = {};
  const failures: Record<string, string> = {};
  for (const [module, each] of Object.entries(answer.data.modules)) {
    if ('error' in each) failures[module] = each.error;
    else if (each.file?.endsWith('.py')) files[module] = each.file;
    else failures[module] = `it is no Python source: ${each.file ?? 'a namespace or built-in'}`;
  }
  return { python, version: answer.data.version, importRoots: [...importRoots], files, failures };
}
