import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { room } from '../home';
import { type Report, readText } from './command';
import { ownServer } from './owner';
import { freePort, holds, listens } from './ports';
import { comesUp, daemonPid, logOf, rememberProcess, startDaemon, stopDaemon } from './processes';
import { claim, claimed, type DevServerOptions, launch, portLock, type UiPlace } from './server-process';
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

/**
 * Starts a development server that outlives this process, and returns when it answers. Takes one that answers on that
 * port already as it is, so calling again is safe; two that start at once end with one server. Fetches the program where it
 * is not installed; `report` hears of that, and of a start that takes long. Throws `Unavailable` where it cannot listen there.
 */
export async function startDevServer(options: DevServerOptions = {}, report: Report = () => {}): Promise<DevServer> {
  const port = options.port ?? 7233;
  const uiPort = options.uiPort ?? port + 1000;
  const server = { address: `127.0.0.1:${port}`, ui: `http://127.0.0.1:${uiPort}` };
  if (await answers(server.address)) return taken(server, port);

  return claimedFor(portLock(port), async () => {
    // Whoever had the claim before may have finished since we looked.
    if (await answers(server.address)) return await taken(server, port);
    await ensureTemporal(report);
    const ui = await hiddenPlace(uiPort);
    const child = launch(port, ui, options);
    const pid = child.pid ?? 0;
    const hint = `Is port ${port} or ${uiPort} taken? \`pointsman up --port N\` takes another.`;
    const starting = { what: 'the Temporal server', pid, log: child.log, hint };
    const up = async () => holds(pid, port) && (await answers(server.address)) && (await furnish(server.address));
    await comesUp({ ...starting, alive: () => !child.ended(), ready: up }, report).catch((error: unknown) => {
      child.end();
      throw error;
    });
    rememberProcess(nameOf(port), pid);
    writeFileSync(guardFile(port), [uiPort, ui.host, ui.port, pid].join(' '));
    const guard = startGuard(port);
    const guarded = async () => holds(guard, uiPort);
    const alive = () => daemonPid(guardOf(port)) === guard;
    const log = logOf(guardOf(port));
    await comesUp({ ...starting, what: 'the guard of its UI', pid: guard, log, alive, ready: guarded }, report).catch(
      async (error: unknown) => {
        await stopDevServer(port);
        throw error;
      },
    );
    return { ...server, pid, started: true };
  });
}

/** Does the work as the only process that holds the lock; whoever comes later waits. */
export async function claimedFor<T>(lock: string, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const release = claim(lock);
    if (release) return work().finally(release);
    await claimEnds(lock);
  }
}

/** Until nobody is starting the server of that port: it may have to be fetched first. */
export async function startEnds(port: number): Promise<void> {
  await claimEnds(portLock(port));
}

/** Where the process that has it dies, the claim has ended. */
async function claimEnds(lock: string): Promise<void> {
  while (claimed(lock)) await sleep(50);
}

/** Stops the server that `startDevServer` started on that port. False when there is none; one of others is left alone. */
export async function stopDevServer(port = 7233): Promise<boolean> {
  await stopDaemon(guardOf(port));
  return stopDaemon(nameOf(port), 10_000);
}

/** A server that answers already. The guard before the UI of our own is put up again where it was killed. */
async function taken(server: Pick<DevServer, 'address' | 'ui'>, port: number): Promise<DevServer> {
  const pid = serverPid(port);
  if (pid !== undefined && daemonPid(guardOf(port)) === undefined) startGuard(port);
  return { ...server, pid, started: false };
}

/** The process of the server that this home started on that port, while it runs. */
export function serverPid(port: number): number | undefined {
  return daemonPid(nameOf(port));
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

/** Whether a Temporal server answers there that has the namespace `default`. */
export async function answers(address: string): Promise<boolean> {
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

/** Whose it is, and for how long it keeps what has ended. */
async function furnish(address: string): Promise<true> {
  const connection = await Connection.connect({ address });
  try {
    const config = { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as unknown as Long } };
    await connection.workflowService.updateNamespace({ namespace: NAMESPACE, config });
    await ownServer(connection.workflowService, NAMESPACE);
    return true;
  } finally {
    await connection.close();
  }
}
