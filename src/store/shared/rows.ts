import { PointsmanError } from '../../contract';
import type { BlobStore } from '../blobs';
import type { Database } from '../database';
import { connectPostgres } from '../postgres';
import type { Rows } from '../rows';
import { SqlBudgets } from './budgets';
import { LargeDocuments, SqlDocuments } from './documents';
import { SqlLedger, sqlEmbeddings, sqlScores } from './ledger';
import { migrated } from './schema';
import { SqlTimings } from './timings';

/**
 * The database whose URL is in that variable. Nothing is connected to before it is used. Throws `InvalidInput` where the
 * variable is not set.
 */
export function openDatabase(variable: string, env: Readonly<Record<string, string | undefined>>): Database {
  const url = env[variable]?.trim();
  if (url) return migrated(connectPostgres(url, { what: 'the shared database', field: 'store.shared.database' }));
  throw new PointsmanError(
    'InvalidInput',
    `store.shared.database: environment variable ${variable} is not set`,
    `Set ${variable} to a Postgres URL here, as on all hosts that share runs.`,
  );
}

/** Rows of a database that hosts share. What may be large is a blob, and its name a row. */
export function sqlRows(database: Database, blobs: BlobStore): Rows {
  return {
    ledger: new SqlLedger(database),
    embeddings: sqlEmbeddings(database),
    scores: sqlScores(database),
    budgets: new SqlBudgets(database),
    timings: new SqlTimings(database),
    documents(room) {
      const rows = new SqlDocuments(database, room);
      return room === 'campaigns' ? new LargeDocuments(rows, blobs) : rows;
    },
  };
}
