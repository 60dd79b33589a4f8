import { spawn } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { PointsmanError } from '../contract/errors';
import { guestProgram } from '../sandbox/guest';
import { Kept } from '../sandbox/kept';
import type { GuestCommand, GuestFile, GuestResult, ReadLimit } from '../sandbox/sandbox';

/** No process of these gets the powers of root back, whatever it starts: files of others, other accounts, others' memory. */
const POWERLESS = ['--bounding-set', '-all', '--inh-caps', '-all', '--no-new-privs'];
/** How long what a command left behind may hold its output open. */
const LINGER_MS = 500;

/** Runs a command here, without the powers of root. As `Sandbox.exec` says. */
export async function execHere(request: GuestCommand): Promise<GuestResult> {
  const { command, args = [], cwd = '.', env = {}, input, timeoutMs, keepBytes, signal } = request;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const begin = ['bash', '-p', '-c', guestProgram('begin.sh'), 'bash', cwd, `${variables.length}`, ...variables];
  const child = spawn('setpriv', [...POWERLESS, ...begin, command, ...args], { detached: true, stdio: 'pipe' });
  const [out, err] = [new Kept(keepBytes), new Kept(keepBytes)];
  child.stdout.pipe(out.sink);
  child.stderr.pipe(err.sink);
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.write(input);
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', (cause) =>
      reject(new PointsmanError('SandboxFailed', `setpriv: ${cause.message}`, 'The image lacks util-linux and bash.')),
    );
    child.on('exit', (code, by) => resolve(code ?? (by === 'SIGKILL' ? 137 : 143)));
  });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const exitCode = await Promise.race([ended, over(timeoutMs, signal)]);
  signal?.throwIfAborted();
  if (exitCode !== null) await Promise.race([closed, pause(LINGER_MS)]);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  return { stdout: out.bytes(), stderr: err.bytes(), exitCode };
}

function over(timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<null> {
  return new Promise((resolve) => {
    if (timeoutMs !== undefined) setTimeout(() => resolve(null), timeoutMs).unref();
    signal?.addEventListener('abort', () => resolve(null), { once: true });
  });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** As `Sandbox.write` says. A link in a file's place goes; one on the way may lead anywhere but into `hidden`. */
export function writeHere(files: readonly GuestFile[], hidden: readonly string[]): void {
  for (const { path, bytes, executable = false } of files) {
    mkdirSync(dirname(path), { recursive: true });
    const place = realpathSync(dirname(path));
    if (hidden.some((folder) => `${place}/`.startsWith(`${folder}/`)))
      throw new PointsmanError(
        'InvalidInput',
        `${path} leads to ${place}`,
        'A link of the work directory is in the way.',
      );
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path, { recursive: true, force: true });
    writeFileSync(path, bytes);
    chmodSync(path, executable ? 0o755 : 0o644);
  }
}

/** As `Sandbox.read` says. */
export function readHere(path: string, { bytes = 64 << 20, entries = 20_000 }: ReadLimit = {}): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let [read, seen] = [0, 0];
  const look = (at: string) => {
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (!stats) return;
    seen += 1;
    if (stats.isFile()) read += stats.size;
    if (read > bytes || seen > entries) {
      const what = read > bytes ? `${bytes} bytes` : `${entries} entries`;
      throw new PointsmanError('TooLarge', `${path} holds more than ${what}`, 'Nothing of it was read.');
    }
    if (stats.isFile()) files.set(at, readFileSync(at));
    else if (stats.isDirectory()) for (const name of readdirSync(at)) look(join(at, name));
  };
  look(path);
  return files;
}
