import { blocksOf, type Expression, expressionsIn, type FunctionStatement, type Statement } from '@pointsman/python';
import { bodyOf } from '../candidate/function-at';
import { type Edit, editsInExpression, isTelling, negate, replacing } from './expressions';

const AUGMENTED: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '//=': '/=',
  '%=': '*=',
  '**=': '*=',
  '<<=': '>>=',
  '>>=': '<<=',
  '&=': '|=',
  '|=': '&=',
  '^=': '&=',
};

/** All edits of a function: its defaults and its body, never decorators, annotations or docstrings. */
export function* editsInFunction(text: string, statement: FunctionStatement): Generator<Edit> {
  for (const parameter of statement.parameters) {
    if (parameter.default) yield* editsInExpression(text, parameter.default);
  }
  for (const each of bodyOf(statement)) yield* editsInStatement(text, each);
}

function* editsInStatement(text: string, statement: Statement): Generator<Edit> {
  switch (statement.kind) {
    case 'function':
      yield* editsInFunction(text, statement);
      return;
    // Nobody but people and type checkers reads these, or they hold for all inputs that the function is made for.
    case 'assert':
    case 'import':
    case 'importFrom':
    case 'global':
    case 'nonlocal':
    case 'pass':
    case 'typeAlias':
    case 'unreadable':
      return;
    case 'raise':
      if (statement.exception) yield replacing('deletion', statement, 'pass');
      return;
    case 'break':
      yield replacing('loop exit', statement, 'continue');
      return;
    case 'continue':
      yield replacing('loop exit', statement, 'break');
      return;
    case 'if':
      if (isTypeChecking(statement.test)) {
        for (const each of statement.orElse) yield* editsInStatement(text, each);
        return;
      }
      yield* negate(text, statement.test);
      break;
    case 'return':
      if (statement.value && statement.value.kind !== 'none') yield replacing('return', statement.value, 'None');
      break;
    case 'assign':
      if (statement.targets.every(({ kind }) => kind === 'name')) {
        if (statement.value.kind !== 'none') yield replacing('assignment', statement.value, 'None');
      } else yield replacing('deletion', statement, 'pass');
      break;
    case 'annotatedAssign':
      if (statement.value && statement.value.kind !== 'none') yield replacing('assignment', statement.value, 'None');
      break;
    case 'augmentedAssign':
      yield* augmented(text, statement);
      break;
    case 'delete':
      if (statement.targets.some(({ kind }) => kind !== 'name')) yield replacing('deletion', statement, 'pass');
      break;
    case 'expression':
      if (statement.value.kind === 'string' || statement.value.kind === 'ellipsis' || isTelling(statement.value))
        return;
      if (statement.value.kind !== 'yield' && statement.value.kind !== 'yieldFrom')
        yield replacing('deletion', statement, 'pass');
      break;
    case 'for':
      if (!statement.isAsync) yield replacing('no iteration', statement.iterable, '()');
      yield* once(text, statement.body);
      break;
    case 'while':
      yield replacing('no iteration', statement.test, 'False');
      yield* once(text, statement.body);
      break;
    case 'try':
      for (const { body } of statement.handlers) yield* handler(body);
      break;
    case 'class':
    case 'with':
    case 'match':
      break;
    default:
      statement satisfies never;
  }
  for (const expression of valuesIn(statement)) yield* editsInExpression(text, expression);
  for (const block of blocksOf(statement)) for (const each of block) yield* editsInStatement(text, each);
}

/** Expressions whose value matters when the statement runs: no annotations, decorators or types of exceptions. */
function valuesIn(statement: Statement): Expression[] {
  switch (statement.kind) {
    case 'annotatedAssign':
      return statement.value ? [statement.value, statement.target] : [];
    case 'class':
    case 'try':
      return [];
    default:
      return expressionsIn(statement);
  }
}

function* augmented(text: string, statement: Extract<Statement, { kind: 'augmentedAssign' }>): Generator<Edit> {
  const { target, operator, value } = statement;
  const at = text.indexOf(operator, target.end);
  if (at < 0 || at >= value.start) return;
  const span = { start: at, end: at + operator.length };
  const other = AUGMENTED[operator];
  const isText = ['string', 'formattedString', 'list', 'tuple'].includes(value.kind);
  if (other && !isText) yield replacing('arithmetic', span, other);
  yield replacing('assignment', span, '=');
}

/** Leaves the loop after its body ran once. */
function* once(text: string, body: readonly Statement[]): Generator<Edit> {
  const last = body.at(-1)!;
  if (['return', 'raise', 'break', 'continue'].includes(last.kind)) return;
  const lineStart = text.lastIndexOf('\n', last.start - 1) + 1;
  const indent = text.slice(lineStart, last.start);
  // A body on the line of its loop has no indentation of its own.
  if (indent.trim() !== '') {
    yield { operator: 'one iteration', start: last.end, end: last.end, text: '; break' };
    return;
  }
  yield { operator: 'one iteration', start: last.end, end: last.end, text: `\n${indent}break` };
}

function* handler(body: readonly Statement[]): Generator<Edit> {
  const [first, last] = [body[0]!, body.at(-1)!];
  if (first.kind === 'raise' && body.length === 1) return;
  yield { operator: 'handler', start: first.start, end: last.end, text: 'raise' };
}

function isTypeChecking(test: Expression): boolean {
  return (
    (test.kind === 'name' && test.id === 'TYPE_CHECKING') ||
    (test.kind === 'attribute' && test.name === 'TYPE_CHECKING')
  );
}
