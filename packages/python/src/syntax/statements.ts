import { argumentsOf, expressionOf, parametersOf, readableIn, typeParametersOf } from './expressions';
import { patternOfCase } from './patterns';
import type { Source } from './source';
import type {
  ClassStatement,
  ExceptHandler,
  Expression,
  FunctionStatement,
  ImportedName,
  MatchCase,
  Span,
  Statement,
  WithItem,
} from './syntax';
import { child, childrenAt, holds, namedChildren, type Twig } from './tree';

/** The statements of a module or a block. What is no Python is kept as unreadable, and noted. */
export function statementsOf(twig: Twig | undefined, source: Source): Statement[] {
  return (twig ? namedChildren(twig) : []).map((each) => statementOf(each, source));
}

function statementOf(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const of = (each: Twig | undefined): Expression =>
    each ? expressionOf(each, source) : { kind: 'unreadable', expressions: [], ...span };
  const at = (field: string) => of(child(twig, field));
  const [first, second] = namedChildren(twig);
  switch (twig.type) {
    case 'expression_statement':
      return simple(twig, source);
    case 'decorated_definition':
    case 'function_definition':
    case 'class_definition':
      return definition(twig, source);
    case 'return_statement':
      return { kind: 'return', value: first && of(first), ...span };
    case 'delete_statement': {
      const target = of(first);
      const bare = first?.type === 'expression_list' && target.kind === 'tuple';
      return { kind: 'delete', targets: bare ? target.elements : [target], ...span };
    }
    case 'raise_statement': {
      const cause = child(twig, 'cause');
      const exception = first === cause ? undefined : first;
      return { kind: 'raise', exception: exception && of(exception), cause: cause && of(cause), ...span };
    }
    case 'assert_statement':
      return { kind: 'assert', test: of(first), message: second && of(second), ...span };
    case 'import_statement':
      return { kind: 'import', names: importedNames(twig, source), ...span };
    case 'import_from_statement':
    case 'future_import_statement':
      return importFrom(twig, source);
    case 'global_statement':
    case 'nonlocal_statement': {
      const names = namedChildren(twig).map((each) => source.textOf(each));
      return { kind: twig.type === 'global_statement' ? 'global' : 'nonlocal', names, ...span };
    }
    case 'pass_statement':
      return { kind: 'pass', ...span };
    case 'break_statement':
      return { kind: 'break', ...span };
    case 'continue_statement':
      return { kind: 'continue', ...span };
    case 'type_alias_statement': {
      const left = at('left');
      const name = left.kind === 'subscript' ? left.object : left;
      const generic = descendant(child(twig, 'left'), 'type_parameter');
      const id = name.kind === 'name' ? name.id : '';
      const typeParameters = typeParametersOf(generic, source);
      return { kind: 'typeAlias', name: id, typeParameters, value: at('right'), ...span };
    }
    case 'if_statement':
      return ifStatement(twig, childrenAt(twig, 'alternative'), source);
    case 'while_statement': {
      const [body, orElse] = [blockAt(twig, 'body', source), alternative(twig, source)];
      return { kind: 'while', test: at('condition'), body, orElse, ...closed(span, source, body, orElse) };
    }
    case 'for_statement': {
      const [body, orElse] = [blockAt(twig, 'body', source), alternative(twig, source)];
      const [target, iterable, isAsync] = [at('left'), at('right'), holds(twig, 'async')];
      return { kind: 'for', isAsync, target, iterable, body, orElse, ...closed(span, source, body, orElse) };
    }
    case 'with_statement': {
      const body = blockAt(twig, 'body', source);
      const clause = twig.children.find(({ type }) => type === 'with_clause');
      const items = (clause ? namedChildren(clause) : []).flatMap((each) => withItems(each, source));
      return { kind: 'with', isAsync: holds(twig, 'async'), items, body, ...closed(span, source, body) };
    }
    case 'try_statement':
      return tryStatement(twig, source);
    case 'match_statement':
      return matchStatement(twig, source);
    default: {
      if (twig.type !== 'ERROR') source.trouble(twig);
      return { kind: 'unreadable', expressions: readableIn(twig, source), ...span };
    }
  }
}

/** A compound statement ends with its last statement; the parser's node may go on to a comment after it. */
function closed(span: Span, source: Source, ...blocks: readonly (readonly Span[])[]): Span {
  const last = blocks.findLast((block) => block.length > 0)?.at(-1);
  return last && last.end < span.end ? source.span(span.start, last.end) : span;
}

function blockAt(twig: Twig, field: string, source: Source): Statement[] {
  return statementsOf(child(twig, field), source);
}

function alternative(twig: Twig, source: Source): Statement[] {
  const clause = child(twig, 'alternative') ?? twig.children.find(({ type }) => type === 'else_clause');
  return clause ? blockAt(clause, 'body', source) : [];
}

function descendant(twig: Twig | undefined, type: string): Twig | undefined {
  if (!twig || twig.type === type) return twig;
  for (const each of twig.children) {
    const found = descendant(each, type);
    if (found) return found;
  }
  return undefined;
}

/** An expression that stands alone, or an assignment of any sort. */
function simple(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const inner = namedChildren(twig);
  const [only] = inner;
  if (inner.length !== 1 || holds(twig, ',')) {
    const elements = inner.map((each) => expressionOf(each, source));
    return { kind: 'expression', value: { kind: 'tuple', elements, ...span }, ...span };
  }
  if (only!.type === 'assignment') return assignment(only!, source);
  if (only!.type !== 'augmented_assignment') return { kind: 'expression', value: expressionOf(only!, source), ...span };
  const [left, operator, right] = [child(only!, 'left'), child(only!, 'operator'), child(only!, 'right')];
  if (!left || !operator || !right) return { kind: 'unreadable', expressions: readableIn(only!, source), ...span };
  return {
    kind: 'augmentedAssign',
    target: expressionOf(left, source),
    operator: source.textOf(operator),
    value: expressionOf(right, source),
    ...span,
  };
}

function assignment(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const targets: Expression[] = [];
  for (let at: Twig | undefined = twig; at; ) {
    const [left, type, right]: (Twig | undefined)[] = [child(at, 'left'), child(at, 'type'), child(at, 'right')];
    if (!left) break;
    const target = expressionOf(left, source);
    if (type) {
      const value = right && expressionOf(right, source);
      return { kind: 'annotatedAssign', target, annotation: expressionOf(type, source), value, ...span };
    }
    targets.push(target);
    if (right && right.type !== 'assignment')
      return { kind: 'assign', targets, value: expressionOf(right, source), ...span };
    at = right;
  }
  return { kind: 'unreadable', expressions: targets, ...span };
}

function definition(twig: Twig, source: Source): FunctionStatement | ClassStatement | Statement {
  const decorated = twig.type === 'decorated_definition';
  const inner = decorated ? child(twig, 'definition') : twig;
  const name = inner && child(inner, 'name');
  if (!inner || !name) return { kind: 'unreadable', expressions: readableIn(twig, source), ...source.spanOf(twig) };
  const decorators = (decorated ? namedChildren(twig) : [])
    .filter(({ type }) => type === 'decorator')
    .flatMap((each) => namedChildren(each).map((expression) => expressionOf(expression, source)));
  const body = blockAt(inner, 'body', source);
  const keyword = inner.children.find(({ named }) => !named) ?? inner;
  const both = {
    name: source.textOf(name),
    nameSpan: source.spanOf(name),
    keyword: source.spanOf(keyword),
    decorators,
    typeParameters: typeParametersOf(child(inner, 'type_parameters'), source),
    body,
    docstring: docstringOf(body),
    ...closed(source.spanOf(twig), source, body),
  };
  if (inner.type === 'class_definition')
    return { kind: 'class', arguments: argumentsOf(child(inner, 'superclasses'), source), ...both };
  const returns = child(inner, 'return_type');
  return {
    kind: 'function',
    isAsync: holds(inner, 'async'),
    parameters: parametersOf(child(inner, 'parameters'), source),
    returns: returns && expressionOf(returns, source),
    ...both,
  };
}

/** The string that a body begins with, as it stands: see `cleaned`. */
export function docstringOf(body: readonly Statement[]): string | undefined {
  const [first] = body;
  if (first?.kind !== 'expression' || first.value.kind !== 'string' || first.value.isBytes) return undefined;
  return first.value.value;
}

function ifStatement(twig: Twig, alternatives: readonly Twig[], source: Source): Statement {
  const body = blockAt(twig, 'consequence', source);
  const [next, ...others] = alternatives;
  let orElse: Statement[] = [];
  if (next?.type === 'elif_clause') orElse = [ifStatement(next, others, source)];
  else if (next) orElse = blockAt(next, 'body', source);
  const condition = child(twig, 'condition');
  const test: Expression = condition
    ? expressionOf(condition, source)
    : { kind: 'unreadable', expressions: [], ...source.spanOf(twig) };
  const end = (orElse.at(-1) ?? body.at(-1))?.end ?? twig.end;
  return { kind: 'if', test, body, orElse, ...source.span(twig.start, end) };
}

function withItems(twig: Twig, source: Source): WithItem[] {
  const value = twig.type === 'with_item' ? child(twig, 'value') : twig;
  if (!value) return [];
  if (value.type === 'as_pattern') {
    const [context, target] = namedChildren(value);
    return context ? [{ context: expressionOf(context, source), target: target && expressionOf(target, source) }] : [];
  }
  // `with (a as b, c):` may have been read as a tuple, or as an expression in parentheses.
  const inner = namedChildren(value);
  const grouped = value.type === 'tuple' || value.type === 'parenthesized_expression';
  if (grouped && inner.some(({ type }) => type === 'as_pattern'))
    return inner.flatMap((each) => withItems(each, source));
  return [{ context: expressionOf(value, source), target: undefined }];
}

function tryStatement(twig: Twig, source: Source): Statement {
  const blocksOf = (type: string) =>
    twig.children
      .filter((each) => each.type === type)
      .flatMap((each) =>
        statementsOf(child(each, 'body') ?? each.children.findLast((e) => e.type === 'block'), source),
      );
  const body = blockAt(twig, 'body', source);
  const handlers = twig.children.filter(({ type }) => /^except_/.test(type)).map((each) => handlerOf(each, source));
  const [orElse, last] = [blocksOf('else_clause'), blocksOf('finally_clause')];
  const span = closed(source.spanOf(twig), source, body, handlers, orElse, last);
  return { kind: 'try', body, handlers, orElse, finally: last, ...span };
}

function handlerOf(twig: Twig, source: Source): ExceptHandler {
  const body = statementsOf(
    twig.children.findLast(({ type }) => type === 'block'),
    source,
  );
  const values = childrenAt(twig, 'value');
  const [only] = values;
  const pattern = only?.type === 'as_pattern' ? namedChildren(only) : undefined;
  const alias = child(twig, 'alias') ?? pattern?.[1];
  const types = (pattern ? pattern.slice(0, 1) : values).map((each) => expressionOf(each, source));
  const [type] = types;
  return {
    isGroup: holds(twig, '*') || twig.type === 'except_group_clause',
    type:
      type && types.length > 1
        ? { kind: 'tuple', elements: types, ...source.span(type.start, types.at(-1)!.end) }
        : type,
    name: alias && source.textOf(alias),
    body,
    ...closed(source.spanOf(twig), source, body),
  };
}

function matchStatement(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const subjects = childrenAt(twig, 'subject').map((each) => expressionOf(each, source));
  const subject: Expression = subjects.length === 1 ? subjects[0]! : { kind: 'tuple', elements: subjects, ...span };
  const block = child(twig, 'body');
  const cases = (block ? namedChildren(block) : [])
    .filter(({ type }) => type === 'case_clause')
    .map((each): MatchCase => {
      const body = blockAt(each, 'consequence', source);
      const guard = child(each, 'guard');
      const [condition] = guard ? namedChildren(guard) : [];
      const patterns = each.children.filter(({ type }) => type === 'case_pattern');
      return {
        pattern: patternOfCase(patterns, holds(each, ','), source),
        guard: condition && expressionOf(condition, source),
        body,
        ...closed(source.spanOf(each), source, body),
      };
    });
  return { kind: 'match', subject, cases, ...closed(span, source, cases) };
}

/** `a.b as c, d`: what an import statement names. */
function importedNames(twig: Twig, source: Source): ImportedName[] {
  return childrenAt(twig, 'name').map((each) => {
    const aliased = each.type === 'aliased_import';
    const name = (aliased && child(each, 'name')) || each;
    const alias = aliased ? child(each, 'alias') : undefined;
    // Spaces around the dots of a name are legal.
    const dotted = source.textOf(name).replace(/\s+/g, '');
    return { name: dotted, alias: alias && source.textOf(alias), ...source.spanOf(each) };
  });
}

/** `from a import b`, and what is imported from `__future__`. */
function importFrom(twig: Twig, source: Source): Statement {
  const span = source.spanOf(twig);
  const star = twig.children.find(({ type }) => type === 'wildcard_import');
  const names = star ? [{ name: '*', alias: undefined, ...source.spanOf(star) }] : importedNames(twig, source);
  if (twig.type === 'future_import_statement')
    return { kind: 'importFrom', level: 0, module: '__future__', names, ...span };
  const module = child(twig, 'module_name');
  const [, dots = '', name = ''] = /^([.\s]*)(.*)$/s.exec(module ? source.textOf(module) : '') ?? [];
  const level = dots.replace(/[^.]/g, '').length;
  return { kind: 'importFrom', level, module: name.replace(/\s+/g, ''), names, ...span };
}
