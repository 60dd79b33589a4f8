import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError } from '../contract';
import { REPOSITORY } from '../home';
import { importPeer } from '../setup/experience';
import type { Shipped } from './shipping';
import type { ExperienceStore } from './store';

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
