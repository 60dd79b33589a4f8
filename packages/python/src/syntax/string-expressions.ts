import { expressionOf, nothing } from './expressions';
import type { Source } from './source';
import { prefixOf, unescaped } from './strings';
import type { FormattedString, FormattedValue, StringExpression } from './syntax';
import { child, namedChildren, type Twig } from './tree';

/** A literal, or several side by side: with a value in any of them a formatted string. */
export function stringOf(twig: Twig, source: Source): StringExpression | FormattedString {
  const literals = twig.type === 'string' ? [twig] : namedChildren(twig).filter(({ type }) => type === 'string');
  const span = source.spanOf(twig);
  const parts: (string | FormattedValue)[] = [];
  let formatted = false;
  let isBytes = false;
  for (const literal of literals) {
    const opening = literal.children[0];
    const prefix = prefixOf(opening ? source.textOf(opening) : '');
    formatted ||= prefix.formatted;
    isBytes ||= prefix.bytes;
    if (prefix.formatted) parts.push(...pieces(literal, prefix.raw, source));
    else {
      // The parser's closing node may hold a backslash of the text before the quotes.
      const quotes = /['"]+$/.exec(opening ? source.textOf(opening) : '')?.[0].length ?? 0;
      const content = source.text.slice(opening?.end ?? literal.start, literal.end - quotes);
      parts.push(unescaped(content, prefix));
    }
  }
  if (formatted) return { kind: 'formattedString', parts, ...span };
  return { kind: 'string', isBytes, value: parts.join(''), ...span };
}

/** Text and values of an f-string. */
function pieces(twig: Twig, raw: boolean, source: Source): (string | FormattedValue)[] {
  const found: (string | FormattedValue)[] = [];
  for (const each of twig.children) {
    if (each.type === 'string_content') {
      const text = source.textOf(each).replace(/\{\{/g, '{').replace(/\}\}/g, '}');
      found.push(unescaped(text, { raw, bytes: false }));
    } else if (each.type === 'interpolation' || each.type === 'format_expression') {
      const value = child(each, 'expression');
      const conversion = child(each, 'type_conversion');
      const format = child(each, 'format_specifier');
      found.push({
        expression: value ? expressionOf(value, source) : nothing(each, source),
        conversion: conversion && source.textOf(conversion).slice(1),
        format: format ? formatPieces(format, raw, source) : [],
        ...source.spanOf(each),
      });
    }
  }
  return found;
}

/** `:>{width}`: the parser has nodes for the values alone. */
function formatPieces(twig: Twig, raw: boolean, source: Source): (string | FormattedValue)[] {
  const found: (string | FormattedValue)[] = [];
  let at = twig.start + 1;
  const text = (end: number) => {
    if (end > at) found.push(unescaped(source.text.slice(at, end), { raw, bytes: false }));
  };
  for (const each of namedChildren(twig)) {
    text(each.start);
    found.push(...pieces({ ...twig, children: [each] }, raw, source));
    at = each.end;
  }
  text(twig.end);
  return found;
}
