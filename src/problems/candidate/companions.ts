import type { ModuleSyntax, Statement } from '../python';
import { boundBy, mentionedIn } from './names';
import { isStub } from './stub';

/** What a candidate brings along for its function: imports, constants, helpers. */
export interface Companions {
  /** Statements that the file does not have, in order. */
  readonly added: readonly Statement[];
  /** Names among them that the file uses for something else. */
  readonly clashes: readonly string[];
}

/**
 * The top-level statements that a candidate's function needs, directly or through each other. What nothing needs is left
 * out: examples, tests, a `main`. What the file has already is not brought again, and neither is a stub of what the file
 * defines, as a model repeats its context.
 */
export function companionsOf(
  candidate: ModuleSyntax,
  own: readonly Statement[],
  file: ModuleSyntax,
  /** The top-level statement that the function stands in. */
  holder: readonly Statement[],
): Companions {
  const rest = candidate.body.filter((each) => !holder.includes(each) && !isMain(each) && !isFuture(each));
  const chosen = new Set<Statement>();
  for (let grown = true; grown; ) {
    const { names } = mentionedIn([...own, ...chosen]);
    grown = false;
    for (const statement of rest) {
      if (chosen.has(statement) || !isNeeded(statement, names, chosen)) continue;
      chosen.add(statement);
      grown = true;
    }
  }
  const known = new Map(file.body.flatMap((each) => boundBy(each).map((name) => [name, each] as const)));
  const spelled = new Set(file.body.flatMap((each) => spellings(each, file.text)));
  const added = rest.filter((each) => chosen.has(each) && !isKnown(each, candidate.text, known, spelled));
  return { added, clashes: added.flatMap(boundBy).filter((name) => known.has(name)) };
}

function isNeeded(statement: Statement, names: ReadonlySet<string>, chosen: ReadonlySet<Statement>): boolean {
  if (statement.kind === 'importFrom' && statement.names[0]?.name === '*') return true;
  if (boundBy(statement).some((name) => names.has(name))) return true;
  // `TABLE.update(…)` and `TABLE[key] = …` belong to a table that is needed.
  const root = changedName(statement);
  return root !== undefined && [...chosen].some((each) => !isImport(each) && boundBy(each).includes(root));
}

function changedName(statement: Statement): string | undefined {
  const target =
    statement.kind === 'expression' && statement.value.kind === 'call' && statement.value.callee.kind === 'attribute'
      ? statement.value.callee.object
      : statement.kind === 'assign' && statement.targets[0]?.kind === 'subscript'
        ? statement.targets[0].object
        : undefined;
  return target?.kind === 'name' ? target.id : undefined;
}

function isKnown(
  statement: Statement,
  text: string,
  known: ReadonlyMap<string, Statement>,
  spelled: ReadonlySet<string>,
): boolean {
  if (spellings(statement, text).every((each) => spelled.has(each))) return true;
  return statement.kind === 'function' && known.has(statement.name) && isStub(statement);
}

/** A statement as text; of an import each name apart, so that the order and grouping of names do not matter. */
function spellings(statement: Statement, text: string): string[] {
  if (statement.kind === 'import')
    return statement.names.map(({ name, alias }) => `import ${name} as ${alias ?? name}`);
  if (statement.kind === 'importFrom') {
    const from = `from ${'.'.repeat(statement.level)}${statement.module}`;
    return statement.names.map(({ name, alias }) => `${from} import ${name} as ${alias ?? name}`);
  }
  return [
    text
      .slice(statement.start, statement.end)
      .replace(/[ \t]+$/gm, '')
      .trim(),
  ];
}

function isImport({ kind }: Statement): boolean {
  return kind === 'import' || kind === 'importFrom';
}

function isFuture(statement: Statement): boolean {
  return statement.kind === 'importFrom' && statement.module === '__future__';
}

function isMain(statement: Statement): boolean {
  return statement.kind === 'if' && mentionedIn([{ ...statement, body: [], orElse: [] }]).names.has('__name__');
}
