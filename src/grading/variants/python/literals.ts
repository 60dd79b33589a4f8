import type { Argument, CallExpression, Expression } from '@pointsman/python';
import { EXACT, numberOf, otherNumbers, otherTexts, type Tolerance } from '../literals';
import type { Range } from '../variant';

/** A value inside of an expectation that can be another one. */
export interface Leaf extends Range {
  readonly texts: readonly string[];
}

/** Makers of values that are equal only where all that they are made of is. */
const CONTAINERS = /^(list|tuple|set|frozenset|dict|OrderedDict|deque|array|asarray|bytes|bytearray|str)$/;
const SCALARS = /^(Decimal|Fraction|timedelta|date|datetime|time|int|float|complex)$/;
const EMPTY: Readonly<Record<string, readonly string[]>> = {
  list: ['[0]', '[2]', '[None]'],
  tuple: ['(0,)', '(2,)', '(None,)'],
  set: ['{0}', '{2}', '{None}'],
  frozenset: ['{0}', '{2}', '{None}'],
  dict: ['{0: 0}', '{2: 0}', '{None: 0}'],
};

/** Name behind the last dot of what is called or named. */
export function lastName(expression: Expression): string {
  if (expression.kind === 'name') return expression.id;
  return expression.kind === 'attribute' ? expression.name : '';
}

/** Names of a dotted expression, or undefined for any other. */
export function dottedName(expression: Expression): string | undefined {
  if (expression.kind === 'name') return expression.id;
  if (expression.kind !== 'attribute') return undefined;
  const object = dottedName(expression.object);
  return object === undefined ? undefined : `${object}.${expression.name}`;
}

export function isMakerOfContainers(call: CallExpression): boolean {
  return (
    CONTAINERS.test(lastName(call.callee)) || /^(Decimal|Fraction|timedelta|date|datetime)$/.test(lastName(call.callee))
  );
}

/** Whether nothing in it is computed. */
export function isLiteral(expression: Expression): boolean {
  switch (expression.kind) {
    case 'number':
    case 'string':
    case 'boolean':
    case 'none':
      return true;
    case 'unary':
      return expression.operator !== 'not' && isLiteral(expression.operand);
    case 'list':
    case 'tuple':
    case 'set':
      return expression.elements.every(isLiteral);
    case 'dict':
      return expression.entries.every(({ key, value }) => key !== undefined && isLiteral(key) && isLiteral(value));
    case 'call':
      return isKnownMaker(expression) && expression.arguments.every(({ value }) => isLiteral(value));
    default:
      return false;
  }
}

function isKnownMaker({ callee }: CallExpression): boolean {
  return CONTAINERS.test(lastName(callee)) || SCALARS.test(lastName(callee));
}

/**
 * The values in an expectation whose change makes it unequal, whatever it is compared with. Not: keys of dicts, members of
 * sets beside computed ones, what is computed from literals, arguments of makers that may drop them.
 */
export function leavesOf(expression: Expression, text: string, tolerance: Tolerance = EXACT): Leaf[] {
  const leaf = (texts: readonly string[]): Leaf[] =>
    texts.length > 0 ? [{ start: expression.start, end: expression.end, texts }] : [];
  const tolerant = tolerance !== EXACT;
  switch (expression.kind) {
    case 'number':
      return leaf(otherNumbers(expression.text, tolerance));
    case 'string':
      return tolerant ? [] : leaf(otherStrings(text.slice(expression.start, expression.end)));
    case 'boolean':
      return tolerant ? [] : leaf([expression.value ? 'False' : 'True']);
    case 'none':
      return tolerant ? [] : leaf(['0', "'x'", '()']);
    case 'unary':
      return expression.operator === 'not' || expression.operand.kind !== 'number'
        ? []
        : leavesOf(expression.operand, text, tolerance);
    case 'list':
    case 'tuple':
      if (expression.elements.length === 0) return tolerant ? [] : leaf(EMPTY[expression.kind]!);
      return expression.elements.flatMap((each) => leavesOf(each, text, tolerance));
    case 'set':
      if (tolerant || !expression.elements.every(isLiteral)) return [];
      return expression.elements
        .flatMap((each) => leavesOf(each, text))
        .flatMap((each) => withoutTwins(each, text, expression));
    case 'dict':
      if (expression.entries.length === 0) return tolerant ? [] : leaf(EMPTY.dict!);
      // Of two entries of one key the first is lost.
      if (hasTwinKeys(expression.entries, text)) return [];
      return expression.entries.flatMap(({ key, value }) => (key ? leavesOf(value, text, tolerance) : []));
    case 'call':
      return leavesOfCall(expression, text, tolerance);
    default:
      return [];
  }
}

function leavesOfCall(call: CallExpression, text: string, tolerance: Tolerance): Leaf[] {
  const name = lastName(call.callee);
  const given = call.arguments.filter(({ spread }) => spread === undefined);
  if (given.length !== call.arguments.length) return [];
  if (SCALARS.test(name)) {
    if (tolerance !== EXACT) return [];
    return given
      .flatMap(({ value }) =>
        value.kind === 'string' && /^(Decimal|Fraction|int|float)$/.test(name)
          ? leavesOf(value, text).map((each) => ({
              ...range(each),
              texts: each.texts.filter((one) => differsAsNumber(one, value, text)),
            }))
          : leavesOf(value, text),
      )
      .filter(({ texts }) => texts.length > 0);
  }
  if (!CONTAINERS.test(name)) return [];
  if (given.length === 0) {
    const texts = EMPTY[name];
    return texts && tolerance === EXACT ? [{ start: call.start, end: call.end, texts }] : [];
  }
  const values = name === 'dict' || name === 'OrderedDict' ? given : given.slice(0, 1);
  if (/set$/.test(name) && !values.every(({ value }) => isLiteral(value))) return [];
  return values.flatMap(({ name: keyword, value }: Argument) => {
    // dict([('key', value)]): keys are no values.
    if (/dict/i.test(name) && keyword === undefined)
      return value.kind === 'dict' ? leavesOf(value, text, tolerance) : [];
    if (/^(str|bytes|bytearray)$/.test(name) && value.kind !== 'string') return [];
    return leavesOf(value, text, tolerance);
  });
}

function differsAsNumber(other: string, { start, end }: Range, text: string): boolean {
  const digits = (literal: string) => literal.replace(/^\w*['"]+|['"]+$/g, '');
  return numberOf(digits(other)) !== numberOf(digits(text.slice(start, end)));
}

/** A member that became equal to another would only make the set smaller, which is unequal too, but says nothing new. */
function withoutTwins(leaf: Leaf, text: string, set: { readonly elements: readonly Expression[] }): Leaf[] {
  const members = new Set(set.elements.map(({ start, end }) => text.slice(start, end)));
  const texts = leaf.texts.filter((each) => !members.has(each));
  return texts.length > 0 ? [{ start: leaf.start, end: leaf.end, texts }] : [];
}

function hasTwinKeys(entries: readonly { readonly key: Expression | undefined }[], text: string): boolean {
  const keys = entries.flatMap(({ key }) => (key ? [text.slice(key.start, key.end)] : []));
  return new Set(keys).size < keys.length || entries.some(({ key }) => key === undefined);
}

function range({ start, end }: Range): Range {
  return { start, end };
}

/** One of several literals side by side, with where its content lies. */
interface Piece {
  readonly contentStart: number;
  readonly contentEnd: number;
}

/** The literals in the source of a string, which may be several side by side with comments between them. */
function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  const opening = /([rbuRBU]{0,2})("""|'''|"|')|#[^\n]*/g;
  for (let found = opening.exec(source); found; found = opening.exec(source)) {
    const quotes = found[2];
    if (!quotes) continue;
    const contentStart = found.index + found[0].length;
    let at = contentStart;
    while (at < source.length && !source.startsWith(quotes, at)) at += source[at] === '\\' ? 2 : 1;
    pieces.push({ contentStart, contentEnd: at });
    opening.lastIndex = at + quotes.length;
  }
  return pieces;
}

/** The same literal with another content, made by `others` from the content of its longest piece. */
export function otherStrings(source: string, others: (content: string) => string[] = otherTexts): string[] {
  const longest = piecesOf(source).reduce<Piece | undefined>(
    (best, each) => (!best || each.contentEnd - each.contentStart > best.contentEnd - best.contentStart ? each : best),
    undefined,
  );
  if (!longest) return [];
  const { contentStart, contentEnd } = longest;
  return others(source.slice(contentStart, contentEnd)).map(
    (content) => source.slice(0, contentStart) + content + source.slice(contentEnd),
  );
}
