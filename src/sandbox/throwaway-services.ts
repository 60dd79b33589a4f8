import type Docker from 'dockerode';
import type { ServiceSpec } from '../contract/setup';
import { runInGuest } from './guest-exec';

/** Seconds that one service may take until it is ready; a database that has to recover from its log takes a few. */
const READY_SECONDS = 60;

/**
 * `$1` starts it, `$2` says whether it is ready, `$3` is how long that may take. What it prints is shown only if it fails.
 */
const START = `
log=/run/pointsman-service.log
setsid bash -c "$1" > "$log" 2>&1 < /dev/null &
pid=$! began=$SECONDS gone=
failed() { printf '%s\\n' "$1"; tail -c 1500 "$log"; exit 1; }
for (( ;; )); do
  if [[ -z $gone ]] && ! kill -0 "$pid" 2> /dev/null; then
    wait "$pid" || failed "its start command ended with $?"
    gone=1
  fi
  if bash -c "$2" > /dev/null 2>&1; then exit 0; fi
  (( SECONDS - began < $3 )) || failed "it was not ready after $3 s"
  sleep 0.1
done
`;

/**
 * Removes pid files that name nobody, or a stranger by now: those of a frame's own time, and of what has died. One that was
 * written in this container by what still runs is left, for its daemon may end without it.
 */
const FORGET_PIDS = `
while read -r word value _; do [[ $word == btime ]] && booted=$value; done < /proc/stat
read -r stat < /proc/1/stat
read -r -a since <<< "\${stat##*) }"
begun=$(( booted + since[19] / $(getconf CLK_TCK 2> /dev/null || echo 100) ))
find /run /var/lib -name '*.pid' | while IFS= read -r file; do
  pid=
  read -r pid < "$file"
  [[ $pid =~ ^[0-9]+$ && -d /proc/$pid ]] && (( $(stat -c %Y "$file") >= begun )) || rm -f "$file"
done
`;

/** Names a port of this container. */
const listens = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port}`;

/**
 * Starts the services that run inside of this very container, one after the other, in their declared order. Gives the
 * first one that did not become ready, with what it printed.
 */
export async function startServices(
  container: Docker.Container,
  services: readonly ServiceSpec[],
  shell: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly prelude: string },
  signal?: AbortSignal,
): Promise<{ name: string; why: string } | null> {
  const own = services.filter(({ kind, start }) => kind === 'process' && start !== undefined);
  if (own.length === 0) return null;
  await runInGuest(container, { command: FORGET_PIDS, timeoutMs: 30_000 });
  for (const service of own) {
    const { name, start = 'true', health, port } = service;
    const ready = health ?? (port === undefined ? 'sleep 0.5' : listens(port));
    const done = await runInGuest(container, {
      command: `exec 2>&1\n${shell.prelude}${START}`,
      args: [start, ready, String(READY_SECONDS)],
      cwd: shell.cwd,
      env: { ...shell.env, ...service.env },
      timeoutMs: (READY_SECONDS + 30) * 1000,
      ...(signal ? { signal } : {}),
    });
    if (done.exitCode !== 0) return { name, why: done.stdout.toString('utf8').trim() || 'it gave no reason' };
  }
  return null;
}
