import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { FunctionTarget, Subject } from '../../../../src/contract';

export const GUEST = resolve(__dirname, '../../../../src/environments/harness/guest');
const run = promisify(execFile);

export interface Interpreter {
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly command: string;
}

/** Pythons of this machine from 3.8 on, one of each minor version: by name, or those that pyenv keeps. */
export async function interpreters(): Promise<Interpreter[]> {
  const kept = await run('pyenv', ['versions', '--bare']).then(
    ({ stdout }) => stdout.split('\n'),
    () => [],
  );
  const found: Interpreter[] = [];
  for (const minor of [8, 9, 10, 11, 12, 13]) {
    const pyenv = kept.find((version) => version.startsWith(`3.${minor}.`));
    const command = pyenv ? 'python3' : `python3.${minor}`;
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...(pyenv && { PYENV_VERSION: pyenv }) };
    const version = await run(command, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], { env }).then(
      ({ stdout }) => stdout.trim(),
      () => '',
    );
    if (version === `3.${minor}`) found.push({ version, env, command });
  }
  return found;
}

/** A folder of our own, and what it takes to be rid of it. */
export function workshop(name: string) {
  const folder = mkdtempSync(join(tmpdir(), `pointsman-${name}-`));
  return {
    folder,
    write(path: string, text: string) {
      mkdirSync(resolve(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one of the guest's scripts as the host does: a request on a file, lines on a descriptor. */
export async function ask<Line>(
  script: 'run' | 'record' | 'generate',
  request: object,
  options: { python?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Line[]> {
  const shop = workshop('request');
  try {
    shop.write('request.json', JSON.stringify(request));
    const child = spawn(
      options.python ?? 'python3',
      [join(GUEST, `${script}.py`), join(shop.folder, 'request.json'), '3'],
      {
        env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0', ...options.env },
        stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      },
    );
    const [lines, trouble, code] = await Promise.all([
      text(child.stdio[3] as NodeJS.ReadableStream),
      text(child.stderr!),
      new Promise<number | null>((done) => child.on('close', done)),
    ]);
    if (code !== 0) throw new Error(`${script}.py ended with ${code}: ${trouble}`);
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } finally {
    shop.close();
  }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

export function subjectOf(
  workdir: string,
  module: string,
  name: string,
  kind: FunctionTarget['kind'] = 'function',
  root = '.',
): Subject {
  const file = `${module.replaceAll('.', '/')}.py`;
  const target: FunctionTarget = { module, name, kind, file, lines: [1, 1] };
  return { target, workdir, importRoots: [root], python: 'python3' };
}

/**
 * A virtual environment with pytest and the packages named, and beside it a folder with coverage.py and hypothesis. Null, with a
 * line that says so, where the package index cannot be reached.
 */
export async function environment(
  folder: string,
  ...packages: string[]
): Promise<{ python: string; tools: string } | null> {
  const python = join(folder, 'venv/bin/python');
  const tools = join(folder, 'tools');
  try {
    await run('python3', ['-m', 'venv', join(folder, 'venv')], { timeout: 60_000 });
    await run(python, ['-m', 'pip', 'install', '-q', 'pytest', ...packages], { timeout: 120_000 });
    await run(python, ['-m', 'pip', 'install', '-q', '--target', tools, 'coverage', 'hypothesis'], {
      timeout: 120_000,
    });
    return { python, tools };
  } catch (error) {
    console.log(`skipped, no package index: ${String(error).slice(0, 200)}`);
    return null;
  }
}

/** Unpacks the source of a package; its directory. */
export async function source(folder: string, name: string, version: string): Promise<string> {
  const pip = ['-m', 'pip', 'download', '-q', '--no-deps', '--no-binary', name, '-d', folder, `${name}==${version}`];
  // pip wants to build what it downloads to learn its name; the archive is there even where that fails.
  await run('python3', pip, { timeout: 120_000 }).catch(() => undefined);
  await run('tar', ['xzf', join(folder, `${name}-${version}.tar.gz`), '-C', folder]);
  return join(folder, `${name}-${version}`);
}
