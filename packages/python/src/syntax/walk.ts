import type { Argument, Expression, FormattedValue, FunctionStatement, Parameter, Pattern, Statement } from './syntax';

/** The expressions that stand directly in a statement, in the order in which they are evaluated; blocks are left to `blocksOf`. */
export function expressionsIn(statement: Statement): Expression[] {
  switch (statement.kind) {
    case 'function':
      return [...statement.decorators, ...expressionsOfParameters(statement.parameters), ...present(statement.returns)];
    case 'class':
      return [...statement.decorators, ...statement.arguments.map(({ value }) => value)];
    case 'return':
      return present(statement.value);
    case 'delete':
      return [...statement.targets];
    case 'assign':
      return [statement.value, ...statement.targets];
    case 'augmentedAssign':
      return [statement.target, statement.value];
    case 'annotatedAssign':
      return [...present(statement.value), statement.target, statement.annotation];
    case 'typeAlias':
      return [statement.value];
    case 'for':
      return [statement.iterable, statement.target];
    case 'while':
    case 'if':
      return [statement.test];
    case 'with':
      return statement.items.flatMap(({ context, target }) => [context, ...present(target)]);
    case 'match':
      return [
        statement.subject,
        ...statement.cases.flatMap(({ pattern, guard }) => [...expressionsInPattern(pattern), ...present(guard)]),
      ];
    case 'raise':
      return [...present(statement.exception), ...present(statement.cause)];
    case 'try':
      return statement.handlers.flatMap(({ type }) => present(type));
    case 'assert':
      return [statement.test, ...present(statement.message)];
    case 'expression':
      return [statement.value];
    case 'unreadable':
      return [...statement.expressions];
    case 'import':
    case 'importFrom':
    case 'global':
    case 'nonlocal':
    case 'pass':
    case 'break':
    case 'continue':
      return [];
    default:
      return statement satisfies never;
  }
}

/** The blocks of a statement, in order: of a definition its body, of a `try` its body, handlers, `else` and `finally`. */
export function blocksOf(statement: Statement): (readonly Statement[])[] {
  switch (statement.kind) {
    case 'function':
    case 'class':
    case 'with':
      return [statement.body];
    case 'if':
    case 'for':
    case 'while':
      return [statement.body, statement.orElse];
    case 'try':
      return [statement.body, ...statement.handlers.map(({ body }) => body), statement.orElse, statement.finally];
    case 'match':
      return statement.cases.map(({ body }) => body);
    default:
      return [];
  }
}

/** The expressions directly inside of an expression, in source order as far as that matters. */
export function childrenOf(expression: Expression): Expression[] {
  switch (expression.kind) {
    case 'name':
    case 'number':
    case 'string':
    case 'boolean':
    case 'none':
    case 'ellipsis':
      return [];
    case 'formattedString':
      return expression.parts.flatMap(expressionsInPart);
    case 'tuple':
    case 'list':
    case 'set':
      return [...expression.elements];
    case 'dict':
      return expression.entries.flatMap(({ key, value }) => [...present(key), value]);
    case 'unary':
      return [expression.operand];
    case 'binary':
    case 'logical':
      return [expression.left, expression.right];
    case 'comparison':
      return [expression.left, ...expression.rest.map(({ right }) => right)];
    case 'call':
      return [expression.callee, ...expression.arguments.map(({ value }: Argument) => value)];
    case 'attribute':
      return [expression.object];
    case 'subscript':
      return [expression.object, expression.index];
    case 'slice':
      return [...present(expression.lower), ...present(expression.upper), ...present(expression.step)];
    case 'starred':
    case 'await':
      return [expression.value];
    case 'lambda':
      return [...expressionsOfParameters(expression.parameters), expression.body];
    case 'conditional':
      return [expression.test, expression.body, expression.orElse];
    case 'yield':
    case 'yieldFrom':
      return present(expression.value);
    case 'comprehension':
      return [
        ...expression.clauses.flatMap(({ iterable, target, conditions }) => [iterable, target, ...conditions]),
        ...present(expression.key),
        expression.element,
      ];
    case 'walrus':
      return [expression.value, expression.target];
    case 'unreadable':
      return [...expression.expressions];
    default:
      return expression satisfies never;
  }
}

/** Calls `visit` for an expression and all inside of it, outermost first; `false` keeps it from going deeper. */
export function eachExpression(expression: Expression, visit: (each: Expression) => boolean | undefined): void {
  if (visit(expression) === false) return;
  for (const inner of childrenOf(expression)) eachExpression(inner, visit);
}

/** Calls `visit` for every statement of some blocks and the blocks inside, in order; `false` keeps it out of a statement's. */
export function eachStatement(block: readonly Statement[], visit: (each: Statement) => boolean | undefined): void {
  for (const statement of block) {
    if (visit(statement) === false) continue;
    for (const inner of blocksOf(statement)) eachStatement(inner, visit);
  }
}

/** Names that a pattern binds. */
export function namesInPattern(pattern: Pattern): string[] {
  switch (pattern.kind) {
    case 'capture':
    case 'star':
      return present(pattern.name);
    case 'value':
      return [];
    case 'sequence':
    case 'or':
      return pattern.patterns.flatMap(namesInPattern);
    case 'mapping':
      return [...pattern.entries.flatMap((each) => namesInPattern(each.pattern)), ...present(pattern.rest)];
    case 'class':
      return [
        ...pattern.positional.flatMap(namesInPattern),
        ...pattern.keywords.flatMap((each) => namesInPattern(each.pattern)),
      ];
    case 'as':
      return [...namesInPattern(pattern.pattern), pattern.name];
    default:
      return pattern satisfies never;
  }
}

function expressionsInPattern(pattern: Pattern): Expression[] {
  switch (pattern.kind) {
    case 'capture':
    case 'star':
      return [];
    case 'value':
      return [pattern.value];
    case 'sequence':
    case 'or':
      return pattern.patterns.flatMap(expressionsInPattern);
    case 'mapping':
      return pattern.entries.flatMap(({ key, pattern: inner }) => [key, ...expressionsInPattern(inner)]);
    case 'class':
      return [
        pattern.class,
        ...pattern.positional.flatMap(expressionsInPattern),
        ...pattern.keywords.flatMap((each) => expressionsInPattern(each.pattern)),
      ];
    case 'as':
      return expressionsInPattern(pattern.pattern);
    default:
      return pattern satisfies never;
  }
}

/** Plain names that an assignment to `target` binds: not attributes, not subscripts. */
export function namesInTarget(target: Expression): string[] {
  switch (target.kind) {
    case 'name':
      return [target.id];
    case 'starred':
      return namesInTarget(target.value);
    case 'tuple':
    case 'list':
      return target.elements.flatMap(namesInTarget);
    default:
      return [];
  }
}

function expressionsOfParameters(parameters: FunctionStatement['parameters']): Expression[] {
  return parameters.flatMap((each: Parameter) => [...present(each.default), ...present(each.annotation)]);
}

function expressionsInPart(part: string | FormattedValue): Expression[] {
  return typeof part === 'string' ? [] : [part.expression, ...part.format.flatMap(expressionsInPart)];
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
