import { join } from 'node:path';
import type { DatasetFile, DatasetOrigin } from '../contract';
import { EXPORTERS } from '../dataset/exporters';
import type { ReadTurn } from '../dataset/exporters/exporter';
import { fileLines } from '../store/file-lines';
import type { DatasetFolder } from './dataset-folder';

export interface FoundRecord {
  /** File and line. */
  readonly where: string;
  readonly turns: readonly ReadTurn[];
}

/** Formats that name the step of each turn, in the order in which they are looked at. */
const WITH_STEPS = ['universal', 'axolotl', 'trl', 'tokens'] as const;

/** Where a row stands in the files, with its turns as the file has them; several records where a format parts rows. */
export async function recordsOf({ folder, manifest }: DatasetFolder, origin: DatasetOrigin): Promise<FoundRecord[]> {
  const file = WITH_STEPS.map((format) =>
    manifest.result.files.find(
      (each) => each.format === format && each.split === origin.split && each.path.endsWith('.jsonl'),
    ),
  ).find((each) => each !== undefined);
  return file ? recordsIn(folder, file, origin.id) : [];
}

async function recordsIn(folder: string, { path, format }: DatasetFile, id: string): Promise<FoundRecord[]> {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') return [];
  const found: FoundRecord[] = [];
  const named = JSON.stringify(id);
  let number = 0;
  for await (const line of fileLines(join(folder, path))) {
    number += 1;
    // Most lines are megabytes about another row.
    if (!line.includes(named)) continue;
    const read = exporter.read(JSON.parse(line));
    if (read.row === id) found.push({ where: `${path}:${number}`, turns: read.turns });
  }
  return found;
}
