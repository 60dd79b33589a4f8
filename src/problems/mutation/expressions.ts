import {
  type CallExpression,
  type ComparisonExpression,
  childrenOf,
  type Expression,
  type NumberExpression,
  type Span,
  type StringExpression,
} from '@pointsman/python';

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
  is: ['is not'],
  'is not': ['is'],
  in: ['not in'],
  'not in': ['in'],
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '//': '/',
  '%': '*',
  '**': '*',
  '<<': '>>',
  '>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
};
/** Names that are taken for each other. */
const TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['min', 'max'],
    ['any', 'all'],
    ['startswith', 'endswith'],
    ['lower', 'upper'],
    ['lstrip', 'rstrip'],
    ['find', 'rfind'],
    ['split', 'rsplit'],
    ['partition', 'rpartition'],
  ].flatMap(([one, other]) => [
    [one!, other!],
    [other!, one!],
  ]),
);
/** Their arguments mean the same in any order, or nothing at all in another. */
const ORDERLESS = new Set(['min', 'max', 'isinstance', 'issubclass', 'hasattr', 'getattr', 'setattr', 'cast']);
/** Whether they are called or not is not what a caller sees. */
const TELLING = new Set(['debug', 'info', 'warning', 'error', 'exception', 'critical', 'log', 'warn', 'print']);

/** Edits in an expression and all inside of it. Of text in `text`, only operators, literals, arguments and bounds change. */
export function* editsInExpression(text: string, expression: Expression): Generator<Edit> {
  // Quotes inside of an f-string's braces have rules that changed from version to version.
  if (expression.kind === 'formattedString' || expression.kind === 'unreadable') return;
  if (expression.kind === 'call' && (isTelling(expression) || calleeName(expression) === 'cast')) return;
  yield* editsOf(text, expression);
  const children = expression.kind === 'lambda' ? [expression.body] : childrenOf(expression);
  for (const inner of children) yield* editsInExpression(text, inner);
}

/** A call that logs, warns or prints. */
export function isTelling(expression: Expression): boolean {
  return expression.kind === 'call' && TELLING.has(calleeName(expression) ?? '');
}

function* editsOf(text: string, expression: Expression): Generator<Edit> {
  switch (expression.kind) {
    case 'comparison':
      yield* compare(text, expression);
      return;
    case 'binary': {
      const { left, right, operator } = expression;
      const span = operatorSpan(text, left, right, operator);
      const other = ARITHMETIC[operator];
      // Text knows few operators: any other is an error at once, and says nothing about the cases.
      if (span && other && !isText(left) && !isText(right)) yield replacing('arithmetic', span, other);
      return;
    }
    case 'logical': {
      const span = operatorSpan(text, expression.left, expression.right, expression.operator);
      if (span) yield replacing('logic', span, expression.operator === 'and' ? 'or' : 'and');
      return;
    }
    case 'unary':
      if (expression.operator === 'not')
        yield replacing('negation', expression, `(${textOf(text, expression.operand)})`);
      if (expression.operator === '-' && expression.operand.kind !== 'number')
        yield replacing('sign', expression, `(${textOf(text, expression.operand)})`);
      return;
    case 'number':
      yield* count(expression);
      return;
    case 'string':
      yield replacing('text', expression, otherText(expression));
      return;
    case 'boolean':
      yield replacing('boolean', expression, expression.value ? 'False' : 'True');
      return;
    case 'conditional':
      yield* negate(text, expression.test);
      return;
    case 'comprehension':
      for (const clause of expression.clauses) {
        for (const condition of clause.conditions) yield* negate(text, condition);
        if (!clause.isAsync) yield replacing('no iteration', clause.iterable, '()');
      }
      return;
    case 'slice':
      for (const bound of [expression.lower, expression.upper]) {
        if (bound && bound.kind !== 'number' && bound.kind !== 'none')
          yield replacing('bound', bound, `(${textOf(text, bound)}) + 1`);
      }
      return;
    case 'yield':
      if (expression.value && expression.value.kind !== 'none') yield replacing('yield', expression.value, 'None');
      return;
    case 'call':
      yield* call(text, expression);
      return;
    default:
      return;
  }
}

/** `not (…)`, where no other operator says the same: a single comparison has its own opposite. */
export function* negate(text: string, test: Expression): Generator<Edit> {
  if (test.kind === 'comparison' && test.rest.length === 1) return;
  if (test.kind === 'boolean' || (test.kind === 'unary' && test.operator === 'not')) return;
  yield replacing('condition', test, `not (${textOf(text, test)})`);
}

function* compare(text: string, { left, rest }: ComparisonExpression): Generator<Edit> {
  let before = left;
  for (const { operator, right } of rest) {
    const span = operatorSpan(text, before, right, operator);
    if (span) for (const other of COMPARISONS[operator] ?? []) yield replacing('comparison', span, other);
    before = right;
  }
}

function* count(expression: NumberExpression): Generator<Edit> {
  if (expression.type === 'complex') return;
  if (expression.type === 'float') {
    yield replacing('number', expression, `(${expression.text} + 1)`);
    return;
  }
  const value = BigInt(expression.text.replaceAll('_', '').replace(/^0+(?=\d)/, ''));
  for (const other of [value + 1n, value - 1n])
    yield replacing('number', expression, other < 0n ? `(${other})` : `${other}`);
}

function otherText({ isBytes, value }: StringExpression): string {
  return `${isBytes ? 'b' : ''}${value === '' ? "'mutant'" : "''"}`;
}

function* call(text: string, expression: CallExpression): Generator<Edit> {
  const name = calleeName(expression);
  const twin = name === undefined ? undefined : TWINS[name];
  // The name is the last thing of its callee.
  if (twin) yield replacing('twin', { start: expression.callee.end - name!.length, end: expression.callee.end }, twin);
  const all = expression.arguments;
  const positional = all.filter((each) => each.name === undefined && each.spread === undefined);
  const [one, other] = positional;
  if (one && other && !ORDERLESS.has(name ?? '')) {
    const [first, second] = [text.slice(one.start, one.end), text.slice(other.start, other.end)];
    const swapped = `${second}${text.slice(one.end, other.start)}${first}`;
    if (first !== second) yield replacing('arguments', { start: one.start, end: other.end }, swapped);
  }
  for (const [at, argument] of all.entries()) {
    if (argument.name === undefined) continue;
    const next = all[at + 1];
    const start = at === 0 ? argument.start : all[at - 1]!.end;
    const end = at > 0 ? argument.end : (next?.start ?? expression.end - 1);
    yield replacing('keyword', { start, end }, '');
  }
}

function calleeName({ callee }: CallExpression): string | undefined {
  return callee.kind === 'name' ? callee.id : callee.kind === 'attribute' ? callee.name : undefined;
}

function isText(expression: Expression): boolean {
  return expression.kind === 'string' || expression.kind === 'formattedString';
}

function textOf(text: string, { start, end }: Expression): string {
  return text.slice(start, end);
}

/** One change of a file's text, and the kind of mistake that it stands for. */
export interface Edit {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function replacing(operator: string, { start, end }: Pick<Span, 'start' | 'end'>, text: string): Edit {
  return { operator, start, end, text };
}

/**
 * Where an operator stands between its operands. The gap holds nothing else but parentheses, white space, line
 * continuations and comments; a comment's words are no operators.
 */
function operatorSpan(
  text: string,
  left: Span,
  right: Span,
  operator: string,
): { start: number; end: number } | undefined {
  const gap = text.slice(left.end, right.start).replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const words = operator.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  const found = new RegExp(words.join('[\\s\\\\]+')).exec(gap);
  return found ? { start: left.end + found.index, end: left.end + found.index + found[0].length } : undefined;
}
