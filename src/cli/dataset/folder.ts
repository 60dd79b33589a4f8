import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatasetManifest, DatasetOrigin, jsonLines, nearest, PointsmanError } from '../../contract';
import { nameOfEntry } from '../../store/entry-name';
import type { Cli } from '../context';

export interface DatasetFolder {
  readonly folder: string;
  readonly manifest: DatasetManifest;
}

/** What a killed process left beside them. */
const UNFINISHED = /\.[0-9a-f]{8}\.draft(\.old)?$/;

/** Names of the data sets in this home. */
export function datasetNames(cli: Cli): string[] {
  const root = rootOf(cli);
  if (!existsSync(root)) return [];
  const complete = readdirSync(root).filter(
    (name) => !UNFINISHED.test(name) && existsSync(join(root, name, 'manifest.json')),
  );
  return complete.map(nameOfEntry).sort();
}

/** A data set by its name, the id of its workflow or its folder. Throws `NotFound` with the name that comes closest. */
export function readDataset(cli: Cli, named: string): DatasetFolder {
  const name = named.replace(/^dataset\//, '');
  const folders = [cli.stores.results.pathOf('datasets', name), named];
  const folder = folders.find((path) => existsSync(join(path, 'manifest.json')));
  if (folder === undefined) {
    const names = datasetNames(cli);
    const close = nearest(name, names);
    throw new PointsmanError(
      'NotFound',
      `there is no data set "${named}"${close ? `, did you mean "${close}"?` : names.length > 0 ? ` (there are: ${names.join(', ')})` : ''}`,
      '`pointsman dataset list` shows those of this home; one that is still being made is not among them.',
    );
  }
  return { folder, manifest: DatasetManifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))) };
}

/** The lines of `rows.jsonl`. */
export function originsIn(folder: string): DatasetOrigin[] {
  const file = join(folder, 'rows.jsonl');
  return jsonLines(DatasetOrigin, readFileSync(file, 'utf8'), file);
}

function rootOf(cli: Cli): string {
  return join(cli.settings.home, 'datasets');
}
