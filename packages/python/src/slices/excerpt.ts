import {
  childrenOf,
  decidedIn,
  type Expression,
  eachStatement,
  expressionsIn,
  type ImportedName,
  type PythonModule,
  type Statement,
  type Unit,
} from '../syntax';
import { type Edit, edited } from './bodies';

/** What of a module is to be written out. */
interface Choice {
  readonly units: ReadonlySet<Unit>;
  /** Names to keep of an import statement, and what to write for one that a star import brought. */
  readonly names: ReadonlyMap<Statement, readonly string[]>;
  /** Pieces of the module's text that are written otherwise. */
  readonly edits?: readonly Edit[];
}

const STEP = '    ';

/**
 * A module's text reduced to a choice of its top-level statements, in their order. Conditions that come out the same on
 * every Python leave their branch alone; the others, and `try`, stay around what they guard.
 */
export function excerptOf(module: PythonModule, choice: Choice): string {
  return blockText(module, module.syntax.body, choice, '').join('\n');
}

/** The same for a part of it: one statement of the top level with what is inside of it. */
export function excerptOfStatement(module: PythonModule, statement: Statement, choice: Choice): string {
  return blockText(module, [statement], choice, '').join('\n');
}

function blockText(module: PythonModule, block: readonly Statement[], choice: Choice, indent: string): string[] {
  return block.flatMap((statement): string[] => {
    if (statement.kind === 'if') return ifText(module, statement, choice, indent);
    if (statement.kind === 'try') return tryText(module, statement, choice, indent);
    const unit = module.unitOf.get(statement);
    if (!unit) return [];
    if (statement.kind === 'import' || statement.kind === 'importFrom') {
      const names = choice.names.get(statement);
      return names && names.length > 0 ? [indent + importText(statement, names)] : [];
    }
    return choice.units.has(unit) ? [reindented(module, statement, indent, choice.edits)] : [];
  });
}

function ifText(module: PythonModule, statement: Statement & { kind: 'if' }, choice: Choice, indent: string): string[] {
  const value = decidedIn(module, statement.test);
  if (value !== undefined) return blockText(module, value ? statement.body : statement.orElse, choice, indent);
  const body = blockText(module, statement.body, choice, indent + STEP);
  const orElse = blockText(module, statement.orElse, choice, indent + STEP);
  if (body.length === 0 && orElse.length === 0) return [];
  const lines = [`${indent}if ${grouped(module, statement.test)}:`, ...filled(body, indent)];
  return orElse.length > 0 ? [...lines, `${indent}else:`, ...orElse] : lines;
}

function tryText(
  module: PythonModule,
  statement: Statement & { kind: 'try' },
  choice: Choice,
  indent: string,
): string[] {
  const inner = (block: readonly Statement[]) => blockText(module, block, choice, indent + STEP);
  const [body, orElse, last] = [inner(statement.body), inner(statement.orElse), inner(statement.finally)];
  const handlers = statement.handlers.map((handler) => ({ handler, text: inner(handler.body) }));
  if ([body, orElse, last, ...handlers.map(({ text }) => text)].every((text) => text.length === 0)) return [];
  const lines = [`${indent}try:`, ...filled(body, indent)];
  for (const { handler, text } of handlers) {
    const type = handler.type ? ` ${grouped(module, handler.type)}` : '';
    const name = handler.name === undefined ? '' : ` as ${handler.name}`;
    lines.push(`${indent}except${handler.isGroup ? '*' : ''}${type}${name}:`, ...filled(text, indent));
  }
  if (orElse.length > 0 && handlers.length > 0) lines.push(`${indent}else:`, ...orElse);
  if (last.length > 0 || handlers.length === 0) lines.push(`${indent}finally:`, ...filled(last, indent));
  return lines;
}

function filled(lines: readonly string[], indent: string): readonly string[] {
  return lines.length > 0 ? lines : [`${indent}${STEP}pass`];
}

/** An import statement with the wanted names alone. */
export function importText(
  statement: Statement & { kind: 'import' | 'importFrom' },
  wanted: readonly string[],
): string {
  const said = ({ name, alias }: ImportedName) => (alias === undefined ? name : `${name} as ${alias}`);
  if (statement.kind === 'import') {
    const kept = statement.names.filter(({ name, alias }) => wanted.includes(alias ?? name.split('.')[0]!));
    return `import ${kept.map(said).join(', ')}`;
  }
  const isStar = statement.names[0]?.name === '*';
  const kept = isStar ? wanted : statement.names.filter(({ name, alias }) => wanted.includes(alias ?? name)).map(said);
  return `from ${'.'.repeat(statement.level)}${statement.module} import ${kept.join(', ')}`;
}

function textOf(module: PythonModule, { start, end }: { readonly start: number; readonly end: number }): string {
  return module.syntax.text.slice(start, end);
}

/** An expression's text; in parentheses of its own where it may have lost some. */
function grouped(module: PythonModule, expression: Expression): string {
  const text = textOf(module, expression);
  return expression.kind === 'name' || (expression.line === expression.endLine && expression.kind !== 'tuple')
    ? text
    : `(${text})`;
}

/** A statement's text moved to another indentation. Lines that begin inside of a string stay as they are. */
function reindented(module: PythonModule, statement: Statement, indent: string, edits: readonly Edit[] = []): string {
  const { lineStarts } = module.syntax;
  const column = statement.start - lineStarts[statement.line - 1]!;
  const lines = edited(module.syntax.text, statement, edits).split('\n');
  if (column === indent.length || lines.length === 1) return indent + lines.join('\n');
  const inString = linesInStrings(statement);
  const moved = lines.map((line, at) => {
    if (at === 0) return indent + line;
    if (inString.has(statement.line + at) || line.trim() === '') return line;
    const margin = /^[ \t]*/.exec(line)![0].length;
    return indent + line.slice(Math.min(margin, column));
  });
  return moved.join('\n');
}

function linesInStrings(statement: Statement): Set<number> {
  const found = new Set<number>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'string' || expression.kind === 'formattedString')
      for (let line = expression.line + 1; line <= expression.endLine; line++) found.add(line);
    for (const each of childrenOf(expression)) visit(each);
  };
  eachStatement([statement], (each) => {
    for (const expression of expressionsIn(each)) visit(expression);
    return undefined;
  });
  return found;
}
