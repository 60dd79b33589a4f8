import { type ExperienceUnit, PointsmanError, type UnitStatus } from '../contract';
import { type Database, json, type Row, statement } from './database';
import { readableUnits, UNIT_COLUMNS, unitOf } from './units';

export interface ListOptions {
  readonly status?: UnitStatus;
  readonly lang?: string;
  /** Words that have to be in a unit. */
  readonly words?: string;
}

export interface ShownUnit {
  readonly unit: ExperienceUnit;
  readonly earlier: { readonly version: number; readonly body: unknown }[];
}

export interface UnitCounts {
  readonly units: number;
  readonly active: number;
  readonly quarantined: number;
  readonly shipped: number;
  readonly hits: number;
  readonly successes: number;
  readonly failures: number;
  readonly runs: number;
}

/** Those whose trials went well come first. */
export async function listUnits(database: Database, { status, lang, words }: ListOptions): Promise<ExperienceUnit[]> {
  const [rows = []] = await database.run([
    statement(
      `select ${UNIT_COLUMNS} from experience.units u
        where ($1::text is null or u.status = $1)
          and ($2::text is null or u.body #>> '{signals,applicability,lang}' = $2)
          and ($3::text is null or u.document @@ plainto_tsquery('simple', $3))
        order by u.successes - u.failures desc, u.id`,
      status ?? null,
      lang ?? null,
      words ?? null,
    ),
  ]);
  return readableUnits(rows);
}

/** A unit with the bodies of its earlier versions. Throws `NotFound`. */
export async function showUnit(database: Database, id: string): Promise<ShownUnit> {
  const [row] = await unitRows(database, [id]);
  if (!row) throw new PointsmanError('NotFound', `there is no unit ${id}`, '`pointsman experience list` shows them.');
  const [earlier = []] = await database.run([
    statement('select version, body from experience.unit_versions where id = $1 order by version', id),
  ]);
  return { unit: unitOf(row), earlier: earlier.map(({ version, body }) => ({ version: Number(version), body })) };
}

export async function countUnits(database: Database): Promise<UnitCounts> {
  const [rows] = await database.run([
    statement(`select count(*)::int as units, count(*) filter (where status = 'active')::int as active,
        count(*) filter (where status = 'quarantined')::int as quarantined,
        count(*) filter (where body #>> '{provenance,shipped}' = 'true')::int as shipped,
        coalesce(sum(hits), 0)::int as hits, coalesce(sum(successes), 0)::int as successes,
        coalesce(sum(failures), 0)::int as failures,
        (select count(distinct run)::int from experience.hits) as runs from experience.units`),
  ]);
  return rows![0] as unknown as UnitCounts;
}

/** Those of the ids that are there. */
export async function unitRows(database: Database, ids: readonly string[]): Promise<Row[]> {
  const [rows = []] = await database.run([
    statement(
      `select ${UNIT_COLUMNS} from experience.units u where u.id in (select jsonb_array_elements_text($1::jsonb))`,
      json(ids),
    ),
  ]);
  return rows;
}
