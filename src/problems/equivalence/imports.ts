/** Import statements of several pieces of Python, brought together so that each name is bound once. */

interface Imported {
  /** Module of a `from … import`; null of a plain `import`. */
  readonly from: string | null;
  /** What is imported, with its alias: `numpy as np`. */
  readonly what: string;
  /** Name that it binds; `*` of a star. */
  readonly binds: string;
}

/** What an import statement of one line brings; null for any other statement. */
function readImport(statement: string): Imported[] | null {
  const plain = /^import\s+([^;#()]+)$/.exec(statement.trim());
  const from = /^from\s+(\S+)\s+import\s+\(?([^;#()]+)\)?$/.exec(statement.trim());
  const names = (plain?.[1] ?? from?.[2])?.split(',').map((name) => name.trim().replace(/\s+/g, ' '));
  if (!names) return null;
  return names
    .filter((name) => name !== '')
    .map((what) => {
      const [name, alias] = what.split(' as ');
      return { from: from?.[1] ?? null, what, binds: alias ?? (from ? name! : name!.split('.')[0]!) };
    });
}

export interface SharedImports {
  /** Statements for the head of the file, sorted. */
  readonly lines: readonly string[];
  /** Of each piece, the statements that cannot stand there, because the name means something else in another. */
  readonly own: readonly (readonly string[])[];
}

/** Hoists the imports of several pieces; where two disagree on a name, the first has it and the other keeps its own. */
export function shareImports(pieces: readonly (readonly string[])[]): SharedImports {
  const bound = new Map<string, string>();
  const shared = new Map<string, Imported>();
  const own = pieces.map((statements) =>
    statements.filter((statement) => {
      const imported = readImport(statement);
      if (!imported) return true;
      if (imported.some((each) => each.binds !== '*' && (bound.get(each.binds) ?? meaning(each)) !== meaning(each)))
        return true;
      for (const each of imported) {
        bound.set(each.binds, meaning(each));
        shared.set(`${each.from ?? ''} ${each.what}`, each);
      }
      return false;
    }),
  );
  return { lines: statementsOf([...shared.values()]), own };
}

/** `import os` and `import os.path` bind the same module; `import os as x` is another matter. */
function meaning({ from, what, binds }: Imported): string {
  return from === null && !what.includes(' as ') ? binds : `${from ?? ''} ${what}`;
}

function statementsOf(imported: readonly Imported[]): string[] {
  const plain = imported.filter(({ from }) => from === null).map(({ what }) => `import ${what}`);
  const byModule = new Map<string, string[]>();
  for (const { from, what } of imported) {
    if (from !== null) byModule.set(from, [...(byModule.get(from) ?? []), what]);
  }
  const modules = [...byModule].map(([module, names]) => `from ${module} import ${names.sort().join(', ')}`);
  const rank = (line: string) => (line.startsWith('from __future__') ? 0 : line.startsWith('import') ? 1 : 2);
  return [...plain, ...modules].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}
