import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { Row, Statement } from '../database';

/**
 * One JSON object a line over a Unix socket: `{id, statements}` there, `{id, rows}` or `{id, error}` back. A whole
 * transaction a message, which Postgres' own protocol cannot promise on a database with a single session.
 */
type Request = { readonly id: number; readonly statements: readonly Statement[] };
type Answer = { readonly id: number; readonly rows: Row[][] } | { readonly id: number; readonly error: string };

/** The owner went away; what was asked may or may not have been done. */
export class ConnectionLost extends Error {}

export type Run = (statements: readonly Statement[]) => Promise<Row[][]>;

export interface Served {
  /** Ends after the requests that it was given. */
  close(): Promise<void>;
}

export async function serve(path: string, run: Run): Promise<Served> {
  const sockets = new Set<Socket>();
  const pending = new Set<Promise<void>>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.unref();
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    eachLine(socket, (line) => {
      const { id, statements } = JSON.parse(line) as Request;
      const answer = run(statements)
        .then((rows): Answer => ({ id, rows }))
        .catch((error: Error): Answer => ({ id, error: error.message }))
        .then((given) => void (socket.writable && socket.write(`${JSON.stringify(given)}\n`)));
      pending.add(answer);
      void answer.finally(() => pending.delete(answer));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all(pending);
      for (const socket of sockets) socket.destroySoon();
      await closed;
    },
  };
}

export interface Connected {
  readonly run: Run;
  close(): void;
}

/** A connection to the owner, or undefined when nobody listens there. */
export async function connect(path: string): Promise<Connected | undefined> {
  const socket = createConnection(path);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!connected) return undefined;
  const waiting = new Map<number, { resolve: (rows: Row[][]) => void; reject: (error: Error) => void }>();
  let last = 0;
  let open = true;
  eachLine(socket, (line) => {
    const answer = JSON.parse(line) as Answer;
    const caller = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) socket.unref();
    if ('error' in answer) caller?.reject(new Error(answer.error));
    else caller?.resolve(answer.rows);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    open = false;
    for (const { reject } of waiting.values()) reject(new ConnectionLost('the owner of the database is gone'));
    waiting.clear();
  });
  socket.unref();
  return {
    run: (statements) =>
      new Promise((resolve, reject) => {
        if (!open) return reject(new ConnectionLost('the owner of the database is gone'));
        const id = ++last;
        waiting.set(id, { resolve, reject });
        socket.ref();
        socket.write(`${JSON.stringify({ id, statements } satisfies Request)}\n`);
      }),
    close: () => socket.destroy(),
  };
}

function eachLine(socket: Socket, take: (line: string) => void): void {
  // The line that is not whole yet, in pieces: each is looked through once, however many a long answer comes in.
  let pieces: string[] = [];
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const [first = '', ...others] = chunk.split('\n');
    pieces.push(first);
    if (others.length === 0) return;
    const lines = [pieces.join(''), ...others];
    pieces = [lines.pop()!];
    for (const line of lines) take(line);
  });
}
