import { join } from 'node:path';
import type { Settings } from '../config';
import { PointsmanError } from '../contract';
import { BUILTIN_EMBEDDER, profileEmbedder } from './embedder';
import { type ExperiencePlace, ExperienceStore } from './store';

type Env = Readonly<Record<string, string | undefined>>;

/** The store that the configuration names. Nothing is read or opened before it is used; then `InvalidInput` may be thrown. */
export function experienceOf(settings: Pick<Settings, 'config' | 'home'>, env: Env = process.env): ExperienceStore {
  return ExperienceStore.at((apart) => placeOf(settings, env, apart));
}

/** A memory apart is always in the home, also where the worker's own is a server: it is one host's scratch. */
function placeOf({ config, home }: Pick<Settings, 'config' | 'home'>, env: Env, apart?: string): ExperiencePlace {
  const { experience, embeddings } = config.store;
  const embed = embeddings === undefined ? BUILTIN_EMBEDDER : profileEmbedder(config, embeddings, env);
  if (apart !== undefined) return { folder: join(home, 'experience-apart', apart), embed };
  if (experience === undefined) return { folder: join(home, 'experience'), embed };
  const url = env[experience]?.trim();
  if (url) return { url, embed };
  throw new PointsmanError(
    'InvalidInput',
    `store.experience: environment variable ${experience} is not set`,
    `Set ${experience} to a Postgres URL where the worker starts, or remove store.experience to use the embedded database.`,
  );
}
