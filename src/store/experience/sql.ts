import {
  type ExperienceDraft,
  type ExperienceUnit,
  type Judgement,
  PointsmanError,
  type RepositoryFacts,
  type Situation,
  type UnitVerdict,
} from '../../contract';
import type { Ranked } from '../../setup/experience';
import { type Database, json, type Row, statement } from '../database';
import { connectPostgres } from '../postgres';
import { bookVerdicts, keepAnchor } from './auditing';
import { openEmbedded } from './embedded';
import type { Embedder } from './embedder';
import type {
  Anchor,
  Audited,
  ExperienceStats,
  ExperienceStore,
  FindOptions,
  ImportCounts,
  LearnAttempt,
  Learned,
  ListOptions,
  Shipped,
  ShownUnit,
  UnitCounts,
} from './experience';
import { Catalogue, findCandidates } from './finding';
import { attemptLearning } from './learning';
import { prepare, type Vectors } from './schema';
import {
  BUMP,
  insertParameters,
  insertUnit,
  keepEarlier,
  ON_CONFLICT,
  readableUnits,
  reembed,
  storable,
  UNIT_COLUMNS,
  unitOf,
} from './units';

/** `url`: a Postgres server; `folder`: the database of this host, shared by its processes. */
export type ExperiencePlace = ({ readonly url: string } | { readonly folder: string }) & { readonly embed: Embedder };

const AT_ONCE = 64;
/** Memories apart that are held open at once: each is a Postgres of some 380 MB. */
const MOST_AWAKE = 2;

interface Parts {
  readonly database: Database;
  readonly embedder: Embedder;
  readonly vectors: Vectors;
  readonly catalogue: Catalogue;
}

/** Experience in tables: of a Postgres, or of one inside of this process. */
export class SqlExperience implements ExperienceStore {
  private ready: Promise<Parts> | undefined;

  private readonly others = new Map<string, SqlExperience>();

  private constructor(
    private readonly place: (apart?: string) => ExperiencePlace,
    private readonly used: () => void = () => {},
  ) {}

  /** Nothing is looked at or opened yet: a worker that needs no experience pays nothing for it. */
  static at(place: (apart?: string) => ExperiencePlace): SqlExperience {
    return new SqlExperience(place);
  }

  /** As `at`, and sure that it works. Throws `Unavailable`. */
  static async open(place: ExperiencePlace): Promise<SqlExperience> {
    const store = SqlExperience.at(() => place);
    await store.parts();
    return store;
  }

  apart(name: string): SqlExperience {
    const known = this.others.get(name);
    if (known) return known;
    const other = new SqlExperience(
      () => this.place(name),
      () => this.awaken(name),
    );
    this.others.set(name, other);
    return other;
  }

  /** Those that were used longest ago come first; all but the last few rest, if nothing of theirs runs. */
  private awaken(name: string): void {
    const other = this.others.get(name)!;
    this.others.delete(name);
    this.others.set(name, other);
    for (const idle of [...this.others.values()].slice(0, -MOST_AWAKE)) void idle.rest();
  }

  private async rest(): Promise<void> {
    const parts = await this.ready?.catch(() => undefined);
    await parts?.database.rest?.();
  }

  async close(): Promise<void> {
    await Promise.all([...this.others.values()].map((other) => other.close()));
    const parts = await this.ready?.catch(() => undefined);
    await parts?.database.close();
  }

  async find(situation: Situation, facts: RepositoryFacts, options: FindOptions = {}): Promise<Ranked[]> {
    const parts = await this.parts();
    const entries = await parts.catalogue.entries(() => this.refresh());
    return findCandidates(parts, entries, situation, facts, options);
  }

  async anchor(anchor: Anchor): Promise<void> {
    const { database } = await this.parts();
    await keepAnchor(database, anchor);
  }

  async audit(audit: { run: string; anchor: string; verdicts: readonly UnitVerdict[] }): Promise<Audited> {
    const { database } = await this.parts();
    return bookVerdicts(database, audit);
  }

  async attemptLearning(draft: ExperienceDraft, judgement?: Judgement): Promise<LearnAttempt> {
    const parts = await this.parts();
    await this.refresh();
    return attemptLearning(parts, draft, judgement);
  }

  async learn(
    draft: ExperienceDraft,
    judge: (draft: ExperienceDraft, nearest: ExperienceUnit) => Promise<Judgement>,
  ): Promise<Learned> {
    let judgement: Judgement | undefined;
    for (let asked = 0; asked < 8; asked++) {
      const attempt = await this.attemptLearning(draft, judgement);
      if (attempt.outcome !== 'needs-judgement') return attempt;
      judgement = await judge(draft, attempt.nearest);
    }
    throw new PointsmanError('Unavailable', 'the nearest unit changed each time that it had been judged', 'Try again.');
  }

  async import(units: readonly ExperienceUnit[], { replace = false } = {}): Promise<ImportCounts> {
    const { database } = await this.parts();
    const rows = await unitRows(
      database,
      units.map(({ id }) => id),
    );
    const known = new Set(rows.map(({ id }) => String(id)));
    const wanted = replace ? units : units.filter(({ id }) => !known.has(id));
    await this.write(wanted, replace ? 'replace' : 'keep');
    const replaced = replace ? units.filter(({ id }) => known.has(id)).length : 0;
    return { inserted: units.length - known.size, replaced, known: known.size - replaced };
  }

  async ship(units: readonly ExperienceUnit[], digest: string): Promise<Shipped> {
    const { database } = await this.parts();
    return shipUnits(database, units, digest, (wanted) => this.write(wanted, 'content'));
  }

  async list(options: ListOptions = {}): Promise<ExperienceUnit[]> {
    return listUnits((await this.parts()).database, options);
  }

  async show(id: string): Promise<ShownUnit> {
    return showUnit((await this.parts()).database, id);
  }

  async forget(id: string): Promise<boolean> {
    const { database } = await this.parts();
    const results = await database.run([
      statement(BUMP),
      statement(`insert into experience.forgotten values ($1) on conflict do nothing`, id),
      statement('delete from experience.unit_versions where id = $1', id),
      statement('delete from experience.units where id = $1 returning id', id),
    ]);
    return (results.at(-1)?.length ?? 0) > 0;
  }

  async stats(): Promise<ExperienceStats> {
    const { database, embedder, vectors } = await this.parts();
    const counts = await countUnits(database);
    return { ...counts, database: database.name, vectors: vectors.kind, embedding: embedder.name };
  }

  private async write(units: readonly ExperienceUnit[], conflict: keyof typeof ON_CONFLICT): Promise<void> {
    const { database, embedder, vectors } = await this.parts();
    const sql = `${insertUnit(vectors, 1)} ${ON_CONFLICT[conflict]}`;
    for (let from = 0; from < units.length; from += AT_ONCE) {
      const stored = await storable(units.slice(from, from + AT_ONCE), embedder, vectors);
      const statements = stored.map((each) => statement(sql, ...insertParameters(each, embedder.name)));
      const earlier = conflict === 'replace' ? stored.map(keepEarlier) : [];
      await database.run([statement(BUMP), ...earlier, ...statements]);
    }
  }

  /** After a change of the embedding, vectors of another one are made anew: they cannot be compared. */
  private async refresh(): Promise<void> {
    const { database, embedder, vectors } = await this.parts();
    for (let after = ''; ; ) {
      const [rows = []] = await database.run([
        statement(
          `select ${UNIT_COLUMNS} from experience.units u where u.embedder <> $1 and u.id > $2 order by u.id limit ${AT_ONCE}`,
          embedder.name,
          after,
        ),
      ]);
      if (rows.length === 0) return;
      // Onwards also past one that cannot be read and keeps its old vector.
      after = String(rows.at(-1)!.id);
      const stored = await storable(readableUnits(rows), embedder, vectors);
      // A process with another embedding has to see that its vectors are gone.
      await database.run([statement(BUMP), ...stored.map((each) => reembed(each, embedder.name, vectors))]);
    }
  }

  private async parts(): Promise<Parts> {
    this.used();
    // An attempt that failed is no answer: the next caller tries again.
    this.ready ??= openParts(this.place()).catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }
}

async function openParts(place: ExperiencePlace): Promise<Parts> {
  const database =
    'url' in place
      ? connectPostgres(place.url, { what: 'the experience database', field: 'store.experience' })
      : openEmbedded(place.folder);
  try {
    const vectors = await prepare(database);
    return { database, embedder: place.embed, vectors, catalogue: new Catalogue(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listUnits(database: Database, { status, lang, words }: ListOptions): Promise<ExperienceUnit[]> {
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

async function showUnit(database: Database, id: string): Promise<ShownUnit> {
  const [row] = await unitRows(database, [id]);
  if (!row) throw new PointsmanError('NotFound', `there is no unit ${id}`, '`pointsman experience list` shows them.');
  const [earlier = []] = await database.run([
    statement('select version, body from experience.unit_versions where id = $1 order by version', id),
  ]);
  return { unit: unitOf(row), earlier: earlier.map(({ version, body }) => ({ version: Number(version), body })) };
}

async function countUnits(database: Database): Promise<UnitCounts> {
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
async function unitRows(database: Database, ids: readonly string[]): Promise<Row[]> {
  const [rows = []] = await database.run([
    statement(
      `select ${UNIT_COLUMNS} from experience.units u where u.id in (select jsonb_array_elements_text($1::jsonb))`,
      json(ids),
    ),
  ]);
  return rows;
}

/**
 * Brings in the units of one file. Safe to repeat and to do at the same time: the digest is written last, and each unit is
 * the same whoever writes it. A unit that runs have merged something into stays as it is, its record stays in any case, and
 * one that was forgotten stays away.
 */
async function shipUnits(
  database: Database,
  units: readonly ExperienceUnit[],
  digest: string,
  write: (units: readonly ExperienceUnit[]) => Promise<void>,
): Promise<Shipped> {
  const [known, forgotten] = await database.run([
    statement(`select value from experience.meta where key = 'shipped'`),
    statement('select id from experience.forgotten'),
  ]);
  if (known?.[0]?.value === digest) return { changed: false, units: 0 };
  const away = new Set((forgotten ?? []).map(({ id }) => id));
  const wanted = units
    .filter(({ id }) => !away.has(id))
    .map((unit) => ({ ...unit, provenance: { ...unit.provenance, shipped: true } }));
  await write(wanted);
  await database.run([
    statement(
      `insert into experience.meta values ('shipped', $1) on conflict (key) do update set value = excluded.value`,
      digest,
    ),
  ]);
  return { changed: true, units: wanted.length };
}
