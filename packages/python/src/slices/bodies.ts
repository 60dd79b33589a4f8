import {
  eachStatement,
  type FunctionSyntax,
  type ModuleSyntax,
  type PythonModule,
  type Span,
  type Statement,
} from '../syntax';

/** A piece of a module's text that something else is written for. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Text of a span with the edits made that start in it. */
export function edited(text: string, { start, end }: Pick<Span, 'start' | 'end'>, edits: readonly Edit[]): string {
  let made = '';
  let at = start;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    if (edit.start < at || edit.start >= end) continue;
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at, end);
}

/**
 * Edits that leave `...` of a function's body in a module: of the target itself, of other definitions of its name, and of
 * any copy of its body under another name. Signatures and docstrings stay.
 */
export function withoutBodyOf(target: FunctionSyntax, module: PythonModule): Edit[] {
  const edits: Edit[] = [];
  const body = bodyOf(target.module.syntax, target.statement);
  const secret = body && squeezed(target.module.syntax.text.slice(body.start, body.end));
  eachStatement(module.syntax.body, (statement) => {
    if (statement.kind !== 'function') return undefined;
    const own = bodyOf(module.syntax, statement);
    if (!own) return undefined;
    const isTarget = module === target.module && statement.name === target.statement.name && isOfSameOwner(statement);
    const isCopy =
      secret !== undefined && secret.length > 20 && squeezed(module.syntax.text.slice(own.start, own.end)) === secret;
    if (!isTarget && !isCopy) return undefined;
    edits.push({ ...own, text: '...' });
    return false;
  });
  return edits;

  function isOfSameOwner(statement: Statement): boolean {
    if (statement === target.statement) return true;
    const { owner } = target;
    return owner ? owner.body.includes(statement) : module.unitOf.has(statement);
  }
}

function squeezed(text: string): string {
  return text.replace(/#.*$/gm, '').replace(/\s+/g, '');
}

/** A function's statements after its docstring, with the comments around them: those may say as much as the code. */
function bodyOf(
  syntax: ModuleSyntax,
  statement: Statement & { kind: 'function' },
): { start: number; end: number } | undefined {
  const body = statement.docstring === undefined ? statement.body : statement.body.slice(1);
  const first = body[0];
  if (!first) return undefined;
  const { text, lineStarts } = syntax;
  const column = statement.keyword.start - lineStarts[statement.keyword.line - 1]!;
  let start = first.start;
  const after = statement.docstring === undefined ? statement.keyword.line : statement.body[0]!.endLine;
  for (let line = first.line - 1; line > after; line--) {
    const content = lineText(syntax, line);
    if (!/^\s*#/.test(content) && content.trim() !== '') break;
    start = lineStarts[line - 1]! + Math.max(0, content.length - content.trimStart().length);
  }
  let { end } = statement;
  for (let line = statement.endLine + 1; line <= lineStarts.length; line++) {
    const content = lineText(syntax, line);
    if (content.trim() === '') continue;
    if (!/^\s*#/.test(content) || content.length - content.trimStart().length <= column) break;
    end = lineStarts[line - 1]! + content.length;
  }
  // A comment behind the last statement.
  const rest = /^[ \t]*#[^\r\n]*/.exec(text.slice(end));
  return { start, end: end + (rest ? rest[0].length : 0) };
}

function lineText({ text, lineStarts }: ModuleSyntax, line: number): string {
  return text.slice(lineStarts[line - 1], lineStarts[line] ?? text.length).replace(/(?<![\r\n])[\r\n]+$/, '');
}
