import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { loadSettings } from '../config';
import { PointsmanError } from '../contract/errors';
import { homeSecret, pointsmanHome } from '../home';
import { isLoopback } from '../own-host';

export interface Owner {
  /** Made of the home's secret: the same on every host that has this home mounted. */
  readonly id: string;
  /** Undefined where nobody wrote it down for this account: a home of another account, or of another machine. */
  readonly path: string | undefined;
}

/** What a namespace keeps of the home whose server it is on. */
const KEY = 'pointsman.home';
const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
/** The server remembers a poll for this long after the worker's death. */
export const MEMORY_SECONDS = 65;

/** This home. */
export function thisHome(): Owner & { readonly path: string } {
  const home = pointsmanHome();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const id = createHash('sha256').update('home').update(homeSecret()).digest('hex').slice(0, 12);
  return { id, path: realpathSync(home) };
}

/**
 * What this home's workers are called on a server. It stands in nearly every event of a history, so the folder is not in
 * it, but is written down for the other homes of this account.
 */
export function workerIdentity(host: string): string {
  const { id, path } = thisHome();
  try {
    mkdirSync(notes(), { recursive: true });
    for (const other of readdirSync(notes())) {
      if (!isHere({ id: other, path: notedPath(other) })) rmSync(join(notes(), other), { force: true });
    }
    writeFileSync(join(notes(), id), path);
  } catch {
    // An account without a folder of its own: others name this home by its id.
  }
  return identityOn(host);
}

/** What a worker of this home is called on that host. */
export const identityOn = (host: string): string => `pointsman@${host} ${thisHome().id}`;

function ownerOfWorker(identity: string): Owner | undefined {
  const id = /^pointsman@.* ([0-9a-f]{12})$/s.exec(identity)?.[1];
  return id === undefined ? undefined : { id, path: notedPath(id) };
}

function notedPath(id: string): string | undefined {
  try {
    return readFileSync(join(notes(), id), 'utf8');
  } catch {
    return undefined;
  }
}

const notes = () => join(homedir(), '.config', 'pointsman', 'homes');

/** In words: its folder, or what is known instead. */
export function nameOf({ id, path }: Owner): string {
  return path ?? `${id} (of another account or machine)`;
}

/**
 * Whether that is this home: here, or mounted elsewhere under another path. A copy has the same secret, and is another home
 * as long as the original is there.
 */
export function isThisHome({ id, path }: Owner): boolean {
  const own = thisHome();
  if (id !== own.id) return false;
  if (path === undefined) return true;
  const there = identityOf(path);
  return there === undefined || there === identityOf(own.path);
}

function identityOf(path: string): string | undefined {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${dev}:${ino}`;
}

/** Whether its folder is on this machine. */
export function isHere({ path }: Owner): boolean {
  return path !== undefined && identityOf(path) !== undefined;
}

type NamespaceReader = Pick<Client['workflowService'], 'describeNamespace'>;

/** The home whose server this is; undefined for one that belongs to no home, as a shared server does. */
export async function serverOwner(service: NamespaceReader, namespace: string): Promise<Owner | undefined> {
  const { namespaceInfo } = await service.describeNamespace({ namespace });
  const found = /^([0-9a-f]{12}) (.+)$/s.exec(namespaceInfo?.data?.[KEY] ?? '');
  return found ? { id: found[1]!, path: found[2]! } : undefined;
}

/** Writes down that the server is this home's. Safe to repeat. */
export async function ownServer(
  service: Pick<Client['workflowService'], 'updateNamespace'>,
  namespace: string,
): Promise<void> {
  const { id, path } = thisHome();
  await service.updateNamespace({ namespace, updateInfo: { data: { [KEY]: `${id} ${path}` } } });
}

/** Throws `Unavailable` where the server at `address` is another home's. */
export async function assertOwnServer(service: NamespaceReader, namespace: string, address: string): Promise<void> {
  // Development servers are reached from their own machine only; one of a team belongs to no home.
  if (!isLoopback(address.replace(/:\d+$/, ''))) return;
  const owner = await serverOwner(service, namespace).catch(() => undefined);
  if (!owner || isThisHome(owner)) return;
  throw new PointsmanError(
    'Unavailable',
    `the Temporal server at ${address} belongs to another home, ${owner.path}; this home is ${thisHome().path}`,
    `Unset TEMPORAL_ADDRESS (or the Temporal profile), then this home starts a server of its own; or set POINTSMAN_HOME=${owner.path} to work there.`,
  );
}

/** A worker that polls a task queue. */
export interface Poller {
  readonly identity: string;
  /** Undefined for one that does not say. */
  readonly owner: Owner | undefined;
  /** When it last polled, in seconds since the epoch. */
  readonly polledAt: number;
}

/** Who polled the queue for workflows after `since` (seconds since the epoch; a minute ago unless told). */
export async function pollersOf(
  client: Client,
  queue: string,
  since = Date.now() / 1000 - MEMORY_SECONDS,
): Promise<Poller[]> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
  });
  return (pollers ?? [])
    .map(({ identity, lastAccessTime: at }) => ({
      identity: identity ?? '',
      owner: ownerOfWorker(identity ?? ''),
      polledAt: Number(at?.seconds ?? 0) + (at?.nanos ?? 0) / 1e9,
    }))
    .filter(({ polledAt }) => polledAt > since);
}

/** Those of other homes, a home once. Homes that share a store are none to one another: what one keeps the others have. */
export function otherHomes(pollers: readonly Poller[]): Owner[] {
  if (loadSettings().config.store.shared) return [];
  const owners = pollers.flatMap(({ owner }) => (owner && !isThisHome(owner) ? [owner] : []));
  return [...new Map(owners.map((owner) => [owner.id, owner])).values()];
}

/**
 * Throws `Unavailable` where the worker of another home on this machine would take what is started on the queue: it would be
 * done with that home's configuration and store. Of a home elsewhere this is only said: it may be what is meant.
 */
export async function assertServedHere(client: Client, queue: string, say: (line: string) => void): Promise<void> {
  for (const owner of otherHomes(await pollersOf(client, queue))) {
    if (isHere(owner)) {
      throw new PointsmanError(
        'Unavailable',
        `the task queue ${queue} is served by the worker of another home, ${owner.path}; this home is ${thisHome().path}`,
        `Stop it (POINTSMAN_HOME=${owner.path} pointsman down; a stopped worker is remembered for a minute), take a queue of your own with --queue, or set POINTSMAN_HOME=${owner.path} to work there.`,
      );
    }
    say(
      `warning: the task queue ${queue} is served by a worker whose home is ${nameOf(owner)}: what runs write is kept there, and this home, ${thisHome().path}, cannot show it`,
    );
  }
}
