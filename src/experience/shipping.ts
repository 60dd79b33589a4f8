import type { ExperienceUnit } from '../contract';
import { type Database, statement } from './database';

export interface Shipped {
  /** False where this digest was brought in before. */
  readonly changed: boolean;
  readonly units: number;
}

/**
 * Brings in the units of one file. Safe to repeat and to do at the same time: the digest is written last, and each unit is
 * the same whoever writes it. A unit that runs have merged something into stays as it is, its record stays in any case, and
 * one that was forgotten stays away.
 */
export async function shipUnits(
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
