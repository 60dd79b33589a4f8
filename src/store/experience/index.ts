import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config';
import { PointsmanError } from '../../contract';
import { REPOSITORY } from '../../home';
import { importPeer } from '../../setup/experience';
import { entryName } from '../entry-name';
import { BUILTIN_EMBEDDER, profileEmbedder } from './embedder';
import type { ExperienceStore, Shipped } from './experience';
import { type ExperiencePlace, SqlExperience } from './sql';

type Env = Readonly<Record<string, string | undefined>>;

/** The store that the configuration names. Nothing is read or opened before it is used; then `InvalidInput` may be thrown. */
export function experienceOf(settings: Pick<Settings, 'config' | 'home'>, env: Env = process.env): ExperienceStore {
  return SqlExperience.at((apart) => placeOf(settings, env, apart));
}

/** A memory apart is always in the home, also where the worker's own is a server: it is one host's scratch. */
function placeOf({ config, home }: Pick<Settings, 'config' | 'home'>, env: Env, apart?: string): ExperiencePlace {
  const { shared, embeddings } = config.store;
  // Without a word of its own, it is in the database that hosts share.
  const experience = config.store.experience ?? shared?.database;
  const embed = embeddings === undefined ? BUILTIN_EMBEDDER : profileEmbedder(config, embeddings, env);
  if (apart !== undefined) return { folder: join(home, 'experience-apart', entryName(apart)), embed };
  if (experience === undefined) return { folder: join(home, 'experience'), embed };
  const url = env[experience]?.trim();
  if (url) return { url, embed };
  throw new PointsmanError(
    'InvalidInput',
    `store.${config.store.experience ? 'experience' : 'shared.database'}: environment variable ${experience} is not set`,
    `Set ${experience} to a Postgres URL where the worker starts, or remove the field to use the embedded database.`,
  );
}

const FILE = join(REPOSITORY, 'experience', 'units.jsonl');

/**
 * Brings the units that come with the package into a store, once per content of the file. Throws `InvalidInput` when the
 * file holds a row that is no unit: it is ours, so nothing in it is drift.
 */
export async function shipExperience(store: ExperienceStore, file = FILE): Promise<Shipped> {
  const text = readFileSync(file, 'utf8');
  const { units, quarantined } = importPeer(text);
  const [bad] = quarantined;
  if (bad) {
    throw new PointsmanError(
      'InvalidInput',
      `${file}:${bad.line}: ${bad.reason}`,
      'Restore the file from the package.',
    );
  }
  return store.ship(units, createHash('sha256').update(text).digest('hex'));
}
