import { indexRepository, openPython, type PythonIndex } from '../../src/syntax';

/** The index of a repository that is written down in a test: its files by path. */
export async function indexed(files: Readonly<Record<string, string>>): Promise<PythonIndex> {
  const all = Object.entries(files).map(([path, text]) => ({ path, text }));
  return indexRepository(await openPython(), all);
}
