import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool } from 'pg';
import { PointsmanError } from '../contract';
import type { Database, Row, Statement } from './database';

/** Of one process: fifty hosts stay below what a server allows by itself, with a pooler in front or two hundred connections. */
const CONNECTIONS = 4;
/** The server took the transaction back (serialisation, deadlock), or has no place for another. */
const AGAIN = new Set(['40001', '40P01', '53300']);
/** It goes down or comes up: it is there, and is waited for half a minute. */
const ON_ITS_WAY = new Set(['57P01', '57P02', '57P03']);
const LOST = /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|terminat|timeout/i;
const [ATTEMPTS, PATIENT_ATTEMPTS] = [4, 10];
const SILENT_MS = 60_000;

/** What a server is for, and the field of the configuration that names it: what an error says. */
export interface Purpose {
  readonly what: string;
  readonly field: string;
}

/** A Postgres server by its URL, which holds a password. What cannot be reached is `Unavailable`. */
export function connectPostgres(url: string, purpose: Purpose): Database {
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: 10_000,
    // A host that is gone says nothing, and who waits for it would wait for ever.
    query_timeout: SILENT_MS,
    keepAlive: true,
    // A command that has said its answer is done, whatever it still holds.
    allowExitOnIdle: true,
  });
  // An idle connection that breaks is replaced when it is needed.
  pool.on('error', () => {});
  // One that is lent may break between two answers, or with its first: who asks next is told, and the process goes on.
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    name: 'postgres',
    close: () => pool.end(),
    async run(statements) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transaction(pool, statements);
        } catch (error) {
          const code = error instanceof DatabaseError ? (error.code ?? '') : undefined;
          const onItsWay = code !== undefined && ON_ITS_WAY.has(code);
          const isKnown = code === undefined || onItsWay || AGAIN.has(code) || LOST.test((error as Error).message);
          if (!isKnown) throw error;
          if (attempt >= (onItsWay ? PATIENT_ATTEMPTS : ATTEMPTS)) throw unavailable(error, purpose);
          await sleep(100 * attempt ** 2);
        }
      }
    },
  };
}

async function transaction(pool: Pool, statements: readonly Statement[]): Promise<Row[][]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const send = async ({ sql, parameters = [] }: Statement) => (await client.query(sql, [...parameters])).rows as Row[];
  try {
    const [only] = statements;
    // A statement by itself is a transaction, in one trip instead of three.
    if (only && statements.length === 1) return [await send(only)];
    await client.query('begin');
    const rows: Row[][] = [];
    for (const each of statements) rows.push(await send(each));
    await client.query('commit');
    return rows;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function unavailable(error: unknown, { what, field }: Purpose): PointsmanError {
  const message = (error as Error).message || String((error as NodeJS.ErrnoException).code);
  return new PointsmanError(
    'Unavailable',
    `${what} cannot be reached: ${message}`,
    `Check the variable that ${field} names, and that the server runs.`,
  );
}
