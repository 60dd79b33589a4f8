import { Worker } from 'node:worker_threads';
import type { Row, Statement } from '../database';

/** Postgres in a thread: making a new database takes seconds of computing, in which the process must go on sending heartbeats. */
export interface PgliteThread {
  /** One transaction. Rejects when the thread has ended. */
  run(statements: readonly Statement[]): Promise<Row[][]>;
  close(): Promise<void>;
}

type Answer = { readonly id: number; readonly rows?: Row[][]; readonly error?: string };

/** Opens the database in `folder`, made when there is none. Only one process may have it open. */
export async function startPglite(folder: string): Promise<PgliteThread> {
  const thread = new Worker(THREAD, {
    eval: true,
    // Without the loaders of this process: the thread is plain JavaScript.
    execArgv: [],
    workerData: {
      folder,
      pglite: require.resolve('@electric-sql/pglite'),
      vector: require.resolve('@electric-sql/pglite-pgvector'),
    },
  });
  const waiting = new Map<number, { resolve(rows: Row[][]): void; reject(error: Error): void }>();
  let last = 0;
  let ended: Error | undefined;
  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  thread.on('message', ({ id, rows, error }: Answer) => {
    const caller = waiting.get(id);
    waiting.delete(id);
    // A database that nobody waits for is no reason for the process to go on.
    if (waiting.size === 0) thread.unref();
    if (error === undefined) caller?.resolve(rows ?? []);
    else caller?.reject(new Error(error));
  });
  thread.on('error', end);
  thread.on('exit', () => end(new Error('the thread of the database has ended')));
  const ask = (statements: readonly Statement[] | 'close') =>
    new Promise<Row[][]>((resolve, reject) => {
      if (ended) return reject(ended);
      const id = ++last;
      waiting.set(id, { resolve, reject });
      thread.ref();
      thread.postMessage({ id, statements });
    });
  await ask([]);
  return {
    run: ask,
    async close() {
      await ask('close').catch(() => {});
      await thread.terminate();
    },
  };
}

const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { PGlite } = require(workerData.pglite);
const { vector } = require(workerData.vector);
const opened = PGlite.create(workerData.folder, { extensions: { vector } });
async function answer(statements) {
  const db = await opened;
  if (statements === 'close') return db.close();
  return db.transaction(async (tx) => {
    const rows = [];
    for (const { sql, parameters } of statements) rows.push((await tx.query(sql, parameters)).rows);
    return rows;
  });
}
parentPort.on('message', ({ id, statements }) => {
  answer(statements).then(
    (rows) => parentPort.postMessage({ id, rows }),
    (error) => parentPort.postMessage({ id, error: String(error.message) }),
  );
});
`;
