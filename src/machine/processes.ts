import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../contract';
import { REPOSITORY, room } from '../home';

export interface Daemon {
  readonly name: string;
  /** Source file, from the repository's root. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts one of our own programs detached from this terminal, with its log in the home; gives its pid. */
export function startDaemon({ name, script, args = [], env }: Daemon): number {
  const log = openSync(logOf(name), 'a');
  const child = spawn(process.execPath, ['--import', 'tsx', join(REPOSITORY, script), ...args], {
    cwd: REPOSITORY,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  child.unref();
  if (child.pid === undefined) throw new PointsmanError('Unavailable', `cannot start ${name}`, `See ${logOf(name)}.`);
  writeFileSync(pidFile(name), String(child.pid));
  return child.pid;
}

/** The living process of that name, if this home started one. */
export function daemonPid(name: string): number | undefined {
  if (!existsSync(pidFile(name))) return undefined;
  const pid = Number(readFileSync(pidFile(name), 'utf8'));
  return isAlive(pid) ? pid : undefined;
}

/** SIGTERM, then SIGKILL after `graceMs`. Answers whether there was one. */
export async function stopDaemon(name: string, graceMs = 20_000): Promise<boolean> {
  const pid = daemonPid(name);
  rmSync(pidFile(name), { force: true });
  if (pid === undefined) return false;
  process.kill(pid, 'SIGTERM');
  for (const until = Date.now() + graceMs; isAlive(pid); await sleep(50)) {
    if (Date.now() > until) {
      process.kill(pid, 'SIGKILL');
      break;
    }
  }
  return true;
}

export function logOf(name: string): string {
  return join(room('run'), `${name}.log`);
}

function pidFile(name: string): string {
  return join(room('run'), `${name}.pid`);
}

/** A zombie has ended; only its parent has not looked yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}
