import { type RepositoryFacts, type Situation, UnitSignals } from '../../contract';
import {
  applies,
  type Candidate,
  evidenceOf,
  NEAR,
  type Ranked,
  rank,
  signalHits,
  situationText,
} from '../../setup/experience';
import { type Database, json, type Row, statement } from '../database';
import type { Embedder } from './embedder';
import type { FindOptions } from './experience';
import { tryPatterns } from './patterns';
import type { Vectors } from './schema';
import { REVISION, readableUnits, UNIT_COLUMNS } from './units';

/** What has to be known of every unit to say whether it may apply. */
export interface Entry {
  readonly id: string;
  readonly signals: UnitSignals;
  /** Came with the package. */
  readonly shipped: boolean;
}

/** The signals of all units, read again only when a unit came, changed or went since: each search needs them all. */
export class Catalogue {
  private known: { readonly revision: string; readonly entries: readonly Entry[] } | undefined;

  constructor(private readonly database: Database) {}

  /** `changed` is called before the units are read anew. */
  async entries(changed: () => Promise<void>): Promise<readonly Entry[]> {
    const [[now] = []] = await this.database.run([statement(REVISION)]);
    if (this.known && this.known.revision === String(now?.value)) return this.known.entries;
    await changed();
    // The revision first: units that are newer than it are only read once more.
    const [[then] = [], rows = []] = await this.database.run([
      statement(REVISION),
      statement(
        `select id, body->'signals' as signals, body #>> '{provenance,shipped}' = 'true' as shipped from experience.units`,
      ),
    ]);
    // One whose signals cannot be read is found by none.
    const entries = rows.flatMap((row) => {
      const signals = UnitSignals.safeParse(row.signals).data;
      return signals ? [{ id: String(row.id), signals, shipped: row.shipped === true }] : [];
    });
    this.known = { revision: String(then?.value), entries };
    return entries;
  }
}

const NEIGHBOURS = 10;
const BY_TEXT = 10;

/**
 * Layer one: units whose signals are in the error, the nearest vectors and the best of the full-text search, of all units
 * that may apply here; ranked. Filtered before the searches are cut off, so that ten near units for another language do not
 * hide the eleventh.
 */
export async function findCandidates(
  { database, embedder, vectors }: { database: Database; embedder: Embedder; vectors: Vectors },
  entries: readonly Entry[],
  situation: Situation,
  facts: RepositoryFacts,
  { exclude = [], limit = 10, shipped = true }: FindOptions,
): Promise<Ranked[]> {
  const hidden = new Set(exclude);
  const known = shipped ? entries : entries.filter((entry) => !entry.shipped);
  const fitting = known.filter(({ id, signals }) => !hidden.has(id) && applies(signals.applicability, facts));
  if (fitting.length === 0) return [];

  const evidence = evidenceOf(situation);
  const patterns = [...new Set(fitting.flatMap(({ signals }) => signals.regex))];
  const { hits } = await tryPatterns(patterns, evidence);
  const bySignal = fitting.filter(({ signals }) => signalHits(signals, evidence, hits).length > 0).map(({ id }) => id);

  const ids = json(fitting.map(({ id }) => id));
  const [query] = await embedder.embed([situationText(situation)]);
  const among = (parameter: string) => `u.id in (select jsonb_array_elements_text(${parameter}::jsonb))`;
  const cosine = vectors.cosine('u.embedding', '$2');
  const [near = [], texts = []] = await database.run([
    statement(
      `select ${UNIT_COLUMNS}, ${cosine} as cosine from experience.units u
        where ${among('$1')} and u.embedder = $3 and ${cosine} >= ${NEAR} order by cosine desc, u.id limit ${NEIGHBOURS}`,
      ids,
      vectors.write(query!),
      embedder.name,
    ),
    statement(
      `select ${UNIT_COLUMNS}, ts_rank(u.document, to_tsquery('simple', $2), 32) as rank from experience.units u
        where ${among('$1')} and u.document @@ to_tsquery('simple', $2) order by rank desc, u.id limit ${BY_TEXT}`,
      ids,
      anyWordOf(evidence.key),
    ),
  ]);
  const found = new Set([...near, ...texts].map(({ id }) => String(id)));
  const missing = bySignal.filter((id) => !found.has(id));
  const [signalled = []] = await database.run([
    statement(`select ${UNIT_COLUMNS} from experience.units u where ${among('$1')}`, json(missing)),
  ]);
  const rows = new Map([...near, ...texts, ...signalled].map((row) => [String(row.id), row]));
  const valueIn = (list: readonly Row[], id: string, column: string) => {
    const row = list.find((each) => each.id === id);
    return row ? Number(row[column]) : null;
  };
  const candidates = readableUnits([...rows.values()]).map(
    (unit): Candidate => ({
      unit,
      cosine: valueIn(near, unit.id, 'cosine'),
      text: valueIn(texts, unit.id, 'rank'),
      patterns: hits,
    }),
  );
  return rank(candidates, situation, facts, { exclude, limit });
}

/** A query for any of the words; words of three letters and more, so that no operator gets in. */
function anyWordOf(text: string): string {
  const words = new Set(text.toLowerCase().match(/[a-z][a-z0-9_]{2,40}/g) ?? []);
  return (
    [...words]
      .filter((word) => !EVERYWHERE.has(word))
      .slice(0, 40)
      .join(' | ') || 'nothing_to_look_for'
  );
}

/** Words of every error message. */
const EVERYWHERE = new Set(
  'error errors failed failure not found the and for with from that this was are cannot could line file such'.split(
    ' ',
  ),
);
