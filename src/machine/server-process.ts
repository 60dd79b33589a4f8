import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, lstatSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PointsmanError } from '../contract/errors';
import { room } from '../home';
import { readText } from './command';
import { temporalBinary } from './temporal';

export interface DevServerOptions {
  /** gRPC port, 7233 unless told. */
  readonly port?: number;
  /** Web UI port, the gRPC port + 1000 unless told. */
  readonly uiPort?: number;
  /** SQLite file; the histories survive a restart. `run/temporal-PORT.db` in the home unless told. */
  readonly dbFile?: string;
  /** Where the server's own log goes. `run/temporal-PORT.log` unless told. */
  readonly log?: string;
  /** Timers and retries below a second, for tests: by default the server rounds them up to one. */
  readonly fastTimers?: boolean;
}

/** Measured settings: each one's reason is in docs/self-hosting.md. */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=1000',
  'matching.enableFairness=true',
  'frontend.namespaceCount=20000',
  'frontend.WorkflowPauseEnabled=true',
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
  // Its HTTP API takes requests of any web page and any account of this machine; nothing of ours uses it.
  'frontend.httpAllowedHosts=[]',
];

/** Where a web UI listens. */
export interface UiPlace {
  readonly host: string;
  readonly port: number;
}

/** The arguments of `temporal`, also for tests that start a server of their own. */
export function serverArguments(port: number, ui: UiPlace, options: DevServerOptions = {}): string[] {
  const dbFile = options.dbFile ?? join(room('run'), `temporal-${port}.db`);
  const config = options.fastTimers ? [...DYNAMIC_CONFIG, 'history.timerProcessorMaxTimeShift="10ms"'] : DYNAMIC_CONFIG;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...['--ui-ip', ui.host, '--ui-port', String(ui.port)],
    ...['--db-filename', dbFile, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=1'],
    ...['--ui-disable-news-fetch', '--log-level', 'warn'],
    ...config.flatMap((entry) => ['--dynamic-config-value', entry]),
  ];
}

/** A server process that was just started. */
export interface Launched {
  readonly pid: number | undefined;
  readonly log: string;
  ended(): boolean;
  end(): void;
}

/** Starts the server as a process that outlives this one. Throws `Unavailable` without the program. */
export function launch(port: number, ui: UiPlace, options: DevServerOptions): Launched {
  const binary = temporalBinary();
  if (!binary) {
    const hint = 'Run `pointsman doctor`, or `npm run demo`, which fetches it.';
    throw new PointsmanError('Unavailable', 'the Temporal CLI is not installed', hint);
  }
  const log = options.log ?? join(room('run'), `temporal-${port}.log`);
  const output = openSync(log, 'a');
  const args = serverArguments(port, ui, options);
  const child = spawn(binary, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  child.unref();
  let ended = false;
  const end = () => {
    ended = true;
  };
  child.on('error', end).on('exit', end);
  return { pid: child.pid, log, ended: () => ended, end: () => void child.kill('SIGKILL') };
}

/** The right to start what the lock is of, given back by the function; undefined while another process has it. */
export function claim(file: string): (() => void) | undefined {
  if (!claimed(file)) rmSync(file, { force: true });
  // Linked into place, so that nobody reads it while it is empty.
  const mine = `${file}.${randomUUID()}`;
  writeFileSync(mine, `${process.pid}\n`);
  try {
    linkSync(mine, file);
    return () => rmSync(file, { force: true });
  } catch {
    return undefined;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Whether a process that lives is starting what the lock is of. */
export function claimed(file: string): boolean {
  const holder = Number(readText(file));
  return holder > 0 && alive(holder);
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Held while a process of this home looks for its server, or starts it. */
export function homeLock(): string {
  return join(room('run'), 'server.starting');
}

/**
 * Held while a process starts the server of a port, until it is known whose that is: by all homes of this account, since a
 * port is the machine's.
 */
export function portLock(port: number): string {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `pointsman-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Another account may have made it first; then the homes of this one are told apart without it, only later.
  const { uid: owner, mode } = lstatSync(folder);
  const ours = process.getuid === undefined || (owner === uid && (mode & 0o022) === 0);
  return join(ours ? folder : room('run'), `temporal-${port}.starting`);
}
