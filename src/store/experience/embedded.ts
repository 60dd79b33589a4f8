import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PointsmanError } from '../../contract';
import type { Database, Row, Statement } from '../database';
import { type OwnerLock, tryLock } from './owner-lock';
import { startPglite } from './pglite-thread';
import { type Connected, ConnectionLost, connect, serve } from './wire';

const PATIENCE_MS = 60_000;
/** Unix socket paths end at 107 bytes. */
const LONGEST_PATH = 100;

/**
 * Postgres inside of this process (PGlite), for all processes of one host that use the same folder. It admits one process,
 * so the first to lock the folder owns it and answers the others over a socket; when the owner ends, however it ends, the
 * next one that asks takes over and Postgres replays its log. Opened on first use, which takes seconds the first time.
 */
export function openEmbedded(folder: string): Database {
  let route: Promise<Connected> | undefined;
  let closed = false;
  let running = 0;
  let resting: Promise<void> | undefined;

  async function answered(statements: readonly Statement[]): Promise<Row[][]> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      if (closed) throw unavailable(folder, 'it was closed');
      route ??= findRoute(folder, until);
      const current = route;
      const forget = () => {
        if (route === current) route = undefined;
      };
      const connection = await current.catch((error: unknown) => {
        forget();
        throw error;
      });
      try {
        return await connection.run(statements);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        forget();
        if (performance.now() > until) throw unavailable(folder, error.message);
        await sleep(50);
      }
    }
  }

  return {
    name: 'embedded',
    async run(statements) {
      running += 1;
      try {
        return await answered(statements);
      } finally {
        running -= 1;
      }
    },
    async rest() {
      if (running > 0) return;
      const current = route;
      route = undefined;
      if (!current) return;
      resting = current.then((each) => each.close()).catch(() => {});
      await resting;
    },
    async close() {
      closed = true;
      await resting;
      await route?.then((each) => each.close()).catch(() => {});
    },
  };
}

async function findRoute(folder: string, until: number): Promise<Connected> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const socket = socketOf(folder);
  for (let wait = 20; ; wait = Math.min(500, wait * 2)) {
    const owner = await connect(socket);
    if (owner) return owner;
    const lock = await tryLock(join(folder, 'lock')).catch((error: Error) => {
      throw unavailable(folder, `flock: ${error.message}`);
    });
    if (lock) return own(folder, socket, lock);
    // Somebody has the lock and does not listen yet.
    if (performance.now() > until) throw unavailable(folder, 'its owner does not answer');
    await sleep(wait);
  }
}

async function own(folder: string, socket: string, lock: OwnerLock): Promise<Connected> {
  try {
    const db = await startPglite(join(folder, 'data'));
    let gone = false;
    const run = async (statements: readonly Statement[]): Promise<Row[][]> => {
      if (gone) throw new ConnectionLost('the database is closing');
      return db.run(statements);
    };
    // A socket that an owner left behind when it was killed. We have the lock, so nobody listens there.
    if (existsSync(socket)) rmSync(socket);
    const served = await serve(socket, run);
    const end = async () => {
      if (gone) return;
      await served.close();
      gone = true;
      await db.close();
      await lock.release();
    };
    // Somebody killed the keeper of the lock: from here on another process may open the same files.
    void lock.lost.then(end);
    return { run, close: end };
  } catch (error) {
    await lock.release();
    throw unavailable(folder, (error as Error).message);
  }
}

/** Beside the files; where that path is too long for a socket, in a folder that is ours alone. */
function socketOf(folder: string): string {
  const near = join(folder, 'socket');
  if (Buffer.byteLength(near) <= LONGEST_PATH) return near;
  const own = folderOfOurs(join(tmpdir(), `pointsman-${userInfo().uid}`));
  return join(own, `${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

/**
 * Makes a folder whose name can be foreseen, for this account alone. Throws `Unavailable` where another one may have made it,
 * or a link in its place, to take what we send.
 */
export function folderOfOurs(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid } = userInfo();
  const found = lstatSync(path);
  if (found.isDirectory() && (found.mode & 0o077) === 0 && (uid < 0 || found.uid === uid)) return path;
  throw new PointsmanError('Unavailable', `${path} is not a folder of this account alone`, 'Remove it, or set TMPDIR.');
}

function unavailable(folder: string, why: string): PointsmanError {
  return new PointsmanError(
    'Unavailable',
    `the experience database in ${folder} cannot be used: ${why}`,
    'Try again; if it stays so, move the folder away (a new one is made) or name a Postgres in store.experience.',
  );
}
