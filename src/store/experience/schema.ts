import { type Database, statement } from '../database';

/** How vectors are stored, which is all that differs between a Postgres with pgvector and one without. */
export interface Vectors {
  readonly kind: 'pgvector' | 'real[]';
  /** SQL that reads a vector out of a text parameter. */
  read(parameter: string): string;
  /** SQL of the cosine of a stored vector and a parameter; all vectors have length 1. */
  cosine(column: string, parameter: string): string;
  /** A vector as that parameter. */
  write(vector: readonly number[]): string;
}

/**
 * Exact search, and no index on purpose: a store holds thousands of units, an approximate index over so few loses
 * neighbours and wins nothing, and the vectors' length may change with the model that makes them.
 */
const PGVECTOR: Vectors = {
  kind: 'pgvector',
  read: (parameter) => `(${parameter}::text)::vector`,
  cosine: (column, parameter) => `(1 - (${column} <=> (${parameter}::text)::vector))`,
  write: (vector) => `[${vector.join(',')}]`,
};
/** The same without the extension: slower by a constant, and the same answers. */
const ARRAYS: Vectors = {
  kind: 'real[]',
  read: (parameter) => `(${parameter}::text)::real[]`,
  cosine: (column, parameter) =>
    `(select coalesce(sum(a * b), 0) from unnest(${column}, (${parameter}::text)::real[]) as pairs(a, b))`,
  write: (vector) => `{${vector.join(',')}}`,
};

/** Makes what is missing, at once or beside another process that does the same. Safe to repeat. */
export async function prepare(database: Database): Promise<Vectors> {
  const extension = await hasVector(database);
  const type = extension ? 'vector' : 'real[]';
  await database.run([
    // "if not exists" looks and then makes, which two processes can do at the same time.
    statement('select pg_advisory_xact_lock(7711250231)'),
    ...TABLES.map((sql) => statement(sql.replace('VECTOR', type))),
    statement(`insert into experience.meta values ('revision', '0') on conflict do nothing`),
  ]);
  const [column] = await database.run([
    statement(`select udt_name as type from information_schema.columns
      where table_schema = 'experience' and table_name = 'units' and column_name = 'embedding'`),
  ]);
  if (column?.[0]?.type === 'vector') return PGVECTOR;
  if (!extension) return ARRAYS;
  // The extension came after the tables.
  await database.run([
    statement('alter table experience.units alter column embedding type vector using embedding::vector'),
  ]);
  return PGVECTOR;
}

/** The extension needs to be installed on the server, and creating it a role that may: neither is a reason to give up. */
async function hasVector(database: Database): Promise<boolean> {
  const there = `select 1 from pg_extension where extname = 'vector'`;
  const [found] = await database.run([statement(there)]);
  if (found?.length) return true;
  try {
    await database.run([
      statement('select pg_advisory_xact_lock(7711250231)'),
      statement('create extension if not exists vector'),
    ]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'Unavailable') throw error;
    const [now] = await database.run([statement(there)]);
    return (now?.length ?? 0) > 0;
  }
}

const TABLES = [
  'create schema if not exists experience',
  // `revision` counts changes of what the units say: a unit is inserted only if nothing came since its neighbours were looked up.
  'create table if not exists experience.meta (key text primary key, value text not null)',
  `create table if not exists experience.units (
    id text primary key,
    version int not null,
    body jsonb not null,
    status text not null,
    hits int not null,
    successes int not null,
    failures int not null,
    embedder text not null,
    embedding VECTOR not null,
    document tsvector not null
  )`,
  `create table if not exists experience.unit_versions (
    id text not null, version int not null, body jsonb not null, primary key (id, version)
  )`,
  // Who was shown what, and where: only these units may be judged.
  `create table if not exists experience.anchors (
    run text not null, anchor text not null, unit text not null, repository text, primary key (run, anchor, unit)
  )`,
  'create table if not exists experience.hits (run text not null, unit text not null, primary key (run, unit))',
  `create table if not exists experience.verdicts (
    run text not null, anchor text not null, unit text not null, verdict text not null, why text not null,
    primary key (run, anchor, unit)
  )`,
  // What was learned under which key: a retried activity gets the same answer.
  'create table if not exists experience.learned (key text primary key, outcome text not null, unit text not null)',
  // Shipped units that somebody does not want back.
  'create table if not exists experience.forgotten (id text primary key)',
] as const;
