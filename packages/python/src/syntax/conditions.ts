import type { Expression } from './syntax';

/** Versions of Python that a condition has to agree on before it counts as decided. */
const OLDEST = [3, 8, 0, 0, 0];
const NEWEST = [3, 99, 99, 99, 99];

/**
 * What a test of a module's top level comes to on every Python that is supported, or undefined where that depends.
 * `assignedTo` gives the expression that a name was assigned, where there is just one.
 */
export function decided(
  test: Expression,
  assignedTo: (name: string) => Expression | undefined,
  depth = 0,
): boolean | undefined {
  if (depth > 8) return undefined;
  const inner = (each: Expression) => decided(each, assignedTo, depth + 1);
  switch (test.kind) {
    case 'boolean':
      return test.value;
    case 'none':
      return false;
    case 'number':
      return Number(test.text) !== 0;
    case 'name': {
      if (test.id === 'TYPE_CHECKING') return false;
      const value = assignedTo(test.id);
      return value && inner(value);
    }
    case 'attribute':
      if (test.name === 'TYPE_CHECKING') return false;
      // six: both are constants of the interpreter that runs.
      if (test.object.kind === 'name' && test.object.id === 'six' && /^PY[23]$/.test(test.name))
        return test.name === 'PY3';
      return undefined;
    case 'unary': {
      if (test.operator !== 'not') return undefined;
      const value = inner(test.operand);
      return value === undefined ? undefined : !value;
    }
    case 'logical': {
      const [left, right] = [inner(test.left), inner(test.right)];
      const decisive = test.operator === 'or';
      if (left === decisive || right === decisive) return decisive;
      return left === undefined || right === undefined ? undefined : !decisive;
    }
    case 'comparison': {
      const [only, ...more] = test.rest;
      return only && more.length === 0 ? compared(test.left, only.operator, only.right) : undefined;
    }
    default:
      return undefined;
  }
}

function compared(left: Expression, operator: string, right: Expression): boolean | undefined {
  if (left.kind === 'name' && left.id === '__name__' && right.kind === 'string' && right.value === '__main__')
    return operator === '==' ? false : operator === '!=' ? true : undefined;
  const [wanted, part] = [versionOf(right), versionPart(left)];
  if (!wanted || part === undefined) return undefined;
  const [oldest, newest] = [OLDEST, NEWEST].map((version) => ordering(version.slice(0, part), wanted));
  const holds = OPERATORS[operator];
  // What is equal at neither end, on the same side of both, is equal nowhere in between.
  if (/[=!]=/.test(operator) && !/[<>]/.test(operator) && Math.sign(oldest!) !== Math.sign(newest!)) return undefined;
  return holds && holds(oldest!) === holds(newest!) ? holds(oldest!) : undefined;
}

const OPERATORS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
};

/** How many numbers of the version are compared: all of `sys.version_info`, one of `sys.version_info[0]` and `.major`. */
function versionPart(expression: Expression): number | undefined {
  if (isVersionInfo(expression)) return 5;
  if (expression.kind === 'attribute' && expression.name === 'major' && isVersionInfo(expression.object)) return 1;
  if (expression.kind !== 'subscript') return undefined;
  const { object, index } = expression;
  if (isVersionInfo(object)) {
    if (index.kind === 'number') return index.text === '0' ? 1 : undefined;
    if (index.kind === 'slice' && !index.lower && index.upper?.kind === 'number') return Number(index.upper.text);
  }
  const isText = object.kind === 'attribute' && object.name === 'version';
  return isText && index.kind === 'number' && index.text === '0' ? 1 : undefined;
}

function isVersionInfo(expression: Expression): boolean {
  if (expression.kind === 'attribute')
    return expression.name === 'version_info' && expression.object.kind === 'name' && expression.object.id === 'sys';
  return expression.kind === 'name' && expression.id === 'version_info';
}

function versionOf(expression: Expression): number[] | undefined {
  const numbers = expression.kind === 'tuple' ? expression.elements : [expression];
  const version = numbers.map((each) => {
    if (each.kind === 'number' && each.type === 'int') return Number(each.text);
    return each.kind === 'string' && /^\d$/.test(each.value) ? Number(each.value) : Number.NaN;
  });
  return version.length > 0 && version.every(Number.isInteger) ? version : undefined;
}

/** As Python orders tuples: of two that agree as far as both go, the shorter is less. */
function ordering(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.min(one.length, other.length); at++)
    if (one[at] !== other[at]) return one[at]! - other[at]!;
  return one.length - other.length;
}
