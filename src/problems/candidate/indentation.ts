import { eachExpression, eachStatement, expressionsIn, type ModuleSyntax, type Statement } from '@pointsman/python';

/**
 * A statement's text with another indentation. Lines that begin inside of a string stay as they are, because they are
 * data; a docstring's move along. `from` is the offset at which the text begins (a decorator may be left out).
 */
export function reindented(module: ModuleSyntax, statement: Statement, from: number, indent: string): string {
  const { text, lineStarts } = module;
  const kept = linesInsideStrings(module, statement);
  const first = lineStarts.findLastIndex((start) => start <= from);
  const own = text.slice(lineStarts[first], from);
  const lines = text.slice(from, statement.end).split('\n');
  return lines
    .map((line, at) => {
      if (at === 0) return `${indent}${line}`;
      if (kept.has(first + 1 + at) || line.trim() === '') return line;
      return `${indent}${line.startsWith(own) ? line.slice(own.length) : line.trimStart()}`;
    })
    .join('\n');
}

/** Lines, from 1, whose beginning is within a string that is no docstring. */
function linesInsideStrings(module: ModuleSyntax, statement: Statement): Set<number> {
  const found = new Set<number>();
  eachStatement([statement], (each) => {
    if (each.kind === 'expression' && each.value.kind === 'string') return undefined;
    for (const expression of expressionsIn(each)) {
      eachExpression(expression, (inner) => {
        if (inner.kind !== 'string' && inner.kind !== 'formattedString') return undefined;
        for (const line of insideLiterals(module.text, inner)) found.add(line);
        return undefined;
      });
    }
    return undefined;
  });
  return found;
}

const LITERAL = /[a-zA-Z]{0,2}("""|'''|"|')(?:\\[\s\S]|(?!\1)[^\\])*(?:\1|$)/g;

/** Literals side by side in parentheses are one expression, and the line breaks between them are none of its text. */
function insideLiterals(text: string, span: { start: number; end: number; line: number }): number[] {
  const lines: number[] = [];
  const written = text.slice(span.start, span.end);
  for (const { 0: literal, index } of written.matchAll(LITERAL)) {
    const from = span.line + written.slice(0, index).split('\n').length - 1;
    for (let at = 1; at < literal.split('\n').length; at++) lines.push(from + at);
  }
  return lines;
}

/** Takes off the margin that all lines share. */
export function dedented(text: string): string {
  const lines = text.split('\n');
  const margins = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0]);
  const shared = margins.reduce((one, other) => one.slice(0, sharedLength(one, other)), margins[0] ?? '');
  if (shared !== '') return lines.map((line) => line.slice(shared.length)).join('\n');
  // Copied from the first letter on: a decorator's line lost its margin, and the `def` below still has it.
  const lost = lines[0]!.startsWith('@') ? (/^([ \t]+)(?:async[ \t]+)?def\b/m.exec(text)?.[1] ?? '') : '';
  return lines.map((line) => (lost !== '' && line.startsWith(lost) ? line.slice(lost.length) : line)).join('\n');
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
