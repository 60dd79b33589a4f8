import type { RepositoryFacts, Situation } from '../contract';
import {
  type ExperienceDraft,
  type ExperienceUnit,
  type Judgement,
  PointsmanError,
  type UnitVerdict,
} from '../contract';
import type { Ranked } from '../setup/experience';
import { type Anchor, type Audited, bookVerdicts, keepAnchor } from './auditing';
import {
  countUnits,
  type ListOptions,
  listUnits,
  type ShownUnit,
  showUnit,
  type UnitCounts,
  unitRows,
} from './browsing';
import { Catalogue } from './catalogue';
import { type Database, statement } from './database';
import { openEmbedded } from './embedded';
import type { Embedder } from './embedder';
import { type FindOptions, findCandidates } from './finding';
import { attemptLearning, type LearnAttempt, type Learned } from './learning';
import { connectPostgres } from './postgres';
import { prepare, type Vectors } from './schema';
import { type Shipped, shipUnits } from './shipping';
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
} from './units';

/** `url`: a Postgres server; `folder`: the database of this host, shared by its processes. */
export type ExperiencePlace = ({ readonly url: string } | { readonly folder: string }) & { readonly embed: Embedder };

export interface ExperienceStats extends UnitCounts {
  readonly database: string;
  readonly vectors: string;
  readonly embedding: string;
}

export interface ImportCounts {
  readonly inserted: number;
  readonly replaced: number;
  /** Were there already, and stay as they are. */
  readonly known: number;
}

const AT_ONCE = 64;
/** Memories apart that are held open at once: each is a Postgres of some 380 MB. */
const MOST_AWAKE = 2;

interface Parts {
  readonly database: Database;
  readonly embedder: Embedder;
  readonly vectors: Vectors;
  readonly catalogue: Catalogue;
}

/** Units of experience and their record. Everything it does may be repeated; several processes may do it at once. */
export class ExperienceStore {
  private ready: Promise<Parts> | undefined;

  private readonly others = new Map<string, ExperienceStore>();

  private constructor(
    private readonly place: (apart?: string) => ExperiencePlace,
    private readonly used: () => void = () => {},
  ) {}

  /** Nothing is looked at or opened yet: a worker that needs no experience pays nothing for it. */
  static at(place: (apart?: string) => ExperiencePlace): ExperienceStore {
    return new ExperienceStore(place);
  }

  /** As `at`, and sure that it works. Throws `Unavailable`. */
  static async open(place: ExperiencePlace): Promise<ExperienceStore> {
    const store = ExperienceStore.at(() => place);
    await store.parts();
    return store;
  }

  /** A memory of its own under that name, which is closed with this one. */
  apart(name: string): ExperienceStore {
    const known = this.others.get(name);
    if (known) return known;
    const other = new ExperienceStore(
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

  /** Candidates for a situation, best first; `exclude` are ids that were shown or tried for this error. Reads only. */
  async find(situation: Situation, facts: RepositoryFacts, options: FindOptions = {}): Promise<Ranked[]> {
    const parts = await this.parts();
    const entries = await parts.catalogue.entries(() => this.refresh());
    return findCandidates(parts, entries, situation, facts, options);
  }

  /** Books that a run was shown units; a unit's hits count once a run. */
  async anchor(anchor: Anchor): Promise<void> {
    const { database } = await this.parts();
    await keepAnchor(database, anchor);
  }

  /** Books verdicts, each exactly once per run, anchor and unit; a first success elsewhere ends a quarantine. */
  async audit(audit: { run: string; anchor: string; verdicts: readonly UnitVerdict[] }): Promise<Audited> {
    const { database } = await this.parts();
    return bookVerdicts(database, audit);
  }

  /** One attempt: done, or the neighbour that has to be judged first. */
  async attemptLearning(draft: ExperienceDraft, judgement?: Judgement): Promise<LearnAttempt> {
    const parts = await this.parts();
    await this.refresh();
    return attemptLearning(parts, draft, judgement);
  }

  /** Learns a draft, asking `judge` about neighbours until its judgement is about the neighbour as it is. */
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

  /** Inserts units with their record. Ones that are there stay as they are, or with `replace` become what was imported. */
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

  /** Brings the units that come with the package up to `digest` of their file; once per digest. */
  async ship(units: readonly ExperienceUnit[], digest: string): Promise<Shipped> {
    const { database } = await this.parts();
    return shipUnits(database, units, digest, (wanted) => this.write(wanted, 'content'));
  }

  async list(options: ListOptions = {}): Promise<ExperienceUnit[]> {
    return listUnits((await this.parts()).database, options);
  }

  /** A unit with the bodies of its earlier versions. Throws `NotFound`. */
  async show(id: string): Promise<ShownUnit> {
    return showUnit((await this.parts()).database, id);
  }

  /** Takes a unit out for good; a shipped one does not come back with the next version. False when it was not there. */
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
  const database = 'url' in place ? connectPostgres(place.url) : openEmbedded(place.folder);
  try {
    const vectors = await prepare(database);
    return { database, embedder: place.embed, vectors, catalogue: new Catalogue(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}
