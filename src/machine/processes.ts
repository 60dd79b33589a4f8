import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../contract';
import { REPOSITORY, room } from '../home';
import { lastLines, type Report, readText } from './command';

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
  for (const until = performance.now() + graceMs; daemonPid(name) === pid; await sleep(20)) {
    if (performance.now() > until) {
      process.kill(pid, 'SIGKILL');
      break;
    }
  }
  rmSync(pidFile(name), { force: true });
  return true;
}

/** A process that was just started, and how one knows that it is up. */
export interface Starting {
  /** For messages: `the worker`. */
  readonly what: string;
  readonly pid: number;
  readonly log: string;
  /** False once it has ended. */
  alive(): boolean;
  /** A failure is a no: what is asked may be as busy as the process itself. */
  ready(): Promise<boolean>;
  /** What to do when it does not come up. */
  readonly hint: string;
}

const LOOK_MS = 100;
/** How often a long start is told of. */
const TELL_MS = 15_000;
/** A process that neither computed nor wrote a line for so long does nothing any more. */
const STILL_MS = 60_000;
/** Whatever it does, it is not starting then. */
const LONGEST_MS = 900_000;

/**
 * Waits for a process that was just started, as long as it lives and does something: on a busy machine that may be minutes.
 * Throws `Unavailable` with the end of its log.
 */
export async function comesUp(starting: Starting, report: Report): Promise<void> {
  const { what, pid, log, hint } = starting;
  const began = performance.now();
  let told = began;
  let moved = began;
  let seen = '';
  const failed = (how: string) => {
    const end = lastLines(readText(log) ?? '');
    return new PointsmanError(
      'Unavailable',
      `${what} ${how}${end ? `:\n${end}` : ''}`,
      `${hint} The whole log: ${log}`,
    );
  };
  while (!(await starting.ready().catch(() => false))) {
    const now = performance.now();
    if (!starting.alive()) throw failed('ended while it started');
    const progress = doneBy(pid, log);
    if (progress !== seen) [seen, moved] = [progress, now];
    if (now - moved > STILL_MS) throw failed(`did nothing for ${STILL_MS / 1000} s and is not up`);
    if (now - began > LONGEST_MS) throw failed(`is not up after ${LONGEST_MS / 60_000} minutes`);
    if (now - told > TELL_MS) {
      told = now;
      report(`${what} is still starting, after ${Math.round((now - began) / 1000)} s`);
    }
    await sleep(LOOK_MS);
  }
}

/** Changes with everything that the process computes or writes to its log. */
function doneBy(pid: number, log: string): string {
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (process.platform !== 'linux') {
    return `${bytes} ${spawnSync('ps', ['-o', 'time=', '-p', `${pid}`], { encoding: 'utf8' }).stdout}`;
  }
  const [user, system] = statFields(pid)?.slice(11, 13) ?? [];
  return `${bytes} ${user} ${system}`;
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
  const fields = statFields(pid);
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

/**
 * What Linux says of a process, from its state on: as the twelfth and thirteenth the ticks that it computed, for itself and
 * in the kernel, as the twentieth those of its start.
 */
function statFields(pid: number): string[] | undefined {
  // The name in parentheses may hold anything.
  return readText(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
}
