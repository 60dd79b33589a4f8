import type { Source } from './source';
import { prefixOf, unescaped } from './strings';
import type {
  Argument,
  ComprehensionClause,
  ComprehensionExpression,
  Expression,
  FormattedString,
  FormattedValue,
  NameExpression,
  Parameter,
  StringExpression,
  TypeParameter,
} from './syntax';
import { child, childrenAt, holds, namedChildren, type Twig } from './tree';

/** The expression that a twig of the parser's tree stands for. Parentheses leave no trace but in a tuple's span. */
export function expressionOf(twig: Twig, source: Source): Expression {
  const span = source.spanOf(twig);
  switch (twig.type) {
    case 'identifier':
    case 'as_pattern_target':
      if (twig.type === 'as_pattern_target') return of(namedChildren(twig)[0], twig, source);
      return { kind: 'name', id: source.textOf(twig), ...span };
    case 'integer':
    case 'float':
      return { kind: 'number', type: numericType(source.textOf(twig), twig.type), text: source.textOf(twig), ...span };
    case 'string':
    case 'concatenated_string':
      return stringOf(twig, source);
    case 'true':
    case 'false':
      return { kind: 'boolean', value: twig.type === 'true', ...span };
    case 'none':
    case 'ellipsis':
      return { kind: twig.type, ...span };
    case 'attribute':
      return {
        kind: 'attribute',
        object: at(twig, 'object', source),
        name: nameIn(twig, 'attribute', source),
        ...span,
      };
    case 'member_type': {
      const [object, name] = namedChildren(twig);
      return { kind: 'attribute', object: of(object, twig, source), name: name ? source.textOf(name) : '', ...span };
    }
    case 'dotted_name':
      return dotted(twig, source);
    case 'call':
      return {
        kind: 'call',
        callee: at(twig, 'function', source),
        arguments: argumentsOf(child(twig, 'arguments'), source),
        ...span,
      };
    case 'subscript':
      return { kind: 'subscript', object: at(twig, 'value', source), index: indexOf(twig, source), ...span };
    case 'generic_type': {
      const [name, parameters] = namedChildren(twig);
      const types = allOf(parameters ? namedChildren(parameters) : [], source);
      const index: Expression = types.length === 1 ? types[0]! : { kind: 'tuple', elements: types, ...span };
      return { kind: 'subscript', object: of(name, twig, source), index, ...span };
    }
    case 'union_type': {
      const [left, right] = namedChildren(twig);
      return { kind: 'binary', operator: '|', left: of(left, twig, source), right: of(right, twig, source), ...span };
    }
    case 'slice':
      return sliceOf(twig, source);
    case 'parenthesized_expression':
    case 'parenthesized_list_splat':
    case 'type':
    case 'constrained_type':
      return of(namedChildren(twig)[0], twig, source);
    case 'tuple':
    case 'expression_list':
    case 'pattern_list':
    case 'tuple_pattern':
      return { kind: 'tuple', elements: allOf(namedChildren(twig), source), ...span };
    case 'list':
    case 'list_pattern':
      return { kind: 'list', elements: allOf(namedChildren(twig), source), ...span };
    case 'set':
      return { kind: 'set', elements: allOf(namedChildren(twig), source), ...span };
    case 'dictionary':
      return { kind: 'dict', entries: namedChildren(twig).map((each) => entryOf(each, source)), ...span };
    case 'list_splat':
    case 'list_splat_pattern':
    case 'dictionary_splat':
    case 'dictionary_splat_pattern':
    case 'splat_type':
      return { kind: 'starred', value: of(namedChildren(twig)[0], twig, source), ...span };
    case 'unary_operator':
      return {
        kind: 'unary',
        operator: operatorIn(twig, source) as '-',
        operand: at(twig, 'argument', source),
        ...span,
      };
    case 'not_operator':
      return { kind: 'unary', operator: 'not', operand: at(twig, 'argument', source), ...span };
    case 'binary_operator':
      return {
        kind: 'binary',
        operator: operatorIn(twig, source),
        left: at(twig, 'left', source),
        right: at(twig, 'right', source),
        ...span,
      };
    case 'boolean_operator': {
      const operator = operatorIn(twig, source) as 'and' | 'or';
      return { kind: 'logical', operator, left: at(twig, 'left', source), right: at(twig, 'right', source), ...span };
    }
    case 'comparison_operator': {
      const [left, ...rights] = namedChildren(twig);
      const operators = twig.children.filter(({ named }) => !named);
      const rest = rights.map((right, each) => ({
        operator: operators[each]?.type ?? '==',
        right: of(right, twig, source),
      }));
      return { kind: 'comparison', left: of(left, twig, source), rest, ...span };
    }
    case 'conditional_expression': {
      const [body, test, orElse] = namedChildren(twig);
      return {
        kind: 'conditional',
        test: of(test, twig, source),
        body: of(body, twig, source),
        orElse: of(orElse, twig, source),
        ...span,
      };
    }
    case 'lambda':
      return {
        kind: 'lambda',
        parameters: parametersOf(child(twig, 'parameters'), source),
        body: at(twig, 'body', source),
        ...span,
      };
    case 'await':
      return { kind: 'await', value: of(namedChildren(twig)[0], twig, source), ...span };
    case 'yield': {
      const [value] = namedChildren(twig);
      return { kind: holds(twig, 'from') ? 'yieldFrom' : 'yield', value: value && of(value, twig, source), ...span };
    }
    case 'named_expression':
      return {
        kind: 'walrus',
        target: at(twig, 'name', source) as NameExpression,
        value: at(twig, 'value', source),
        ...span,
      };
    case 'list_comprehension':
    case 'set_comprehension':
    case 'dictionary_comprehension':
    case 'generator_expression':
      return comprehensionOf(twig, source);
    default:
      return { kind: 'unreadable', expressions: readableIn(twig, source), ...span };
  }
}

// Plain functions, not closures: this is the hottest place of reading a repository.

function of(twig: Twig | undefined, parent: Twig, source: Source): Expression {
  return twig ? expressionOf(twig, source) : nothing(parent, source);
}

function at(twig: Twig, field: string, source: Source): Expression {
  return of(child(twig, field), twig, source);
}

function allOf(twigs: readonly Twig[], source: Source): Expression[] {
  return twigs.map((each) => expressionOf(each, source));
}

/** Expressions that can be made out inside of what cannot be read. */
export function readableIn(twig: Twig, source: Source): Expression[] {
  return namedChildren(twig)
    .filter(({ type }) => !/_statement$|_definition$|^block$|_clause$|_start$|_end$|_content$/.test(type))
    .map((each) => expressionOf(each, source));
}

/** What stands where the parser found no expression. */
function nothing(twig: Twig, source: Source): Expression {
  return { kind: 'unreadable', expressions: [], ...source.spanOf(twig) };
}

function nameIn(twig: Twig, field: string, source: Source): string {
  const found = child(twig, field);
  return found ? source.textOf(found) : '';
}

function operatorIn(twig: Twig, source: Source): string {
  return nameIn(twig, 'operator', source);
}

function numericType(text: string, type: 'integer' | 'float'): 'int' | 'float' | 'complex' {
  if (/[jJ]$/.test(text)) return 'complex';
  return type === 'integer' ? 'int' : 'float';
}

function dotted(twig: Twig, source: Source): Expression {
  const [first, ...rest] = namedChildren(twig);
  if (!first) return { kind: 'name', id: source.textOf(twig), ...source.spanOf(twig) };
  return rest.reduce<Expression>(
    (object, each) => ({
      kind: 'attribute',
      object,
      name: source.textOf(each),
      ...source.span(twig.start, each.end),
    }),
    expressionOf(first, source),
  );
}

/** The arguments of a call, or of a class statement. */
export function argumentsOf(twig: Twig | undefined, source: Source): Argument[] {
  if (!twig) return [];
  // `f(x for x in y)`: the parentheses are the call's.
  const twigs = twig.type === 'generator_expression' ? [twig] : namedChildren(twig);
  return twigs.map((each): Argument => {
    const span = source.spanOf(each);
    if (each.type === 'keyword_argument') {
      const value = child(each, 'value');
      const given = value ? expressionOf(value, source) : nothing(each, source);
      return { name: nameIn(each, 'name', source), spread: undefined, value: given, ...span };
    }
    const value = expressionOf(each, source);
    if (value.kind !== 'starred') return { name: undefined, spread: undefined, value, ...span };
    const spread = each.type.startsWith('dictionary') ? '**' : '*';
    return { name: undefined, spread, value: value.value, ...span };
  });
}

/** `a[b, c]` and `a[b,]` are subscripts by a tuple. */
function indexOf(twig: Twig, source: Source): Expression {
  const elements = childrenAt(twig, 'subscript').map((each) => expressionOf(each, source));
  const [first] = elements;
  if (!first) return nothing(twig, source);
  if (elements.length === 1 && !holds(twig, ',')) return first;
  return { kind: 'tuple', elements, ...source.span(first.start, elements.at(-1)!.end) };
}

function sliceOf(twig: Twig, source: Source): Expression {
  const parts: (Expression | undefined)[] = [undefined, undefined, undefined];
  let place = 0;
  for (const each of twig.children) {
    if (each.named) parts[place] = expressionOf(each, source);
    else if (each.type === ':') place++;
  }
  return { kind: 'slice', lower: parts[0], upper: parts[1], step: parts[2], ...source.spanOf(twig) };
}

function entryOf(twig: Twig, source: Source): { key: Expression | undefined; value: Expression } {
  if (twig.type === 'pair') {
    const [key, value] = [child(twig, 'key'), child(twig, 'value')];
    if (key && value) return { key: expressionOf(key, source), value: expressionOf(value, source) };
  }
  const value = expressionOf(twig, source);
  return { key: undefined, value: value.kind === 'starred' ? value.value : value };
}

function comprehensionOf(twig: Twig, source: Source): ComprehensionExpression {
  const body = child(twig, 'body');
  const { key, value } = body ? entryOf(body, source) : { key: undefined, value: nothing(twig, source) };
  const clauses: (ComprehensionClause & { conditions: Expression[] })[] = [];
  for (const each of namedChildren(twig)) {
    if (each.type === 'for_in_clause') {
      const left = child(each, 'left');
      const rights = childrenAt(each, 'right').map((right) => expressionOf(right, source));
      const iterable: Expression =
        rights.length === 1 ? rights[0]! : { kind: 'tuple', elements: rights, ...source.spanOf(each) };
      const target = left ? expressionOf(left, source) : nothing(each, source);
      clauses.push({ isAsync: holds(each, 'async'), target, iterable, conditions: [] });
    } else if (each.type === 'if_clause') {
      const [condition] = namedChildren(each);
      if (condition) clauses.at(-1)?.conditions.push(expressionOf(condition, source));
    }
  }
  const form = twig.type.split('_')[0]!.replace('dictionary', 'dict') as ComprehensionExpression['form'];
  return { kind: 'comprehension', form, key, element: value, clauses, ...source.spanOf(twig) };
}

/** Parameters of a function or a lambda, in order. The lone `*` and `/` only say what the others are. */
export function parametersOf(twig: Twig | undefined, source: Source): Parameter[] {
  const parameters: { -readonly [K in keyof Parameter]: Parameter[K] }[] = [];
  let form: Parameter['form'] = 'positional';
  for (const each of twig ? namedChildren(twig) : []) {
    if (each.type === 'positional_separator') for (const before of parameters) before.form = 'positionalOnly';
    else if (each.type === 'keyword_separator') form = 'keywordOnly';
    else {
      const parameter = parameterOf(each, form, source);
      if (parameter.form === 'varPositional') form = 'keywordOnly';
      parameters.push(parameter);
    }
  }
  return parameters;
}

function parameterOf(twig: Twig, form: Parameter['form'], source: Source): Parameter {
  // `*args: int` wraps the star, the name alone stands for itself.
  const named = child(twig, 'name') ?? (twig.type === 'typed_parameter' ? namedChildren(twig)[0] : undefined) ?? twig;
  const inner = (field: string): Expression | undefined => {
    const found = child(twig, field);
    return found && expressionOf(found, source);
  };
  const starred = named.type === 'list_splat_pattern' || named.type === 'dictionary_splat_pattern';
  const name = starred ? namedChildren(named)[0] : named;
  return {
    name: name ? source.textOf(name) : '',
    form: starred ? (named.type === 'list_splat_pattern' ? 'varPositional' : 'varKeyword') : form,
    annotation: inner('type'),
    default: inner('value'),
    ...source.spanOf(twig),
  };
}

/** `[T: int, *Ts, **P]` of a function, a class or a `type` statement. */
export function typeParametersOf(twig: Twig | undefined, source: Source): TypeParameter[] {
  return (twig ? namedChildren(twig) : []).map((type): TypeParameter => {
    const [inner = type] = namedChildren(type);
    const span = source.spanOf(type);
    if (inner.type === 'constrained_type') {
      const [name = inner, bound] = namedChildren(inner);
      return { name: source.textOf(name), form: 'type', bound: bound && expressionOf(bound, source), ...span };
    }
    if (inner.type === 'splat_type') {
      const [name = inner] = namedChildren(inner);
      const form = source.textOf(inner).startsWith('**') ? 'specification' : 'tuple';
      return { name: source.textOf(name), form, bound: undefined, ...span };
    }
    return { name: source.textOf(inner), form: 'type', bound: undefined, ...span };
  });
}

/** A literal, or several side by side: with a value in any of them a formatted string. */
function stringOf(twig: Twig, source: Source): StringExpression | FormattedString {
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
      const quotes = /(?<!['"])['"]+$/.exec(opening ? source.textOf(opening) : '')?.[0].length ?? 0;
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
