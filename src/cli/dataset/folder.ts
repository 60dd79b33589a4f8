import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetManifest, DatasetOrigin, jsonLines, nearest, PointsmanError } from '../../contract';
import type { Cli } from '../context';

export interface FoundDataset {
  readonly manifest: DatasetManifest;
  /** For people: its folder, or where it is in the store that hosts share. */
  readonly place: string;
  /** The folder itself, brought here where it is in a shared store. */
  folder(): Promise<string>;
}

/** Names of the data sets in this home, or in the store that it shares. */
export async function datasetNames(cli: Cli): Promise<string[]> {
  const names = await cli.stores.results.names('datasets');
  const whole = await Promise.all(
    names.map(async (name) => ((await cli.stores.results.read('datasets', name, MANIFEST)) ? [name] : [])),
  );
  return whole.flat().sort();
}

const MANIFEST = 'manifest.json';

/** A data set by its name, the id of its workflow or its folder. Throws `NotFound` with the name that comes closest. */
export async function readDataset(cli: Cli, named: string): Promise<FoundDataset> {
  const { results } = cli.stores;
  const name = named.replace(/^dataset\//, '');
  const kept = await results.read('datasets', name, MANIFEST);
  if (kept) {
    return {
      manifest: manifestIn(kept),
      place: results.addressOf('datasets', name),
      folder: async () => (await results.find('datasets', name)) ?? results.addressOf('datasets', name),
    };
  }
  const file = join(named, MANIFEST);
  if (existsSync(file)) return { manifest: manifestIn(readFileSync(file)), place: named, folder: async () => named };
  const names = await datasetNames(cli);
  const close = nearest(name, names);
  throw new PointsmanError(
    'NotFound',
    `there is no data set "${named}"${close ? `, did you mean "${close}"?` : names.length > 0 ? ` (there are: ${names.join(', ')})` : ''}`,
    '`pointsman dataset list` shows those of this home; one that is still being made is not among them.',
  );
}

/** The lines of `rows.jsonl`. */
export function originsIn(folder: string): DatasetOrigin[] {
  const file = join(folder, 'rows.jsonl');
  return jsonLines(DatasetOrigin, readFileSync(file, 'utf8'), file);
}

function manifestIn(bytes: Buffer): DatasetManifest {
  return DatasetManifest.parse(JSON.parse(bytes.toString('utf8')));
}
