import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { allowedBy, type Config, loadSettings } from '../config';
import { PointsmanError, queuesUnder } from '../contract';
import { room } from '../home';
import { openSandboxes } from '../sandbox';
import { readText } from './command';
import { ensureDocker } from './docker';
import { ensureImage } from './image';
import type { Local } from './local-services';
import { assertServedHere, isThisHome, pollersOf } from './owner';
import { comesUp, daemonPid, logOf, startDaemon, stopDaemon } from './processes';

/** A busy server is asked again after this long. */
const ANSWER_MS = 10_000;

export interface BackgroundWorker {
  /** Name of its log and pid file in this home. */
  readonly name: string;
  readonly queue: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Whether a worker polled the queue in the last minute. */
async function hasWorker(client: Client, queue: string): Promise<boolean> {
  return (await pollersOf(client, queue)).length > 0;
}

/**
 * Starts a worker in the background and waits until it polls, as long as it lives. Only polls of this home's after its start
 * count: a dead one's linger.
 */
export async function startWorker(
  client: Client,
  { name, queue, env }: BackgroundWorker,
  say: (line: string) => void,
): Promise<number> {
  const since = Date.now() / 1000;
  const pid = startDaemon({
    name,
    program: 'worker',
    env: { POINTSMAN_ONLY_HOST: '1', ...env, POINTSMAN_QUEUE: queue },
  });
  const polls = async () => {
    const pollers = await client.withDeadline(Date.now() + ANSWER_MS, () => pollersOf(client, queue, since));
    return pollers.some(({ owner }) => owner === undefined || isThisHome(owner));
  };
  const hint = '`pointsman doctor` checks what it needs; with that mended, `pointsman up` starts it again.';
  const alive = () => daemonPid(name) === pid;
  await comesUp({ what: 'the worker', pid, log: logOf(name), alive, ready: polls, hint }, say);
  // Another home may have started one at the same moment.
  await assertServedHere(client, queue, say).catch(async (error: unknown) => {
    await stopDaemon(name);
    throw error;
  });
  return pid;
}

/**
 * Starts this home's worker with what its sandboxes need, as far as that can be had here: without an engine it still
 * serves what runs no code, and what does waits for one.
 */
export async function startOwnWorker(client: Client, queue: string, say: (line: string) => void): Promise<void> {
  try {
    await ensureDocker(say);
    await ensureImage(say);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`sandboxes cannot start yet: ${why} (\`pointsman doctor\` says what to do)`);
  }
  say('starting a worker in the background (`pointsman down` stops it)');
  writeFileSync(configurationFile(), JSON.stringify(configurationHere()));
  await startWorker(client, { name: 'worker', queue }, say);
}

/** What a worker was started with. */
interface Configuration {
  readonly file: string | null;
  readonly digest: string;
}

const configurationFile = () => join(room('run'), 'worker.configuration.json');

function configurationHere(): Configuration {
  const { file, config } = loadSettings();
  const digest = createHash('sha256').update(JSON.stringify(config)).digest('hex');
  return { file: file === undefined ? null : resolve(file), digest };
}

/**
 * How the configuration of this home's worker differs from the one that commands read here; undefined where it does not.
 * A worker reads it once, when it starts.
 */
export function staleConfiguration(): string | undefined {
  const kept = daemonPid('worker') === undefined ? undefined : readText(configurationFile());
  if (kept === undefined) return undefined;
  const [its, here] = [JSON.parse(kept) as Configuration, configurationHere()];
  if (its.digest === here.digest) return undefined;
  return its.file === here.file
    ? `${here.file ?? 'the configuration'} has changed since the worker read it`
    : `the worker reads ${its.file ?? 'no configuration'}, and this command ${here.file ?? 'none'}`;
}

/** Whether the worker that this home started was killed: `down` takes the pid file away, a crash leaves it. */
export function wasKilled(): boolean {
  return daemonPid('worker') === undefined && existsSync(join(room('run'), 'worker.pid'));
}

/**
 * A worker for a local server: the one that runs, else a new one in the background, also where ours was killed and the
 * server does not know it yet. Workers of a configured server are its operator's business. Throws `Unavailable` where another
 * home's worker serves the queue.
 */
export async function ensureWorker(
  client: Client,
  queue: string,
  local: Local,
  say: (line: string) => void,
): Promise<void> {
  const pid = daemonPid('worker');
  if (pid !== undefined) {
    if (!(await hasWorker(client, queue)))
      say(
        `warning: the worker of this home, pid ${pid}, does not poll ${queue} on ${local.address} (yet): if it was started for another server or queue, \`pointsman down\` and \`pointsman up\``,
      );
    const stale = staleConfiguration();
    if (stale) say(`warning: ${stale}: what is new there is unknown to it. \`pointsman up\` starts it again with it`);
    return assertServedHere(client, queue, say);
  }
  if (!wasKilled() && (await hasWorker(client, queue))) return assertServedHere(client, queue, say);
  if (!local.ui) {
    if (await hasWorker(client, queue)) return assertServedHere(client, queue, say);
    throw new PointsmanError(
      'Unavailable',
      `no worker polls the task queue ${queue} on ${local.address}`,
      `Start one with \`pointsman worker start\`; it also polls ${queuesUnder(queue).sandboxes}.`,
    );
  }
  await startOwnWorker(client, queue, say);
}

/** Why this machine takes no new sandbox now, in words; null when it may. What a worker asks itself before it takes work. */
export async function obstacleHere(config: Config): Promise<string | null> {
  const sandboxes = openSandboxes('status', undefined, allowedBy(config), config.sandboxes.backend);
  const obstacle = await sandboxes.places
    .obstacle()
    .catch(({ message }: Error) => `what runs sandboxes here does not answer: ${message}`);
  sandboxes.close();
  return obstacle ?? null;
}
