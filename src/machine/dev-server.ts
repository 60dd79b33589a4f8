import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { PointsmanError } from '../contract/errors';
import { room } from '../home';
import { lastLines, type Report, readText } from './command';
import { freePort, listens } from './ports';
import { daemonPid, rememberProcess, startDaemon, stopDaemon } from './processes';
import { claim, claimed, type DevServerOptions, type Launched, launch, lockFile, type UiPlace } from './server-process';
import { ensureTemporal } from './temporal';

export type { DevServerOptions } from './server-process';
export { serverArguments } from './server-process';

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
/** What fetching the program may take on a slow line. */
const FETCH_MS = 300_000;

/**
 * Starts a development server that outlives this process, and returns when it answers. Takes one that answers on that
 * port already as it is, so calling again is safe; two that start at once end with one server. Fetches the program where it
 * is not installed; `report` hears of that.
 */
export async function startDevServer(options: DevServerOptions = {}, report: Report = () => {}): Promise<DevServer> {
  const port = options.port ?? 7233;
  const uiPort = options.uiPort ?? port + 1000;
  const server = { address: `127.0.0.1:${port}`, ui: `http://127.0.0.1:${uiPort}` };
  if (await answers(server.address)) return taken(server, port);

  const release = claim(port);
  if (!release) {
    await claimEnds(port);
    return startDevServer(options, report);
  }
  try {
    // Whoever had the claim before may have finished since we looked.
    if (await answers(server.address)) return await taken(server, port);
    await ensureTemporal(report);
    const ui = await hiddenPlace(uiPort);
    const child = launch(port, ui, options);
    const deadline = Date.now() + START_MS;
    while (!(await answers(server.address))) {
      if (Date.now() > deadline || child.ended()) throw notStarted(port, uiPort, child);
      await sleep(50);
    }
    const pid = child.pid!;
    rememberProcess(nameOf(port), pid);
    writeFileSync(guardFile(port), [uiPort, ui.host, ui.port, pid].join(' '));
    const guard = startGuard(port);
    await keepHistories(server.address);
    while (!(await listens('127.0.0.1', uiPort))) {
      if (Date.now() > deadline || daemonPid(guardOf(port)) !== guard) {
        await stopDevServer(port);
        throw notStarted(port, uiPort, child);
      }
      await sleep(50);
    }
    return { ...server, pid, started: true };
  } finally {
    release();
  }
}

/** Until the process that starts the server there is done with it, or dead. It may have to fetch the program first. */
async function claimEnds(port: number): Promise<void> {
  const deadline = Date.now() + FETCH_MS + START_MS;
  while (claimed(port)) {
    if (Date.now() > deadline) {
      const hint = `Remove ${lockFile(port)} if nothing starts a server.`;
      throw new PointsmanError('Unavailable', 'another process starts the Temporal server, and does not end', hint);
    }
    await sleep(50);
  }
}

/** Stops the server that `startDevServer` started on that port. False when there is none; one of others is left alone. */
export async function stopDevServer(port = 7233): Promise<boolean> {
  await stopDaemon(guardOf(port));
  return stopDaemon(nameOf(port), 10_000);
}

/** A server that answers already. The guard before the UI of our own is put up again where it was killed. */
async function taken(server: Pick<DevServer, 'address' | 'ui'>, port: number): Promise<DevServer> {
  const pid = daemonPid(nameOf(port));
  if (pid !== undefined && daemonPid(guardOf(port)) === undefined) startGuard(port);
  return { ...server, pid, started: false };
}

function startGuard(port: number): number {
  const args = (readText(guardFile(port)) ?? '').split(' ');
  return startDaemon({ name: guardOf(port), program: 'machine/ui-guard', args });
}

const guardFile = (port: number) => join(room('run'), `${guardOf(port)}.args`);
const nameOf = (port: number) => `temporal-${port}`;
const guardOf = (port: number) => `temporal-${port}-ui`;

/**
 * Where the UI itself listens: a web page that knew would get around the guard. Linux has sixteen million addresses of its
 * own; elsewhere it is the port that has to be guessed.
 */
async function hiddenPlace(port: number): Promise<UiPlace> {
  if (process.platform !== 'linux') return { host: '127.0.0.1', port: await freePort() };
  const [one, two, three] = [randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)];
  return { host: `127.${one}.${two}.${three}`, port };
}

function notStarted(port: number, uiPort: number, child: Launched): PointsmanError {
  const how = child.ended() ? 'ended at once' : `did not answer within ${START_MS / 1000} s`;
  const hint = `Is port ${port} or ${uiPort} taken? The whole log: ${child.log}`;
  return new PointsmanError(
    'Unavailable',
    `the Temporal server ${how}:\n${lastLines(readText(child.log) ?? '')}`,
    hint,
  );
}

async function answers(address: string): Promise<boolean> {
  // gRPC waits a second before it tries a refused port again; a plain connection knows at once.
  const [host = '', port] = address.split(':');
  if (!(await listens(host, Number(port)))) return false;
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

async function keepHistories(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    const config = { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as unknown as Long } };
    await connection.workflowService.updateNamespace({ namespace: NAMESPACE, config });
  } finally {
    await connection.close();
  }
}
