import type { CallExpression, Expression, Statement } from '@pointsman/python';
import { EXACT, otherNeedles, otherPatterns, otherTexts, type Tolerance } from '../literals';
import type { Failure, Range } from '../variant';
import { lastName, otherStrings } from './literals';

/** Two sides that are equal in every run that passes. `arrays`: a lone number may be compared with no element at all. */
export interface Equality {
  readonly sides: readonly [Expression, Expression];
  readonly tolerance: Tolerance;
  readonly identity: boolean;
  readonly arrays: boolean;
}

/** What is written in place of a range. */
interface Edit extends Range {
  readonly texts: readonly string[];
}

/** An assertion read: what it says, and how it can be made to say something else. */
export interface Assertion {
  readonly equalities: readonly Equality[];
  /** Literals that are compared as a whole with something that cannot be named, like the arguments of a mock. */
  readonly values: readonly Expression[];
  /** Texts of which a change is no proof but for practical purposes: needles, patterns. */
  readonly sought: readonly Edit[];
  /** Another exception class. */
  readonly swaps: readonly (Edit & { readonly fails: Failure })[];
  readonly negation: Edit | undefined;
}

interface EqualityForm {
  /** Names of the two parameters, for keywords. */
  readonly first?: string;
  readonly second?: string;
  readonly tolerance?: (call: CallExpression) => Tolerance | undefined;
  readonly arrays?: boolean;
}

const NUMPY = { first: 'actual', second: 'desired' };

/** Calls that assert the equality of their first two arguments. */
const EQUALITIES: Readonly<Record<string, EqualityForm>> = {
  assertEqual: {},
  assertEquals: {},
  failUnlessEqual: {},
  assertListEqual: { first: 'list1', second: 'list2' },
  assertTupleEqual: { first: 'tuple1', second: 'tuple2' },
  assertDictEqual: { first: 'd1', second: 'd2' },
  assertSetEqual: { first: 'set1', second: 'set2' },
  assertSequenceEqual: { first: 'seq1', second: 'seq2' },
  assertMultiLineEqual: {},
  assertCountEqual: {},
  assertItemsEqual: {},
  assertHTMLEqual: { first: 'html1', second: 'html2' },
  assertXMLEqual: { first: 'xml1', second: 'xml2' },
  assertJSONEqual: { first: 'raw', second: 'expected_data' },
  assertQuerysetEqual: { first: 'qs', second: 'values' },
  assertQuerySetEqual: { first: 'qs', second: 'values' },
  assertAlmostEqual: { tolerance: placesOf },
  assertAlmostEquals: { tolerance: placesOf },
  eq_: { first: 'a', second: 'b' },
  assert_equal: NUMPY,
  assert_equals: {},
  assert_string_equal: NUMPY,
  assert_array_equal: { first: 'actual', second: 'desired', arrays: true },
  assert_almost_equal: { first: 'actual', second: 'desired', tolerance: decimalsOf(7) },
  assert_array_almost_equal: { first: 'actual', second: 'desired', tolerance: decimalsOf(6), arrays: true },
  assert_allclose: { first: 'actual', second: 'desired', tolerance: relativeOf('rtol', 1e-7, 'atol', 0, 2) },
};

/** The same as conditions: `assert math.isclose(a, b)`. */
const EQUAL_CONDITIONS: Readonly<Record<string, EqualityForm>> = {
  isclose: { first: 'a', second: 'b', tolerance: closeness },
  allclose: { first: 'a', second: 'b', tolerance: relativeOf('rtol', 1e-5, 'atol', 1e-8, 2), arrays: true },
  array_equal: { first: 'a1', second: 'a2', arrays: true },
};

/** An assertion's opposite: one holds exactly where the other does not. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['assertTrue', 'assertFalse'],
  ['assertEqual', 'assertNotEqual'],
  ['assertEquals', 'assertNotEqual'],
  ['assertAlmostEqual', 'assertNotAlmostEqual'],
  ['assertIs', 'assertIsNot'],
  ['assertIsNone', 'assertIsNotNone'],
  ['assertIn', 'assertNotIn'],
  ['assertIsInstance', 'assertNotIsInstance'],
  ['assertRegex', 'assertNotRegex'],
  ['assertGreater', 'assertLessEqual'],
  ['assertLess', 'assertGreaterEqual'],
  ['assertContains', 'assertNotContains'],
  ['assertTemplateUsed', 'assertTemplateNotUsed'],
  ['assert_called', 'assert_not_called'],
  ['assert_not_called', 'assert_called'],
  ['assert_called_once', 'assert_not_called'],
  ['assert_awaited', 'assert_not_awaited'],
  ['assert_not_awaited', 'assert_awaited'],
  ['assert_awaited_once', 'assert_not_awaited'],
];
const OPPOSITE = new Map<string, string>([
  ...OPPOSITES.filter(([one]) => one.startsWith('assert_')),
  ...OPPOSITES.filter(([one]) => !one.startsWith('assert_')).flatMap(([one, other]): [string, string][] => [
    [one, other],
    ...(one === 'assertEquals' ? [] : [[other, one] as [string, string]]),
  ]),
]);
const ONCE = /^assert_(called|awaited)(_once)?_with$/;

/** Exceptions that are raised by next to nothing and related to next to nothing. */
const UNRELATED = ['BufferError', 'EOFError', 'ZeroDivisionError'];
/** Classes that would catch what is put in their place, or that end the process. */
const NEVER_SWAPPED = /^(Exception|BaseException|StandardError|KeyboardInterrupt|SystemExit|GeneratorExit|Warning)$/;

const NOTHING: Assertion = { equalities: [], values: [], sought: [], swaps: [], negation: undefined };

/** What a statement asserts; undefined where it asserts nothing that is known. `isOwn`: a name that the files define themselves. */
export function assertionOf(
  statement: Statement,
  text: string,
  isOwn: (name: string) => boolean,
): Assertion | undefined {
  switch (statement.kind) {
    case 'assert':
      return ofCondition(statement.test, text, negated(statement.test, text));
    case 'if':
      return statement.orElse.length === 0 && complains(statement.body[0])
        ? ofRefusal(statement.test, text)
        : undefined;
    case 'with': {
      const contexts = statement.items.flatMap(({ context }) =>
        context.kind === 'call' ? [ofContext(context, text)] : [],
      );
      return contexts.length === 0 ? undefined : together(contexts, undefined);
    }
    case 'expression':
    case 'assign': {
      const call = calledBy(statement.value);
      return call && !isOwn(lastName(call.callee)) ? ofCall(call, text) : undefined;
    }
    default:
      return undefined;
  }
}

/** The call that an expression is, awaited or not. */
export function calledBy(expression: Expression): CallExpression | undefined {
  const plain = expression.kind === 'await' ? expression.value : expression;
  return plain.kind === 'call' ? plain : undefined;
}

/** `assert x` as `assert not (x)`. A tuple with a text in it is always true. */
function negated(test: Expression, text: string): Edit | undefined {
  if (test.kind === 'tuple') return undefined;
  return { start: test.start, end: test.end, texts: [`not (${text.slice(test.start, test.end)})`] };
}

/** `raise AssertionError`, `self.fail()`, `pytest.fail()`. */
function complains(statement: Statement | undefined): boolean {
  if (statement?.kind === 'raise' && statement.exception)
    return /^(AssertionError|failureException)$/.test(
      lastName(statement.exception.kind === 'call' ? statement.exception.callee : statement.exception),
    );
  const call = statement?.kind === 'expression' ? calledBy(statement.value) : undefined;
  return call !== undefined && lastName(call.callee) === 'fail';
}

/** `if got != 3: self.fail()`: where any part holds the test fails. */
function ofRefusal(test: Expression, text: string): Assertion {
  const equalities = disjuncts(test).flatMap((each) =>
    each.kind === 'comparison' && each.rest.length === 1 && each.rest[0]!.operator === '!='
      ? equality([each.left, each.rest[0]!.right], {})
      : [],
  );
  return together([read({ equalities })], negated(test, text));
}

function disjuncts(test: Expression): Expression[] {
  if (test.kind === 'logical' && test.operator === 'or') return [...disjuncts(test.left), ...disjuncts(test.right)];
  return [test];
}

/** What is true wherever a condition is: all parts of an `and`, none of an `or`. */
function ofCondition(test: Expression, text: string, negation: Edit | undefined): Assertion {
  const parts = conjuncts(test).map((each) => ofPart(each, text));
  return together(parts, negation);
}

function conjuncts(test: Expression): Expression[] {
  if (test.kind === 'logical' && test.operator === 'and') return [...conjuncts(test.left), ...conjuncts(test.right)];
  return [test];
}

function together(parts: readonly Assertion[], negation: Edit | undefined): Assertion {
  return {
    equalities: parts.flatMap(({ equalities }) => equalities),
    values: parts.flatMap(({ values }) => values),
    sought: parts.flatMap(({ sought }) => sought),
    swaps: parts.flatMap(({ swaps }) => swaps),
    negation,
  };
}

function ofPart(part: Expression, text: string): Assertion {
  if (part.kind === 'comparison') {
    const equalities: Equality[] = [];
    const sought: Edit[] = [];
    let left = part.left;
    for (const { operator, right } of part.rest) {
      if (operator === '==' || operator === 'is')
        equalities.push(...equality([left, right], { identity: operator === 'is' }));
      if (operator === 'in') sought.push(...altered(left, text, otherNeedles));
      left = right;
    }
    return read({ equalities, sought });
  }
  if (part.kind !== 'call') return NOTHING;
  const name = lastName(part.callee);
  const form = EQUAL_CONDITIONS[name];
  if (form) return read({ equalities: equalityBy(part, form) });
  const [first] = part.arguments;
  if (!first || first.spread) return NOTHING;
  // Texts of one length that differ: not both are how something starts.
  if (/^(startswith|endswith)$/.test(name) && first.value.kind === 'string' && first.value.value !== '')
    return read({ values: [first.value] });
  if (/^(search|match|fullmatch)$/.test(name)) return read({ sought: altered(first.value, text, otherPatterns) });
  return NOTHING;
}

function read(given: {
  equalities?: readonly Equality[];
  values?: readonly Expression[];
  sought?: readonly Edit[];
}): Assertion {
  return {
    equalities: given.equalities ?? [],
    values: given.values ?? [],
    sought: given.sought ?? [],
    swaps: [],
    negation: undefined,
  };
}

/** A string literal with its content altered. */
function altered(expression: Expression | undefined, text: string, others: (content: string) => string[]): Edit[] {
  if (expression?.kind !== 'string') return [];
  const texts = otherStrings(text.slice(expression.start, expression.end), others);
  return texts.length > 0 ? [{ start: expression.start, end: expression.end, texts }] : [];
}

function ofCall(call: CallExpression, text: string): Assertion | undefined {
  const name = lastName(call.callee);
  const opposite = OPPOSITE.get(name);
  const negation =
    opposite === undefined
      ? undefined
      : { start: call.callee.end - name.length, end: call.callee.end, texts: [opposite] };
  const [first, second] = call.arguments;
  const form = EQUALITIES[name];
  if (form) return together([read({ equalities: equalityBy(call, form) })], negation);
  if (name === 'assertTrue' || name === 'assert_' || name === 'failUnless')
    return first && !first.spread ? ofCondition(first.value, text, negation) : undefined;
  if (name === 'assertIs') {
    const [one, other] = operands(call, {});
    return together([read({ equalities: one && other ? equality([one, other], { identity: true }) : [] })], negation);
  }
  if (ONCE.test(name)) {
    const values = call.arguments.filter(({ spread }) => spread === undefined).map(({ value }) => value);
    return read({ values });
  }
  switch (name) {
    case 'assertIn':
      return together([read({ sought: altered(first?.value, text, otherNeedles) })], negation);
    case 'assertContains':
    case 'assertInHTML':
      return together(
        [read({ sought: altered((name === 'assertContains' ? second : first)?.value, text, otherNeedles) })],
        negation,
      );
    case 'assertRegex':
    case 'assertRegexpMatches':
      return together([read({ sought: altered(second?.value, text, otherPatterns) })], negation);
    case 'assertRedirects':
      return read({ values: second ? [second.value] : [] });
    case 'assertTemplateUsed':
      return together([read({ sought: altered(second?.value, text, otherTexts) })], negation);
    case 'raises':
    case 'assertRaises':
      return second ? raising(call, text) : undefined;
    case 'assertRaisesRegex':
    case 'assertRaisesMessage':
      return call.arguments.length > 2 ? raising(call, text) : undefined;
    default:
      return negation && together([], negation);
  }
}

/** `with raises(…)` and its kin: what leaves the body is what is asserted. */
function ofContext(call: CallExpression, text: string): Assertion {
  const name = lastName(call.callee);
  if (name === 'assertNumQueries') return read({ values: call.arguments.slice(0, 1).map(({ value }) => value) });
  if (/^(raises|assertRaises|assertRaisesRegexp?|assertRaisesMessage)$/.test(name))
    return raising(call, text) ?? NOTHING;
  if (/^(warns|assertWarns)$/.test(name)) return swapped(call, ['BytesWarning']);
  return NOTHING;
}

function raising(call: CallExpression, text: string): Assertion {
  const name = lastName(call.callee);
  const [, second] = call.arguments;
  const match = call.arguments.find((each) => each.name === 'match' || each.name === 'expected_regex');
  const sought = [
    ...altered(match?.value, text, otherPatterns),
    ...(/Regexp?$/.test(name) && second?.name === undefined ? altered(second?.value, text, otherPatterns) : []),
    ...(name === 'assertRaisesMessage' ? altered(second?.value, text, otherNeedles) : []),
  ];
  return together([read({ sought }), swapped(call, UNRELATED)], undefined);
}

function swapped(call: CallExpression, classes: readonly string[]): Assertion {
  const [first] = call.arguments;
  const named =
    first && !first.spread && !first.name && /^(name|attribute)$/.test(first.value.kind) ? first.value : undefined;
  const own = named ? lastName(named) : '';
  if (!named || NEVER_SWAPPED.test(own)) return NOTHING;
  const texts = classes.filter((each) => each !== own && !(own === 'ArithmeticError' && each === 'ZeroDivisionError'));
  return {
    equalities: [],
    values: [],
    sought: [],
    swaps: texts.length > 0 ? [{ start: named.start, end: named.end, texts, fails: 'anything' }] : [],
    negation: undefined,
  };
}

function equalityBy(call: CallExpression, form: EqualityForm): Equality[] {
  const [first, second] = operands(call, form);
  const tolerance = form.tolerance ? form.tolerance(call) : EXACT;
  return first && second && tolerance ? equality([first, second], { tolerance, arrays: form.arrays }) : [];
}

function operands(
  call: CallExpression,
  { first = 'first', second = 'second' }: EqualityForm,
): (Expression | undefined)[] {
  if (call.arguments.some(({ spread }) => spread !== undefined)) return [];
  return [argument(call, 0, first), argument(call, 1, second)];
}

function argument(call: CallExpression, position: number, name: string): Expression | undefined {
  const named = call.arguments.find((each) => each.name === name);
  const placed = call.arguments[position];
  return named?.value ?? (placed?.name === undefined && placed?.spread === undefined ? placed?.value : undefined);
}

/** An equality, `approx(…)` on either side read as its tolerance. */
function equality(
  sides: readonly [Expression, Expression],
  {
    tolerance = EXACT,
    identity = false,
    arrays = false,
  }: { tolerance?: Tolerance; identity?: boolean; arrays?: boolean },
): Equality[] {
  const [left, right] = sides;
  for (const [side, other] of [
    [right, left],
    [left, right],
  ] as const) {
    if (side.kind !== 'call' || lastName(side.callee) !== 'approx') continue;
    const wanted = argument(side, 0, 'expected');
    const accepted = approximation(side);
    return wanted && accepted ? [{ sides: [other, wanted], tolerance: accepted, identity, arrays }] : [];
  }
  return [{ sides, tolerance, identity, arrays }];
}

/** A number given for a parameter: its default where nothing is, undefined where it is computed. */
function numeric(call: CallExpression, position: number, name: string, otherwise: number): number | undefined {
  const given = argument(call, position, name);
  if (!given || given.kind === 'none') return otherwise;
  const sign = given.kind === 'unary' && given.operator === '-' ? -1 : 1;
  const plain = given.kind === 'unary' ? given.operand : given;
  const value = plain.kind === 'number' ? Number(plain.text.replace(/_/g, '')) : Number.NaN;
  return Number.isNaN(value) ? undefined : sign * value;
}

function toleranceOf(relative: number | undefined, absolute: number | undefined): Tolerance | undefined {
  return relative === undefined || absolute === undefined ? undefined : { relative, absolute };
}

/** `pytest.approx`: a part in a million where nothing is said; an absolute tolerance alone replaces that. */
function approximation(call: CallExpression): Tolerance | undefined {
  const absolute = numeric(call, 2, 'abs', 1e-12);
  const alone = argument(call, 2, 'abs') !== undefined && argument(call, 1, 'rel') === undefined;
  return toleranceOf(numeric(call, 1, 'rel', alone ? 0 : 1e-6), absolute);
}

function placesOf(call: CallExpression): Tolerance | undefined {
  if (argument(call, 4, 'delta')) return toleranceOf(0, numeric(call, 4, 'delta', 0));
  const places = numeric(call, 2, 'places', 7);
  return toleranceOf(0, places === undefined ? undefined : 10 ** -places);
}

function decimalsOf(otherwise: number): (call: CallExpression) => Tolerance | undefined {
  return (call) => {
    const decimals = numeric(call, 2, 'decimal', otherwise);
    return toleranceOf(0, decimals === undefined ? undefined : 1.5 * 10 ** -decimals);
  };
}

function relativeOf(
  relative: string,
  relativeDefault: number,
  absolute: string,
  absoluteDefault: number,
  position: number,
): (call: CallExpression) => Tolerance | undefined {
  return (call) =>
    toleranceOf(
      numeric(call, position, relative, relativeDefault),
      numeric(call, position + 1, absolute, absoluteDefault),
    );
}

/** `math.isclose`, or numpy's: the wider of the defaults. */
function closeness(call: CallExpression): Tolerance | undefined {
  const named = (name: string) => call.arguments.some((each) => each.name === name);
  return named('rel_tol') || named('abs_tol')
    ? toleranceOf(numeric(call, 9, 'rel_tol', 1e-9), numeric(call, 9, 'abs_tol', 0))
    : toleranceOf(numeric(call, 2, 'rtol', 1e-5), numeric(call, 3, 'atol', 1e-8));
}
