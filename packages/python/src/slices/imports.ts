import { decidedIn, type PythonModule, type Statement, type Unit } from '../syntax';
import { excerptOfStatement, importText } from './excerpt';
import type { Selection } from './selection';

/**
 * Import statements of packages from elsewhere that a slice needs, with the names that it needs: by module, in the order
 * of their lines. Those of one package are one; optional ones stand in their `try` with their fallbacks.
 */
export function importsOf(selection: Selection): string[] {
  const found = new Map<string, Set<string>>();
  const blocks = new Set<string>();
  for (const [module, statements] of namesByStatement(selection, true)) {
    const guarded = new Set<Statement>();
    for (const [statement, names] of statements) {
      if (statement.kind !== 'import' && statement.kind !== 'importFrom') continue;
      const around = module.unitOf
        .get(statement)
        ?.branches.find(({ statement: each }) => each.kind === 'try' || decidedIn(module, each.test) === undefined);
      if (around) guarded.add(around.statement);
      else {
        const [head = '', list] = importText(statement, names).split(' import ');
        const known = found.get(head) ?? new Set();
        for (const name of list?.split(', ') ?? []) known.add(name);
        found.set(head, known);
      }
    }
    const units = new Set<Unit>([...selection.supports].filter(([, where]) => where === module).map(([unit]) => unit));
    for (const statement of guarded) blocks.add(excerptOfStatement(module, statement, { units, names: statements }));
  }
  const plain = [...found].map(([head, names]) =>
    names.size > 0 ? `${head} import ${[...names].toSorted().join(', ')}` : head,
  );
  return [...plain, ...blocks];
}

/** The names that each import statement has to bring, by module: of other packages alone, those of annotations included, or all that runs. */
export function namesByStatement(selection: Selection, outside: boolean): Map<PythonModule, Map<Statement, string[]>> {
  const found = new Map<PythonModule, Map<Statement, string[]>>();
  const needed = [...selection.imports.values()]
    .filter(({ module, binding, annotation }) => (outside ? selection.isFromOutside(module, binding) : !annotation))
    .toSorted((one, other) => one.binding.statement.start - other.binding.statement.start);
  for (const { module, binding, name } of needed) {
    const statements = found.get(module) ?? new Map<Statement, string[]>();
    found.set(module, statements);
    const names = statements.get(binding.statement) ?? [];
    if (!names.includes(name)) statements.set(binding.statement, [...names, name]);
  }
  return found;
}
