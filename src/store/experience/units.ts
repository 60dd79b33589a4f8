import { createHash } from 'node:crypto';
import { type ExperienceDraft, ExperienceUnit } from '../../contract';
import { unitText } from '../../setup/experience';
import { json, type Row, type Statement, statement } from '../database';
import type { Embedder } from './embedder';
import type { Vectors } from './schema';

/** Columns that make a unit; telemetry, status and version live outside of the body, where they change one by one. */
export const UNIT_COLUMNS = 'u.id, u.version, u.body, u.status, u.hits, u.successes, u.failures';

export function unitOf(row: Row): ExperienceUnit {
  const { telemetry, ...body } = row.body as Record<string, unknown>;
  return ExperienceUnit.parse({
    ...body,
    id: row.id,
    version: row.version,
    status: row.status,
    telemetry: { ...(telemetry as object), hits: row.hits, successes: row.successes, failures: row.failures },
  });
}

/** The units of rows. One that cannot be read is named and left out: it must not hide all the others. */
export function readableUnits(rows: readonly Row[]): ExperienceUnit[] {
  return rows.flatMap((row) => {
    try {
      return [unitOf(row)];
    } catch {
      const mend = `\`pointsman experience forget ${row.id}\` takes it out`;
      process.emitWarning(`the experience unit ${row.id} cannot be read and is left out; ${mend}`);
      return [];
    }
  });
}

/** What is stored of a unit besides its counters, in the order of `insertUnit`. */
interface Stored {
  readonly unit: ExperienceUnit;
  readonly text: string;
  readonly vector: string;
}

export async function storable(
  units: readonly ExperienceUnit[],
  embedder: Embedder,
  vectors: Vectors,
): Promise<Stored[]> {
  const embedded = await embedder.embed(units.map(unitText));
  return units.map((unit, at) => ({ unit, text: wordsOf(unit), vector: vectors.write(embedded[at]!) }));
}

/** All that it says, for the full-text search. Its vector stands for less: long advice would drown what the unit is about. */
function wordsOf(unit: ExperienceUnit): string {
  return `${unitText(unit)}\n${unit.advice_nl.join('\n')}`;
}

/**
 * `insert` of a unit that is not there yet, `from` a gate of one row (or none, then nothing happens). Parameters are
 * numbered from `first`.
 */
export function insertUnit(vectors: Vectors, first: number, from = '(select 1) as gate'): string {
  const at = (offset: number) => `$${first + offset}`;
  return `insert into experience.units
    (id, version, body, status, hits, successes, failures, embedder, embedding, document)
    select ${at(0)}::text, ${at(1)}::int, ${at(2)}::jsonb, ${at(3)}::text, ${at(4)}::int, ${at(5)}::int, ${at(6)}::int,
      ${at(7)}::text, ${vectors.read(at(8))}, to_tsvector('simple', ${at(9)}::text)
    from ${from}`;
}

const CONTENT = ['body', 'embedder', 'embedding', 'document'];
const ALL = [...CONTENT, 'status', 'hits', 'successes', 'failures'];
/** What says something else is a version of its own, so that each keeps its text in the history. */
const NEXT = `greatest(excluded.version, units.version + (units.body <> excluded.body)::int)`;
const taken = (columns: readonly string[]) => columns.map((column) => `${column} = excluded.${column}`).join(', ');

/** What happens to a unit that is there already: it stays; it says what the new one says; it becomes the new one, see `keepEarlier`. */
export const ON_CONFLICT = {
  keep: 'on conflict (id) do nothing',
  content: `on conflict (id) do update set ${taken(CONTENT)} where units.version = 1`,
  replace: `on conflict (id) do update set ${taken(ALL)}, version = ${NEXT}`,
} as const;

/** Puts the text that a unit has beside, before another one replaces it. */
export function keepEarlier({ unit }: Stored): Statement {
  return statement(
    `insert into experience.unit_versions select id, version, body from experience.units
      where id = $1 and body <> $2::jsonb on conflict do nothing`,
    unit.id,
    json(bodyOf(unit)),
  );
}

export function insertParameters({ unit, text, vector }: Stored, embedder: string) {
  const { hits, successes, failures } = unit.telemetry;
  const body = json(bodyOf(unit));
  return [unit.id, unit.version ?? 1, body, unit.status, hits, successes, failures, embedder, vector, text] as const;
}

function bodyOf(unit: ExperienceUnit): object {
  const { id: _id, version: _version, status: _status, telemetry, ...body } = unit;
  const { hits: _hits, successes: _successes, failures: _failures, ...more } = telemetry;
  return Object.keys(more).length > 0 ? { ...body, telemetry: more } : body;
}

/** Counts changes of what the units say. */
export const REVISION = `select value from experience.meta where key = 'revision'`;
export const BUMP = `update experience.meta set value = (value::bigint + 1)::text where key = 'revision'`;

/** The same content has the same digest, whatever its counters are. */
export function contentDigest(value: ExperienceUnit | ExperienceDraft): string {
  const { signals, advice_nl, atoms } = value;
  return createHash('sha256')
    .update(JSON.stringify([signals, advice_nl, atoms]))
    .digest('hex');
}

/** Brings vectors that another embedding made up to date; what changed in between is left for the next time. */
export function reembed({ unit, text, vector }: Stored, embedder: string, vectors: Vectors): Statement {
  return statement(
    `update experience.units set embedder = $3, embedding = ${vectors.read('$4')}, document = to_tsvector('simple', $5::text)
      where id = $1 and version = $2`,
    unit.id,
    unit.version ?? 1,
    embedder,
    vector,
    text,
  );
}
