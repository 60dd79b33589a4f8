import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexRepository, openPython, type PythonIndex, type SourceFile } from '@pointsman/python';

/** The index of a repository that is written down in a test: its files by path. */
export async function indexed(files: Readonly<Record<string, string>>): Promise<PythonIndex> {
  const all = Object.entries(files).map(([path, text]) => ({ path, text }));
  return indexRepository(await openPython(), all);
}

/** The Python files of a folder, in the order of their paths. */
export function pythonFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.py'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}
