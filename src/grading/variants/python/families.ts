import type { Expression } from '@pointsman/python';
import { lastName } from './literals';

/** Types whose values can be made unequal by an operator. */
type Family = 'number' | 'str' | 'bytes' | 'list' | 'tuple' | 'dict' | 'set';

/**
 * An operand in brackets made unequal, as a value of each type. A wrong guess raises a TypeError, or changes nothing, and
 * is then not admitted.
 */
const CHANGES: Readonly<Record<Family, (operand: string) => readonly string[]>> = {
  number: (operand) => [2, 4, 12].map((by) => moved(operand, by)),
  str: (operand) => [`${operand} + 'x'`, `${operand} + 'no'`, `${operand} + ' a'`],
  bytes: (operand) => [`${operand} + b'x'`, `${operand} + b'no'`],
  list: (operand) => [`${operand} + [2]`, `${operand} + [None]`],
  tuple: (operand) => [`${operand} + (2,)`, `${operand} + (None,)`],
  dict: (operand) => [`{**${operand}, 'a b': 2}`, `{**${operand}, '-': None}`],
  set: (operand) => [`${operand} ^ {2}`, `${operand} ^ {'a b'}`],
};

/** A number in brackets, further on. Infinity and what is too large for a step stay where they are, and become their opposite. */
function moved(operand: string, by: number): string {
  return `(lambda it: it + ${by} if it + ${by} - it > 1 else -it)${operand}`;
}

const BY_CALL: readonly (readonly [RegExp, Family])[] = [
  [
    /^(str|repr|join|format|strip|lstrip|rstrip|lower|upper|title|replace|decode|dumps|getvalue|read_text|dedent|render|isoformat|strftime|hexdigest)$/,
    'str',
  ],
  [/^(len|sum|int|float|abs|round|count|index|sqrt|Decimal|Fraction)$/, 'number'],
  [/^(list|sorted|split|splitlines|tolist|rsplit|findall|readlines)$/, 'list'],
  [/^(tuple|astuple)$/, 'tuple'],
  [/^(dict|OrderedDict|defaultdict|Counter|json|asdict|to_dict)$/, 'dict'],
  [/^(set|frozenset|union|intersection|difference)$/, 'set'],
  [/^(bytes|encode|bytearray|read_bytes|digest)$/, 'bytes'],
];

const BY_NAME: readonly (readonly [RegExp, Family])[] = [
  [/text|name|str|msg|message|html|xml|out|content|title|line|url|path|code|source|repr|word/i, 'str'],
  [/count|size|len|num|total|^n$|^i$|length|sum|index|width|height|time|value|amount|price/i, 'number'],
  [/list|items|rows|lines|names|seq|arr|results|values/i, 'list'],
  [/dict|json|data|mapping|kwargs|params|headers|config|options/i, 'dict'],
  [/bytes|raw|buf|payload/i, 'bytes'],
  [/tuple|shape|pair|args/i, 'tuple'],
  [/^set|_set$|^s$/i, 'set'],
];

const USUAL: readonly Family[] = ['number', 'str', 'list'];

/**
 * An operand of an equality, as at most three lists of unequal ones: one list for each type that it may be of, the likely
 * type first. What says its type by its syntax gets that alone; a name does so by the values that `valuesOf` knows of it.
 */
export function unequalTo(
  operand: Expression,
  other: Expression,
  text: string,
  valuesOf: (name: string) => readonly Expression[],
): (readonly string[])[] {
  const source = `(${text.slice(operand.start, operand.end)})`;
  const certain = familyOf(operand) ?? named(operand, valuesOf) ?? familyOf(other) ?? named(other, valuesOf);
  const families = certain ? [certain] : [...new Set([...guessed(operand), ...guessed(other), ...USUAL])].slice(0, 3);
  return families.map((each) => CHANGES[each](source));
}

/** The type that all values of a name have. */
function named(expression: Expression, valuesOf: (name: string) => readonly Expression[]): Family | undefined {
  if (expression.kind !== 'name') return undefined;
  const [first, ...others] = new Set(valuesOf(expression.id).map(familyOf));
  return others.length === 0 ? first : undefined;
}

/** The type that the syntax says. */
function familyOf(expression: Expression): Family | undefined {
  switch (expression.kind) {
    case 'number':
      return 'number';
    case 'string':
      return expression.isBytes ? 'bytes' : 'str';
    case 'formattedString':
      return 'str';
    case 'list':
    case 'tuple':
    case 'dict':
    case 'set':
      return expression.kind;
    case 'comprehension':
      return expression.form === 'generator' ? undefined : expression.form;
    case 'unary':
      return expression.operator === 'not' ? undefined : familyOf(expression.operand);
    case 'binary': {
      const left = familyOf(expression.left);
      if (left === 'str' || left === 'bytes' || left === 'list' || left === 'tuple') return left;
      const right = familyOf(expression.right);
      if (right === 'str' || right === 'bytes' || right === 'list' || right === 'tuple')
        return expression.operator === '%' ? undefined : right;
      return left === 'number' && /^(\*\*|\/\/?|-)$/.test(expression.operator) ? 'number' : undefined;
    }
    case 'call':
      // Methods of strange objects may have these names too: only what is called plainly is certain.
      return expression.callee.kind === 'name' || isMethodOfText(expression) ? byName(BY_CALL, expression) : undefined;
    default:
      return undefined;
  }
}

function isMethodOfText(expression: Expression): boolean {
  return (
    expression.kind === 'call' && expression.callee.kind === 'attribute' && familyOf(expression.callee.object) === 'str'
  );
}

function byName(table: readonly (readonly [RegExp, Family])[], expression: Expression): Family | undefined {
  const name = lastName(expression.kind === 'call' ? expression.callee : expression);
  return table.find(([pattern]) => pattern.test(name))?.[1];
}

function guessed(expression: Expression): Family[] {
  const family = expression.kind === 'call' ? byName(BY_CALL, expression) : undefined;
  const named = byName(BY_NAME, expression.kind === 'subscript' ? expression.object : expression);
  return [family, named].filter((each) => each !== undefined);
}
