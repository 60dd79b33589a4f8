import { posix } from 'node:path';
import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import { guestProgram } from '../guest';
import { hostAccess } from '../host-access';
import { runName } from '../labels';
import type { ThrowawayCommand, ThrowawayOutcome, ThrowawaySpec } from '../sandbox';
import { confined, removeContainer } from './container';
import { frameLost, statusOf } from './engine';
import { assertAlive, runInGuest } from './guest';
import { startServices } from './services';

/** As other tools say that a command could not even be begun. It is evidence like any other code. */
const NOT_RUN = 125;

const MEMORY = guestProgram('memory.sh');

/** What tests write into beside their own tree: homes, logs, and where sockets and locks are. */
const STATE = ['/var/log', '/run', '/root', '/home'];
/** Where daemons keep data. Copied only for them: a package manager's own records there are thousands of files. */
const DAEMON_STATE = ['/var/lib'];
/** Variables that name a folder which build tools write into, wherever the set-up has put it. */
const CACHES = [
  'GOCACHE',
  'GOMODCACHE',
  'GOPATH',
  'CARGO_HOME',
  'CARGO_TARGET_DIR',
  'XDG_CACHE_HOME',
  'GRADLE_USER_HOME',
];

/** As `Sandboxes.throwaway` says. */
export async function runInThrowaway(
  docker: Docker,
  labels: Record<string, string>,
  spec: ThrowawaySpec,
  request: ThrowawayCommand,
): Promise<ThrowawayOutcome> {
  const name = runName(spec.owner, spec.role);
  await removeContainer(docker, name);
  try {
    const made = await start(docker, labels, spec);
    if ('why' in made) {
      const output = Buffer.from(`no copy of this state can be made: ${made.why}\n`);
      return { exitCode: NOT_RUN, timedOut: false, output, failedService: null, seconds: 0 };
    }
    const { container } = made;
    const { env, prelude } = environmentOf(spec.env);
    const failed = await startServices(container, spec.services ?? [], { cwd: spec.cwd, env, prelude }, request.signal);
    if (failed) {
      const output = Buffer.from(`the service ${failed.name} did not start: ${failed.why}\n`);
      return { exitCode: NOT_RUN, timedOut: false, output, failedService: failed.name, seconds: 0 };
    }
    for (const file of request.files ?? []) await write(container, file.path, file.content);
    const began = performance.now();
    const done = await runInGuest(container, {
      command: `exec 2>&1 </dev/null; set -o pipefail\n${MEMORY}trap 'say_out_of_memory 0' EXIT\n${prelude}eval "$1"`,
      args: [request.command],
      cwd: spec.cwd,
      env,
      timeoutMs: request.timeoutMs,
      keepBytes: request.keepBytes ?? 4 << 20,
      signal: request.signal,
    });
    const seconds = (performance.now() - began) / 1000;
    if (done.exitCode !== 0) await assertAlive(container, done.exitCode, 'throw-away');
    const { exitCode, stdout, stderr } = done;
    // Only the engine still writes to standard error: that it could not start the shell.
    return {
      exitCode,
      timedOut: exitCode === null,
      output: Buffer.concat([stdout, stderr]),
      failedService: null,
      seconds,
    };
  } finally {
    await removeContainer(docker, name);
  }
}

/**
 * The copy, or why there can be none. The engine's failure is an outage unless the state itself is the reason: then a copy of
 * it without the folders that the agent has named starts, and is taken; or not even one without any folder does, while one
 * of nothing but the engine's own would. What the agent set is never tried for ever.
 */
async function start(
  docker: Docker,
  labels: Record<string, string>,
  spec: ThrowawaySpec,
): Promise<{ container: Docker.Container } | { why: string }> {
  const all = copiedFolders(spec);
  const own = copiedFolders({ ...spec, env: {} });
  let first: Error | undefined;
  for (const copies of [all, own, []]) {
    try {
      const container = await create(docker, labels, spec, copies);
      await container.start();
      if (copies === all || copies === own) return { container };
      return { why: String(first?.message) };
    } catch (error) {
      if (!(error instanceof Error) || !OF_THE_STATE.test(error.message) || NO_ROOM.test(error.message)) throw error;
      first ??= error;
      await removeContainer(docker, runName(spec.owner, spec.role));
    }
  }
  if (first && NOT_STARTED.test(first.message)) return { why: first.message };
  throw first;
}

/** What engines say of a folder that cannot be mounted, or of a program or account that an image should have. */
const OF_THE_STATE =
  /mount|volume|OCI runtime|executable file|not a directory|too many links|unable to find user|symlink|path/i;
const NO_ROOM = /no space left|cannot allocate|too many open/i;
const NOT_STARTED = /executable file not found|no such file or directory|exec format error|permission denied/i;

async function create(
  docker: Docker,
  labels: Record<string, string>,
  spec: ThrowawaySpec,
  copies: readonly string[],
): Promise<Docker.Container> {
  const { profile, owner } = spec;
  const memory = profile.memoryMiB * 1024 * 1024;
  try {
    return await docker.createContainer({
      name: runName(owner, spec.role),
      Image: spec.image,
      Hostname: 'sandbox',
      // By number: an account file is the agent's to spoil.
      User: '0:0',
      Entrypoint: [],
      Cmd: ['sleep', 'infinity'],
      WorkingDir: '/',
      Labels: labels,
      // The engine fills a new anonymous volume with what the image holds at its path, and removes it with the container.
      Volumes: Object.fromEntries(copies.map((path) => [path, {}])),
      HostConfig: {
        Init: true,
        ReadonlyRootfs: true,
        Tmpfs: { '/tmp': tmpfs(memory / 2), '/var/tmp': tmpfs(memory / 8) },
        NetworkMode: spec.network ?? 'none',
        ...confined(profile),
      },
    });
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw frameLost(spec.image);
  }
}

function tmpfs(bytes: number): string {
  return `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(bytes)}`;
}

/** Of two that lie in each other the outer one is enough, unless the outer one is /tmp, which begins empty. */
export function copiedFolders(spec: Pick<ThrowawaySpec, 'workdir' | 'components' | 'env' | 'services'>): string[] {
  const daemons = spec.services?.some(({ kind }) => kind === 'process') ? DAEMON_STATE : [];
  const caches = CACHES.flatMap((name) => spec.env[name]?.split(':') ?? []);
  const asked = [spec.workdir, ...(spec.components ?? []), ...STATE, ...daemons, spec.env.HOME ?? '', ...caches]
    .filter((path) => path.startsWith('/'))
    .map((path) => posix.normalize(path).replace(/(?<=.)\/$/, ''))
    // The kernel's own cannot be copied, and what is no path of a folder never could.
    .filter((path) => !/^\/(?:proc|sys|dev)(?:\/|$)|[:\0\n]/.test(path) && path.length < 1024)
    .filter((path) => !/^\/(?:|bin|sbin|lib|usr|etc|dev|proc|sys|tmp|var|var\/tmp)$/.test(path));
  const folders = [...new Set(asked)].sort();
  return folders.filter((path) => !folders.some((outer) => path.startsWith(`${outer}/`)));
}

/**
 * Variables for the engine, and shell lines for those that a frame keeps in bash's own `$'…'` quoting. A proxy or CA
 * bundle that the host had lent leads nowhere here and would only change what programs say.
 */
export function environmentOf(frame: Readonly<Record<string, string>>): {
  env: Record<string, string>;
  prelude: string;
} {
  const lent = hostAccess().env;
  const kept = Object.entries(frame).filter(([name, value]) => lent[name] !== value && name !== 'HOSTNAME');
  const quoted = ([, value]: [string, string]) => /^\$'(?:[^'\\]|\\[\s\S])*'$/.test(value);
  return {
    env: Object.fromEntries(kept.filter((entry) => !quoted(entry))),
    prelude: kept
      .filter(quoted)
      .map(([name, value]) => `export ${name}=${value}\n`)
      .join(''),
  };
}

/** Through a process: the engine's own way of putting files does not reach memory file systems. */
async function write(container: Docker.Container, path: string, content: string): Promise<void> {
  const bytes = Buffer.from(content);
  const done = await runInGuest(container, {
    command: 'mkdir -p "$(dirname "$1")" && head -c "$2" > "$1"',
    args: [path, String(bytes.length)],
    input: bytes,
    timeoutMs: 30_000,
  });
  if (done.exitCode === 0) return;
  throw new PointsmanError(
    'SandboxFailed',
    `the file ${path} could not be written: ${done.stderr.toString('utf8').trim().slice(0, 300)}`,
    'Is it larger than half of the sandbox memory?',
  );
}
