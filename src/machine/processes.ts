import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../contract';
import { REPOSITORY, room } from '../home';
import { readText } from './command';

export interface Daemon {
  readonly name: string;
  /** Of which of our sources it is made, from `src`, without its ending. */
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts one of our own programs detached from this terminal, with its log in the home; gives its pid. */
export function startDaemon({ name, program, args = [], env }: Daemon): number {
  const log = openSync(logOf(name), 'a');
  const child = spawn(process.execPath, [compiled(program), ...args], {
    cwd: REPOSITORY,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new PointsmanError('Unavailable', `cannot start ${name}`, `See ${logOf(name)}.`);
  rememberProcess(name, child.pid);
  return child.pid;
}

/** What `bin/build.cjs` made of it. Tests, which run the sources as they are, start such processes as well. */
function compiled(program: string): string {
  return join(REPOSITORY, 'dist', `${program}.js`);
}

/** Notes that this home started the process, and when that began: pids are given out again. */
export function rememberProcess(name: string, pid: number): void {
  writeFileSync(pidFile(name), `${pid} ${beganAt(pid) ?? 'gone'}\n`);
}

/** The living process of that name, if this home started one. */
export function daemonPid(name: string): number | undefined {
  const [pid, began] = (readText(pidFile(name)) ?? '').trim().split(/ (.*)/);
  return began && beganAt(Number(pid)) === began ? Number(pid) : undefined;
}

/** SIGTERM, then SIGKILL after `graceMs`. Answers whether there was one. */
export async function stopDaemon(name: string, graceMs = 20_000): Promise<boolean> {
  const pid = daemonPid(name);
  if (pid === undefined) {
    rmSync(pidFile(name), { force: true });
    return false;
  }
  process.kill(pid, 'SIGTERM');
  for (const until = Date.now() + graceMs; daemonPid(name) === pid; await sleep(20)) {
    if (Date.now() > until) {
      process.kill(pid, 'SIGKILL');
      break;
    }
  }
  rmSync(pidFile(name), { force: true });
  return true;
}

export function logOf(name: string): string {
  return join(room('run'), `${name}.log`);
}

function pidFile(name: string): string {
  return join(room('run'), `${name}.pid`);
}

/**
 * When a process began, in the kernel's words; undefined for one that has ended. A zombie has; only its parent has not
 * looked yet.
 */
function beganAt(pid: number): string | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' });
    return stdout.trim() || undefined;
  }
  // The name in parentheses may hold anything; behind it come state, …, and as the twentieth the ticks of its start.
  const fields = readText(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}
