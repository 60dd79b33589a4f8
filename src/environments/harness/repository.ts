import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { PointsmanError } from '../../contract';
import type { Sandbox } from '../../sandbox/sandbox';

export interface PythonFile {
  /** Relative to the work directory. */
  readonly path: string;
  readonly text: string;
}

/** Folders that hold other people's code, or what builds left behind. */
const NOT_OURS = [
  '.git',
  '.hg',
  '.tox',
  '.nox',
  'node_modules',
  '__pycache__',
  'site-packages',
  '.eggs',
  'build',
  'dist',
];
const MAX_BYTES = 512 << 20;

/**
 * The Python files of a work directory, sorted by path, as the image has them. Virtual environments (folders with a
 * `pyvenv.cfg`), builds and symbolic links are left out; bytes that are no UTF-8 are replaced, as nothing but comments
 * and strings of old files holds any.
 */
export async function readRepository(sandbox: Sandbox, workdir: string): Promise<PythonFile[]> {
  const done = await sandbox.exec({
    command: readFileSync(join(__dirname, 'steps', 'python-files.sh'), 'utf8'),
    args: NOT_OURS,
    cwd: workdir,
    timeoutMs: 120_000,
    keepBytes: MAX_BYTES,
  });
  if (done.exitCode !== 0) {
    const why = done.stderr.toString('utf8').trim().slice(-400) || `exit code ${done.exitCode}`;
    throw new PointsmanError('SandboxFailed', `the Python files of ${workdir} cannot be read: ${why}`);
  }
  return untarred(done.stdout);
}

async function untarred(archive: Buffer): Promise<PythonFile[]> {
  const files: PythonFile[] = [];
  const untar = extract();
  untar.end(archive);
  for await (const entry of untar) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    files.push({ path: entry.header.name.replace(/^\.\//, ''), text: Buffer.concat(chunks).toString('utf8') });
  }
  return files;
}
