import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ActivityNotFoundError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type pino from 'pino';
import type { Settings } from '../config';

/** Where a process listens for as long as it lives: the kernel refuses callers of one that has ended, however it ended. */
const LIFE = 'life';

/** An attempt that is under way, as its file has it. */
interface Attempt {
  /** What the server knows it by, in base64. */
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
}

/**
 * What this process has in hand: a file for each attempt that is under way. A process that is killed tells nobody, and the
 * server would wait for its heartbeats; the next one on the host reads the files and gives the attempts back at once. A file
 * that cannot be written costs nothing but that wait.
 */
export class InHand {
  private noted = 0;

  private constructor(
    /** The folder that the processes of one host share. */
    private readonly shelf: string,
    private readonly folder: string,
    private readonly life: Server,
  ) {}

  /** Throws where nothing can listen in the home. */
  static async open({ home, host }: Pick<Settings, 'home' | 'host'>): Promise<InHand> {
    const shelf = join(home, 'run', 'in-hand', encodeURIComponent(host));
    mkdirSync(shelf, { recursive: true, mode: 0o700 });
    const folder = mkdtempSync(join(shelf, `${process.pid}-`));
    const life = createServer((caller) => caller.destroy()).unref();
    try {
      await withPath(folder, (path) => once(life.listen(path), 'listening'));
    } catch (error) {
      rmSync(folder, { recursive: true });
      throw error;
    }
    return new InHand(shelf, folder, life);
  }

  /** Notes each attempt for as long as it is under way. */
  readonly note: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      execute: async (input, next) => {
        const { isLocal, workflowExecution, base64TaskToken: token } = info;
        if (isLocal || !workflowExecution) return next(input);
        const file = join(this.folder, String(this.noted++));
        const attempt: Attempt = { token, ...workflowExecution };
        attempted(() => writeFileSync(file, JSON.stringify(attempt)));
        try {
          return await next(input);
        } finally {
          attempted(() => rmSync(file, { force: true }));
        }
      },
    },
  });

  /**
   * Gives back what processes of this host had in hand that are no more: their attempts count as failed, and are tried again
   * as the policy of each says. Retry-safe: what is not under way any more is left as it is.
   */
  async giveBack(client: Client, logger: pino.Logger): Promise<void> {
    for (const name of readdirSync(this.shelf)) {
      try {
        await giveBackOf(join(this.shelf, name), client, logger);
      } catch (error) {
        // Another worker that starts just now has seen to it, or it is another account's.
        logger.debug({ error }, 'not given back');
      }
    }
  }

  /** From here on, what is still under way is the next process's to give back. */
  close(): void {
    this.life.close();
  }
}

async function giveBackOf(folder: string, client: Client, logger: pino.Logger): Promise<void> {
  if (!(await isOver(folder))) return;
  const attempts = attemptsIn(folder);
  await Promise.all(attempts.map(({ token }) => fail(client, token, logger)));
  // Their workflows would first be offered to the process that is no more.
  const runs = new Map(attempts.map(({ workflowId, runId }) => [runId, { workflowId, runId }]));
  await Promise.all([...runs.values()].map((execution) => unstick(client, execution)));
  rmSync(folder, { recursive: true, force: true });
  if (attempts.length > 0) logger.info({ attempts: attempts.length }, 'gave back what a killed worker had in hand');
}

async function fail(client: Client, token: string, logger: pino.Logger): Promise<void> {
  // Of all attempts that end so, the last one says of the host what missing heartbeats would.
  const killed = ApplicationFailure.retryable('the worker that had it in hand was killed', 'HostLost');
  await client.activity.fail(Buffer.from(token, 'base64'), killed).catch((error: unknown) => {
    if (!(error instanceof ActivityNotFoundError)) logger.warn({ error }, 'found out by its heartbeats instead');
  });
}

/** One that has ended meanwhile has nothing to be offered. */
async function unstick(client: Client, execution: { workflowId: string; runId: string }): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService.resetStickyTaskQueue({ namespace, execution }).catch(() => {});
}

/** Whether the process of that folder has ended. One that does not listen yet has not. */
async function isOver(folder: string): Promise<boolean> {
  return withPath(folder, async (path) => {
    const caller = createConnection(path);
    try {
      await once(caller, 'connect');
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    } finally {
      caller.destroy();
    }
  });
}

/** Hands over a path of `LIFE` that is short enough: a socket's has a hundred characters, and a home may be deeper. */
async function withPath<T>(folder: string, use: (path: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return use(join(folder, LIFE));
  const descriptor = openSync(folder, 'r');
  try {
    return await use(`/proc/self/fd/${descriptor}/${LIFE}`);
  } finally {
    closeSync(descriptor);
  }
}

/** A process may have been killed while it wrote one. */
function attemptsIn(folder: string): Attempt[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), 'utf8')) as Attempt];
    } catch {
      return [];
    }
  });
}

function attempted(write: () => void): void {
  try {
    write();
  } catch {
    // As the class says.
  }
}
