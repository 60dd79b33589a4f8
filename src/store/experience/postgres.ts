import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, Pool } from 'pg';
import { PointsmanError } from '../../contract';
import type { Database, Row, Statement } from './database';

const CONNECTIONS = 4;
/** Serialisation failures and deadlocks: the server took the transaction back, and asks for it again. */
const AGAIN = new Set(['40001', '40P01']);
const LOST = /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|terminat|timeout/i;

/** A Postgres server by its URL. Throws `Unavailable` without the URL, which holds a password. */
export function connectPostgres(url: string): Database {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS, connectionTimeoutMillis: 10_000 });
  // An idle connection that breaks is replaced when it is needed.
  pool.on('error', () => {});
  return {
    name: 'postgres',
    close: () => pool.end(),
    async run(statements) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transaction(pool, statements);
        } catch (error) {
          if (error instanceof DatabaseError && !AGAIN.has(error.code ?? '') && !LOST.test(error.message)) throw error;
          if (attempt >= 4) throw unavailable(error);
          await sleep(100 * attempt ** 2);
        }
      }
    },
  };
}

async function transaction(pool: Pool, statements: readonly Statement[]): Promise<Row[][]> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const rows: Row[][] = [];
    for (const { sql, parameters = [] } of statements) rows.push((await client.query(sql, [...parameters])).rows);
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

function unavailable(error: unknown): PointsmanError {
  const message = (error as Error).message || String((error as NodeJS.ErrnoException).code);
  return new PointsmanError(
    'Unavailable',
    `the experience database cannot be reached: ${message}`,
    'Check the variable that store.experience names, and that the server runs.',
  );
}
