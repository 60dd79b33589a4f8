import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseError } from 'pg';
import { type Database, statement } from '../database';

const FOLDER = join(__dirname, 'migrations');
/** One at a time, however many workers start at once. */
const LOCK = statement('select pg_advisory_xact_lock(7711250232)');
/** An insert met its key: somebody else applied it while we waited for the lock. */
const TAKEN = '23505';

/** The same database, whose tables are there before anything else is asked of it. */
export function migrated(database: Database): Database {
  let ready: Promise<void> | undefined;
  return {
    ...database,
    async run(statements) {
      // An attempt that failed is no answer: the next one tries again.
      ready ??= migrate(database).catch((error: unknown) => {
        ready = undefined;
        throw error;
      });
      await ready;
      return database.run(statements);
    },
  };
}

/**
 * Brings the tables to what this version knows, each step in one transaction with the note that it was taken. Newer tables
 * are left as they are: steps only add, so that workers of two versions work beside one another. Safe to repeat.
 */
async function migrate(database: Database): Promise<void> {
  const [, , , rows = []] = await database.run([
    LOCK,
    statement('create schema if not exists pointsman'),
    statement('create table if not exists pointsman.migrations (name text primary key)'),
    statement('select name from pointsman.migrations'),
  ]);
  const applied = new Set(rows.map(({ name }) => name));
  const names = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  for (const name of names.sort().filter((each) => !applied.has(each))) {
    const note = statement('insert into pointsman.migrations values ($1)', name);
    await database.run([LOCK, note, statement(readFileSync(join(FOLDER, name), 'utf8'))]).catch((error: unknown) => {
      if (!(error instanceof DatabaseError && error.code === TAKEN)) throw error;
    });
  }
}
