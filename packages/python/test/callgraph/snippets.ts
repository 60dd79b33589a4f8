import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallGraph, callGraphOf, moduleNameOf, openPython } from '@pointsman/python';
import { pythonFiles } from '../files';

const ROOT = join(__dirname, 'snippets');

export interface Snippet {
  readonly category: string;
  readonly name: string;
  readonly dir: string;
  /** Callees of each caller, sorted. */
  readonly expected: Readonly<Record<string, readonly string[]>>;
}

/** Small programs of our own, each with the call graph that Python's semantics give it. */
export const SNIPPETS: readonly Snippet[] = readdirSync(ROOT)
  .sort()
  .flatMap((category) =>
    readdirSync(join(ROOT, category))
      .sort()
      .map((name): Snippet => {
        const dir = join(ROOT, category, name);
        const expected = JSON.parse(readFileSync(join(dir, 'callgraph.json'), 'utf8')) as Snippet['expected'];
        return { category, name, dir, expected };
      }),
  );

/** The graph of a program whose `main.py` starts it. */
export async function graphOfFolder(
  dir: string,
  entries: readonly string[] | undefined = ['main'],
): Promise<CallGraph> {
  const python = await openPython();
  const files = pythonFiles(dir);
  const paths = new Set(files.map(({ path }) => path));
  const modules = files.map(({ path, text }) => ({
    name: moduleNameOf(path, paths),
    syntax: python.parse(path, text),
  }));
  return callGraphOf(python, modules, entries ? { entries } : {});
}

export function asObject({ edges }: CallGraph): Record<string, string[]> {
  return Object.fromEntries([...edges].map(([caller, callees]) => [caller, [...callees].sort()]));
}
