import { UnitSignals } from '../contract';
import { type Database, statement } from './database';
import { REVISION } from './units';

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
