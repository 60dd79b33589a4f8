import fc from 'fast-check';

/** A module of tests that pass, and their ids. Solutions are looked up in `ANSWERS`, so that others can be put in. */
export interface TestModule {
  readonly text: string;
  readonly tests: readonly string[];
}

const PATH = 'tests/test_it.py';

const numbers = fc.oneof(
  fc.integer().map(String),
  fc.nat(300).map(String),
  fc.nat().map((each) => `0x${each.toString(16)}`),
  fc.nat(9_999).map((each) => `1_${String(each).padStart(4, '0')}`),
  fc.nat(255).map((each) => `0b${each.toString(2)}`),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })
    .map((each) => (Object.is(each, -0) ? '0.0' : String(each))),
);

const texts = fc.oneof(
  // JSON's escapes are Python's.
  fc.string().map((each) => JSON.stringify(each)),
  fc.string({ unit: 'grapheme' }).map((each) => JSON.stringify(each)),
  fc.stringMatching(/^[a-z \\d.]{0,8}[a-z]$/).map((each) => `r'${each}'`),
  fc.stringMatching(/^[ -&(-[\]-~]{0,9}$/).map((each) => `b'${each}'`),
  fc.stringMatching(/^[A-Za-z ,\n]{0,20}$/).map((each) => `"""${each}"""`),
  fc
    .tuple(fc.stringMatching(/^\w{0,5}$/), fc.stringMatching(/^\w{0,5}$/))
    .map(([one, other]) => `('${one}'  # "\n     '${other}')`),
);

const scalars = fc.oneof(numbers, texts, fc.constantFrom('True', 'False', 'None'));

const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 2 }, scalars, tie('list'), tie('tuple'), tie('dict'), tie('made')),
  list: fc.array(tie('value'), { maxLength: 3 }).map((each) => `[${each.join(', ')}]`),
  tuple: fc
    .array(tie('value'), { maxLength: 3 })
    .map((each) => (each.length === 1 ? `(${each[0]},)` : `(${each.join(', ')})`)),
  dict: fc
    .array(fc.tuple(fc.constantFrom("'a'", "'b'", '3'), tie('value')), { maxLength: 3 })
    .map((each) => `{${each.map((entry) => entry.join(': ')).join(', ')}}`),
  made: fc.oneof(
    tie('list').map((each) => `tuple(${each})`),
    fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }).map((each) => `{${each.join(', ')}}`),
    fc.nat(999).map((each) => `Decimal('${each}.5')`),
  ),
})).value as fc.Arbitrary<string>;

/** Statements that pass where `ANSWERS[n]` is the value. */
const assertions = fc.constantFrom<(answer: string, value: string) => string>(
  (answer, value) => `assert ${answer} == ${value}`,
  (answer, value) => `assert ${value} == ${answer}, 'told'`,
  (answer, value) => `assert (${answer} == ${value}) and ${answer} == ${value}`,
  (answer, value) => `assert not (${answer} != ${value})`,
  (answer, value) => `want = ${value}; assert ${answer} == want`,
  (answer, value) => `check(${answer}, ${value})`,
  (answer, value) => `if ${answer} != ${value}:\n    raise AssertionError`,
  (answer, value) => `CASE.assertEqual(${answer}, ${value})`,
  (answer, value) => `CASE.assertTrue(${answer} == ${value})`,
  (answer, value) => `CASE.assertCountEqual([${answer}, 1], [1, ${value}])`,
  (answer, value) =>
    `with CASE.assertRaises(KeyError):\n    {${value!.startsWith('[') || value.startsWith('{') || value.startsWith('(') || /^\w+\(/.test(value) ? '1' : value}: 1}['${answer.length}k']`,
);

const wrappings = fc.constantFrom<(statement: string) => string>(
  (statement) => statement,
  (statement) => statement,
  (statement) => `with CASE.subTest(a=1):\n${indented(statement)}`,
  (statement) => `for each in (1, 2):\n${indented(statement)}`,
  (statement) => `try:\n${indented(statement)}\nfinally:\n    done = 1`,
  (statement) => `if ANSWERS:\n${indented(statement)}`,
  (statement) => `try:\n${indented(statement)}\nexcept KeyError:\n    pass`,
  (statement) => `with swallowing():\n${indented(statement)}`,
);

const HEAD = `from contextlib import contextmanager
from decimal import Decimal
from unittest import TestCase
CASE = TestCase()
@contextmanager
def swallowing():
    try:
        yield
    except AssertionError:
        pass
def check(got, want):
    assert got == want
`;

/** Texts over several lines would change with their indentation: they are left as they are, as Python does. */
function indented(statement: string): string {
  return statement
    .split('"""')
    .map((part, at) => (at % 2 === 0 ? part.replace(/^(?!$)/gm, '    ') : part))
    .map((part, at) => (at > 0 && at % 2 === 0 ? part.replace(/^ {4}/, '') : part))
    .join('"""');
}

export function modules(): fc.Arbitrary<TestModule> {
  const statements = fc.tuple(values, assertions, wrappings);
  return fc.array(fc.array(statements, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }).map((all) => {
    const answers: string[] = [];
    const functions = all.map((body, at) => {
      const lines = body.map(([value, assertion, wrapping]) => {
        answers.push(value);
        return wrapping(assertion(`ANSWERS[${answers.length - 1}]`, value));
      });
      return `def test_${at}():\n${lines.map(indented).join('\n')}\n`;
    });
    return {
      text: `${HEAD}ANSWERS = [\n    ${answers.join(',\n    ')},\n]\n${functions.join('')}`,
      tests: all.map((_, at) => `${PATH}::test_${at}`),
    };
  });
}
