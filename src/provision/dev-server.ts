import { spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SwitchyardError } from '../contract/errors';
import { lastLines, readText } from './command';
import { room } from './home';
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
  /** Address of a codec server that shows full bodies in the UI. */
  readonly uiCodecEndpoint?: string;
  /** Timers and retries below a second, for tests: by default the server rounds them up to one. */
  readonly fastTimers?: boolean;
}

export interface DevServer {
  readonly address: string;
  readonly ui: string;
  /** Undefined when somebody else started it. */
  readonly pid: number | undefined;
  /** False when a server answered there already. */
  readonly started: boolean;
}

const NAMESPACE = 'default';
/** The development server forgets after a day; a person comes back to a trajectory later than that. */
const RETENTION_SECONDS = 30 * 24 * 3600;

const START_MS = 30_000;

/** Measured settings: each one's reason is in docs/self-hosting.md. */
const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=1000',
  'matching.enableFairness=true',
  'frontend.WorkflowPauseEnabled=true',
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
];

/**
 * Starts a development server that outlives this process, and returns when it answers. Takes one that answers on that
 * port already as it is, so calling again is safe; two that start at once end with one server.
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const port = options.port ?? 7233;
  const uiPort = options.uiPort ?? port + 1000;
  const server = { address: `127.0.0.1:${port}`, ui: `http://127.0.0.1:${uiPort}` };
  if (await answers(server.address)) return { ...server, pid: livingPid(port), started: false };

  const release = claim(port);
  try {
    const child = release ? launch(port, uiPort, options) : undefined;
    const deadline = Date.now() + START_MS;
    while (!(await answers(server.address))) {
      if (Date.now() > deadline || child?.ended()) throw notStarted(port, uiPort, child);
      await sleep(50);
    }
    if (!child) return { ...server, pid: livingPid(port), started: false };
    await keepHistories(server.address);
    writeFileSync(pidFile(port), `${child.pid}\n`);
    return { ...server, pid: child.pid, started: true };
  } finally {
    release?.();
  }
}

/** Stops the server that `startDevServer` started on that port. False when there is none; one of others is left alone. */
export async function stopDevServer(port = 7233): Promise<boolean> {
  const pid = livingPid(port);
  if (pid === undefined) return false;
  process.kill(pid, 'SIGTERM');
  for (let waited = 0; livingPid(port) !== undefined; waited += 20) {
    if (waited > 10_000) process.kill(pid, 'SIGKILL');
    await sleep(20);
  }
  rmSync(pidFile(port), { force: true });
  return true;
}

interface Launched {
  readonly pid: number | undefined;
  readonly log: string;
  ended(): boolean;
}

function launch(port: number, uiPort: number, options: DevServerOptions): Launched {
  const binary = temporalBinary();
  if (!binary) {
    const hint = 'Run `switchyard doctor`, or `npm run demo`, which fetches it.';
    throw new SwitchyardError('Unavailable', 'the Temporal CLI is not installed', hint);
  }
  const log = options.log ?? join(room('run'), `temporal-${port}.log`);
  const output = openSync(log, 'a');
  const args = serverArguments(port, uiPort, options);
  const child = spawn(binary, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  child.unref();
  let ended = false;
  const end = () => {
    ended = true;
  };
  child.on('error', end).on('exit', end);
  return { pid: child.pid, log, ended: () => ended };
}

function notStarted(port: number, uiPort: number, child: Launched | undefined): SwitchyardError {
  if (!child) {
    const hint = `Remove ${lockFile(port)} if nothing starts a server.`;
    return new SwitchyardError(
      'Unavailable',
      'another process starts the Temporal server, and it does not answer',
      hint,
    );
  }
  const how = child.ended() ? 'ended at once' : `did not answer within ${START_MS / 1000} s`;
  const hint = `Is port ${port} or ${uiPort} taken? The whole log: ${child.log}`;
  return new SwitchyardError(
    'Unavailable',
    `the Temporal server ${how}:\n${lastLines(readText(child.log) ?? '')}`,
    hint,
  );
}

/** The right to start a server on that port, given back by the function; undefined while another process has it. */
function claim(port: number): (() => void) | undefined {
  const file = lockFile(port);
  const holder = Number(readText(file));
  if (holder > 0 && !alive(holder)) rmSync(file, { force: true });
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return () => rmSync(file, { force: true });
  } catch {
    return undefined;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The arguments of `temporal`, also for tests that start a server of their own. */
export function serverArguments(port: number, uiPort: number, options: DevServerOptions = {}): string[] {
  const dbFile = options.dbFile ?? join(room('run'), `temporal-${port}.db`);
  const config = options.fastTimers ? [...DYNAMIC_CONFIG, 'history.timerProcessorMaxTimeShift="10ms"'] : DYNAMIC_CONFIG;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
    ...['--db-filename', dbFile, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=1'],
    ...['--ui-disable-news-fetch', '--log-level', 'warn'],
    ...(options.uiCodecEndpoint ? ['--ui-codec-endpoint', options.uiCodecEndpoint] : []),
    ...config.flatMap((entry) => ['--dynamic-config-value', entry]),
  ];
}

async function answers(address: string): Promise<boolean> {
  // gRPC waits a second before it tries a refused port again; a plain connection knows at once.
  if (!(await listens(address))) return false;
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1000 });
    const asked = connection.withDeadline(Date.now() + 2000, () =>
      connection.workflowService.describeNamespace({ namespace: NAMESPACE }),
    );
    await asked.finally(() => connection.close());
    return true;
  } catch {
    return false;
  }
}

async function listens(address: string): Promise<boolean> {
  const [host, port] = address.split(':');
  const socket = connect({ host, port: Number(port), timeout: 1000 });
  return new Promise<boolean>((resolve) => {
    socket
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false))
      .on('timeout', () => resolve(false));
  }).finally(() => socket.destroy());
}

async function keepHistories(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const config = { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as unknown as Long } };
    await connection.workflowService.updateNamespace({ namespace: NAMESPACE, config });
  } finally {
    await connection.close();
  }
}

function lockFile(port: number): string {
  return join(room('run'), `temporal-${port}.starting`);
}

function pidFile(port: number): string {
  return join(room('run'), `temporal-${port}.pid`);
}

/** The pid that the file names, when that process is still a Temporal server: pids are given out again. */
function livingPid(port: number): number | undefined {
  const pid = Number(readText(pidFile(port)));
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (!alive(pid)) return undefined;
  if (process.platform !== 'linux') return pid;
  return readText(`/proc/${pid}/cmdline`)?.includes('start-dev') ? pid : undefined;
}
