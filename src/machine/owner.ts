import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { PointsmanError } from '../contract/errors';
import { homeSecret, pointsmanHome } from '../home';
import { isLoopback } from '../own-host';

/** A home as servers and workers name it: `3fa94c12ab3e /home/ann/.pointsman`. */
export interface Owner {
  /** Made of the home's secret: the same on every host that has this home mounted. */
  readonly id: string;
  readonly path: string;
}

/** What a namespace keeps of the home whose server it is on. */
const KEY = 'pointsman.home';
const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
/** The server remembers a poll for this long after the worker's death. */
const MEMORY_SECONDS = 65;

/** This home. */
export function thisHome(): Owner {
  const home = pointsmanHome();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const id = createHash('sha256').update('home').update(homeSecret()).digest('hex').slice(0, 12);
  return { id, path: realpathSync(home) };
}

/** What `readOwner` reads again. */
export function ownerText({ id, path }: Owner): string {
  return `${id} ${path}`;
}

function readOwner(text: string | undefined): Owner | undefined {
  const found = /([0-9a-f]{12}) (\/.*|[A-Za-z]:.*)$/.exec(text ?? '');
  return found ? { id: found[1]!, path: found[2]! } : undefined;
}

/**
 * Whether that is this home: here, or mounted elsewhere under another path. A copy has the same secret, and is another home
 * as long as the original is there.
 */
export function isThisHome({ id, path }: Owner): boolean {
  const own = thisHome();
  if (id !== own.id) return false;
  const there = identityOf(path);
  return there === undefined || there === identityOf(own.path);
}

function identityOf(path: string): string | undefined {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return ino === undefined ? undefined : `${dev}:${ino}`;
}

/** Whether its folder is on this machine. */
export function isHere({ path }: Owner): boolean {
  return identityOf(path) !== undefined;
}

type NamespaceReader = Pick<Client['workflowService'], 'describeNamespace'>;

/** The home whose server this is; undefined for one that belongs to no home, as a shared server does. */
export async function serverOwner(service: NamespaceReader, namespace: string): Promise<Owner | undefined> {
  const { namespaceInfo } = await service.describeNamespace({ namespace });
  return readOwner(namespaceInfo?.data?.[KEY]);
}

/** Writes down that the server is this home's. Safe to repeat. */
export async function ownServer(
  service: Pick<Client['workflowService'], 'updateNamespace'>,
  namespace: string,
): Promise<void> {
  await service.updateNamespace({ namespace, updateInfo: { data: { [KEY]: ownerText(thisHome()) } } });
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
      owner: readOwner(identity ?? ''),
      polledAt: Number(at?.seconds ?? 0) + (at?.nanos ?? 0) / 1e9,
    }))
    .filter(({ polledAt }) => polledAt > since);
}

/** Those of other homes, a home once. */
export function otherHomes(pollers: readonly Poller[]): Owner[] {
  const owners = pollers.flatMap(({ owner }) => (owner && !isThisHome(owner) ? [owner] : []));
  return [...new Map(owners.map((owner) => [ownerText(owner), owner])).values()];
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
      `warning: the task queue ${queue} is served by a worker whose home is ${owner.path}: what runs write is kept there, and this home, ${thisHome().path}, cannot show it`,
    );
  }
}
