import type { VariantKind } from '../../../src/contract';
import { findVariants, type Languages, openLanguages } from '../../../src/grading/variants';

/** What is written, and the variant that is among those found: its kind, what it changes, and one of its texts. */
type Form = readonly [written: string, kind: VariantKind, was: string, text: string];

let languages: Languages;
beforeAll(async () => {
  languages = await openLanguages();
});

function found(path: string, text: string, id: string): string[] {
  const { variants } = findVariants(languages, [{ path, text }], [id]);
  return variants.flatMap(({ kind, was, texts }) => texts.map((each) => `${kind}: ${was} -> ${each}`));
}

function indented(body: string, by: string): string {
  return body.replace(/^/gm, by);
}

describe('assertions of Python', () => {
  const forms: readonly Form[] = [
    ['assert f() == 3', 'value', '3', '5'],
    ['assert 10 == f()', 'value', '10', '12'],
    ['assert f() == -3', 'value', '3', '5'],
    ['assert f() == 2.5', 'value', '2.5', '4.5'],
    ['assert f() == 0x1f', 'value', '0x1f', '0x1d'],
    ['assert f() == 1_000', 'value', '1_000', '1_002'],
    ["assert f() == 'abc'", 'value', "'abc'", "'afc'"],
    ["assert f() == 'a\\nb'", 'value', "'a\\nb'", "'a\\nf'"],
    ["assert f() == r'\\d12'", 'value', "r'\\d12'", "r'\\d16'"],
    ["assert f() == b'\\x00ab'", 'value', "b'\\x00ab'", "b'\\x00af'"],
    ["assert f() == ''", 'value', "''", "'x'"],
    [
      "assert f() == ('one '  # first\n    'and two')",
      'value',
      "'one '  # first\n    'and two'",
      "'one '  # first\n    'and xwo'",
    ],
    ['assert f() == """one\ntwo"""', 'value', '"""one\ntwo"""', '"""one\nxwo"""'],
    ['assert f() == True', 'value', 'True', 'False'],
    ['assert f() is None', 'value', 'None', '...'],
    ['assert f() == None', 'value', 'None', '0'],
    ["assert f() == {'a': [1, 2]}", 'value', '1', '3'],
    ["assert f() == {'a': [1, 2]}", 'value', '2', '4'],
    ['assert f() == {1, 2}', 'value', '1', '3'],
    ['assert f() == []', 'value', '[]', '[0]'],
    ['assert f() == set()', 'value', 'set()', '{0}'],
    ["assert f() == Decimal('1.50')", 'value', "'1.50'", "'1.90'"],
    ['assert f() == OrderedDict(a=1)', 'value', '1', '3'],
    ['assert f() and g() == 3', 'value', '3', '5'],
    ['assert 1 == f() == g()', 'value', '1', '3'],
    ['assert f() == pytest.approx(3.14)', 'value', '3.14', '5.14'],
    ['assert f() == approx(1000, abs=100)', 'value', '1000', '1402'],
    ['assert math.isclose(f(), 1.5)', 'value', '1.5', '3.5'],
    ["assert f().startswith('ab')", 'value', "'ab'", "'af'"],
    ['self.assertEqual(f(), 3)', 'value', '3', '5'],
    ['self.assertEqual(first=f(), second=3)', 'value', '3', '5'],
    ["self.assertListEqual(['a'], f())", 'value', "'a'", "'e'"],
    ['self.assertAlmostEqual(f(), 2.0, places=3)', 'value', '2.0', '4.0'],
    ['self.assertTrue(f() == 3)', 'value', '3', '5'],
    ['self.assertNumQueries(3)\nwith self.assertNumQueries(3):\n    f()', 'value', '3', '5'],
    ['np.testing.assert_allclose(f(), [1.0, 2.0])', 'value', '1.0', '3.0'],
    ['np.testing.assert_array_equal(f(), np.array([1, 2]))', 'value', '2', '4'],
    ["m.assert_called_once_with('abc', x=2)", 'value', '2', '4'],
    ['with self.subTest(a=1):\n    assert f() == 3', 'value', '3', '5'],
    ['for a in [1, 2]:\n    assert f(a) == 3', 'value', '3', '5'],
    ['try:\n    assert f() == 3\nfinally:\n    g()', 'value', '3', '5'],
    ["if f() != 3:\n    pytest.fail('no')", 'value', '3', '5'],
    ['assert f() == want', 'value-type', 'want', '(lambda it: it + 2 if it + 2 - it > 1 else -it)(want)'],
    ['assert f() == str(x)', 'value-type', 'str(x)', "(str(x)) + 'x'"],
    ["assert f() == f'{x}!'", 'value-type', "f'{x}!'", "(f'{x}!') + 'x'"],
    ['assert f() == [x for x in y]', 'value-type', '[x for x in y]', '([x for x in y]) + [2]'],
    ['assert f() == dict(x)', 'value-type', 'dict(x)', "{**(dict(x)), 'a b': 2}"],
    ['assert f() == set(x)', 'value-type', 'set(x)', '(set(x)) ^ {2}'],
    ['with pytest.raises(ValueError):\n    f()', 'raises', 'ValueError', 'BufferError'],
    ["with pytest.raises(ValueError, match=r'no such \\w+'):\n    f()", 'raises', "r'no such \\w+'", "r'no sych \\w+'"],
    ['self.assertRaises(KeyError, f, 1)', 'raises', 'KeyError', 'EOFError'],
    ["assert 'needle' in f()", 'raises', "'needle'", "'weehle'"],
    ["self.assertRegex(f(), 'abcdef+')", 'raises', "'abcdef+'", "'abchef+'"],
    ['assert f() > 0', 'negate', 'f() > 0', 'not (f() > 0)'],
    ['assert (f() or\n        g())', 'negate', 'f() or\n        g()', 'not (f() or\n        g())'],
    ['self.assertTrue(f())', 'negate', 'assertTrue', 'assertFalse'],
    ['self.assertIsNone(f())', 'negate', 'assertIsNone', 'assertIsNotNone'],
    ['self.assertGreater(f(), 2)', 'negate', 'assertGreater', 'assertLessEqual'],
    ['m.assert_not_called()', 'negate', 'assert_not_called', 'assert_called'],
    ['f()  # and that is all', 'must-fail', '', '; assert 2 == 1'],
  ];
  // Numbers and names in the title: some forms are written several times.
  test.each(forms.map((form, at) => [at, ...form] as const))('%i: %s', (_, written, kind, was, text) => {
    const inClass = `class T(TestCase):\n    def test_x(self):\n${indented(written, '        ')}\n`;
    // The second line of a bracket or a text keeps its own indentation in what is found.
    const own = (each: string) =>
      each.includes('"""') || !each.includes('\n') ? each : each.replace(/\n/g, '\n        ');
    const expected = written.includes('"""') ? undefined : `${kind}: ${own(was)} -> ${own(text)}`;
    const plain = `def test_x():\n${indented(written, '    ')}\n`;
    if (expected) expect(found('tests/test_a.py', inClass, 'tests/test_a.py::T::test_x')).toContain(expected);
    else expect(found('test_a.py', plain, 'test_x').some((each) => each.startsWith(`${kind}: """one`))).toBe(true);
  });

  /** What may swallow a failure is told by where it comes from: tested code has names of all kinds. */
  const contexts: readonly (readonly [imports: string, context: string, letsOut: boolean])[] = [
    ['', 'open(path)', true],
    ['', 'self.subTest(a=1)', true],
    ['', 'monkeypatch.context()', true],
    ['', "(tmp_path / 'a').open()", true],
    ['', "tmp_path.joinpath('a').open()", true],
    ['', 'caplog.at_level(10)', true],
    ['import gzip', 'gzip.open(path)', true],
    ['import warnings', 'warnings.catch_warnings(record=True)', true],
    ['import unittest.mock', "unittest.mock.patch('a.b')", true],
    ['from unittest import mock', "mock.patch.object(a, 'b')", true],
    ['from unittest.mock import patch as changed, patch', "patch('a.b')", true],
    ['from pathlib import Path', "Path('a').open()", true],
    ['import numpy as np', "np.errstate(divide='ignore')", true],
    ['from django.test.utils import override_settings', 'override_settings(A=1)', true],
    ['from freezegun import freeze_time', "freeze_time('2020-01-01')", true],
    ['from zipfile import ZipFile', 'ZipFile(path)', true],
    ['from solution import ZipFile', 'ZipFile(path)', false],
    ['from solution import open', 'open(path)', false],
    ['from .solution import closing', 'closing(f())', false],
    ['from . import tempfile', 'tempfile.anything()', false],
    ['from solution import *', 'catch_warnings()', false],
    ['import solution.mock', "solution.mock.patch('a.b')", false],
    ['def open(path):\n    return Thing(path)', 'open(path)', false],
    ['open = Thing', 'open(path)', false],
    ['', "store.open('a')", false],
    ['', "client.patch('/a')", false],
    ['from solution import Archive', "Archive('a').open('b')", false],
    ['', 'reporter.disabled()', false],
    ['', 'StringIO()', false],
  ];
  test.each(contexts)('%s: with %s', (imports, context, letsOut) => {
    const text = `${imports}\ndef test_x():\n    with ${context} as it:\n        assert f() == 3\n`;
    expect(found('test_a.py', text, 'test_a.py::test_x').includes('value: 3 -> 5')).toBe(letsOut);
  });

  const nothing: readonly (readonly [string, VariantKind])[] = [
    ['if x:\n    assert f() == 3', 'value'],
    ['while x:\n    assert f() == 3', 'value'],
    ['for a in xs:\n    assert f() == 3', 'value'],
    ['for a in []:\n    assert f() == 3', 'value'],
    ['for a in [1, 2]:\n    if a:\n        continue\n    assert f() == 3', 'value'],
    ['if x:\n    return\nassert f() == 3', 'value'],
    ['try:\n    assert f() == 3\nexcept Exception:\n    pass', 'value'],
    ['try:\n    assert f() == 3\nfinally:\n    return', 'value'],
    ['with pytest.raises(E):\n    assert f() == 3', 'value'],
    ['with something():\n    assert f() == 3', 'value'],
    ['with suppress(E):\n    assert f() == 3', 'value'],
    ['def inner():\n    assert f() == 3', 'value'],
    ['assert f() == 3 or g()', 'value'],
    ['assert 3 == 3', 'value'],
    ['assert f() == solution.Thing(3)', 'value'],
    ["assert f() == {'key': x}", 'value'],
    ['m.assert_any_call(3)', 'value'],
    ['assert f() != 3', 'value'],
    ['assert f() == pytest.approx(3, abs=tolerance)', 'value'],
    ['np.testing.assert_array_equal(f(), 3)', 'value'],
    ['with pytest.raises(Exception):\n    f()', 'raises'],
    ['with pytest.raises((A, B)):\n    f()', 'raises'],
    ['with pytest.raises(KeyboardInterrupt):\n    f()', 'raises'],
    ["with pytest.raises((A, B), match='a|b'):\n    f()", 'raises'],
    ["assert 'a' in f()", 'raises'],
    ["assert (f() == 3, 'told')", 'negate'],
    ['return f()', 'must-fail'],
    ['raise f()', 'must-fail'],
    ['yield f()', 'must-fail'],
  ];
  test.each(nothing)('nothing is certain in: %s (%s)', (written, kind) => {
    const all = found('test_a.py', `def test_x():\n${indented(written, '    ')}\n`, 'test_a.py::test_x');
    expect(all.filter((each) => each.startsWith(`${kind}:`))).toEqual([]);
  });
});

describe('tables of Python', () => {
  const table = (decorators: string, body = 'assert f(a) == want') =>
    `${decorators}\ndef test_x(a, want):\n    ${body}\n`;
  const forms: readonly (readonly [name: string, source: string, row: string, expected: string])[] = [
    ['containers keep the id', table("@pytest.mark.parametrize('a, want', [(1, [1]), (2, [4])])"), '2-want1', '4 -> 6'],
    [
      'ids of rows',
      table("@pytest.mark.parametrize('a, want', [pytest.param(1, 2, id='one'), pytest.param(2, 4, id='two')])"),
      'two',
      '4 -> 6',
    ],
    [
      'ids in a list',
      table("@pytest.mark.parametrize(['a', 'want'], [(1, 2), (2, 4)], ids=['p', 'q'])"),
      'p',
      '2 -> 4',
    ],
    [
      'stacked',
      `@pytest.mark.parametrize('b', [1, 2])\n${table("@pytest.mark.parametrize('a, want', [('x', [1]), ('y', [4])])")}`.replace(
        '(a, want)',
        '(a, b, want)',
      ),
      'y-want1-2',
      '4 -> 6',
    ],
    [
      'through approx',
      table("@pytest.mark.parametrize('a, want', [(1, [1.5])])", 'assert f(a) == pytest.approx(want)'),
      '1-want0',
      '1.5 -> 3.5',
    ],
    ['numbered by parameterized', table('@parameterized.expand([(1, 2), (2, 4)])'), '', '4 -> 6'],
    [
      'under a name',
      `ROWS = [(1, [1]), (2, [4])]\n${table("@pytest.mark.parametrize('a, want', ROWS)")}`,
      '1-want0',
      '1 -> 3',
    ],
  ];
  test.each(forms)('%s', (_, source, row, expected) => {
    const id = row === '' ? 'test_a.py::test_x_1' : `test_a.py::test_x[${row}]`;
    const rows = found('test_a.py', source, id).filter((each) => each.startsWith('table: '));
    expect(rows[0]).toBe(`table: ${expected}`);
    expect(new Set(rows.map((each) => each.split(' -> ')[0])).size).toBe(1);
  });

  const nothing: readonly (readonly [name: string, source: string])[] = [
    ['values that are the id', table("@pytest.mark.parametrize('a, want', [(1, 2)])")],
    ['ids made by a function', table("@pytest.mark.parametrize('a, want', [(1, [2])], ids=str)")],
    ['given to a fixture', table("@pytest.mark.parametrize('a, want', [(1, [2])], indirect=True)")],
    ['used for the result too', table("@pytest.mark.parametrize('a, want', [(1, [2])])", 'assert f(a, want) == want')],
    [
      'compared below an if',
      table("@pytest.mark.parametrize('a, want', [(1, [2])])", 'if a:\n        assert f(a) == want'),
    ],
    [
      'changed before',
      table("@pytest.mark.parametrize('a, want', [(1, [2])])", 'want = g(want)\n    assert f(a) == want'),
    ],
  ];
  test.each(nothing)('not: %s', (_, source) => {
    const all = found('test_a.py', source, 'test_a.py::test_x[1-want0]');
    expect(all.filter((each) => each.startsWith('table:'))).toEqual([]);
  });

  test('a row of a class is changed only where all its tests compare it', () => {
    const source = (other: string) =>
      `@pytest.mark.parametrize('a, want', [(1, [2])])\nclass TestIt:\n    def test_x(self, a, want):\n        assert f(a) == want\n    def test_y(self, a, want):\n        ${other}\n`;
    const id = 'test_a.py::TestIt::test_x[1-want0]';
    expect(found('test_a.py', source('assert g(a) == want'), id)).toContain('table: 2 -> 4');
    expect(found('test_a.py', source('assert g(want) == a'), id)).not.toContain('table: 2 -> 4');
  });
});

describe('helpers of Python', () => {
  const call = 'def test_x():\n    check(1, 4)\n';
  const forms: readonly (readonly [name: string, helper: string, helps: boolean])[] = [
    ['compares', 'def check(a, want):\n    assert f(a) == want', true],
    [
      'compares after work on the other',
      'def check(a, want):\n    b = f(a)\n    print(b)\n    assert b == want, want',
      true,
    ],
    [
      'hands on to one that compares',
      'def check(a, want):\n    same(f(a), want)\ndef same(a, b):\n    assert a == b',
      true,
    ],
    ['compares sometimes', 'def check(a, want):\n    if a:\n        assert f(a) == want', false],
    ['uses the expectation before', 'def check(a, want):\n    f(want)\n    assert f(a) == want', false],
    [
      'swallows',
      'def check(a, want):\n    try:\n        assert f(a) == want\n    except AssertionError:\n        pass',
      false,
    ],
    ['is never awaited', 'async def check(a, want):\n    assert f(a) == want', false],
    ['calls itself', 'def check(a, want):\n    check(a, want)', false],
  ];
  test.each(forms)('%s', (_, helper, helps) => {
    const all = found('test_a.py', `${helper}\n${call}`, 'test_a.py::test_x');
    expect(all.includes('helper: 4 -> 6')).toBe(helps);
  });

  test('a method, and a function of another file', () => {
    const method =
      'class T(TestCase):\n    def check(self, a, want):\n        self.assertEqual(a, want)\n    def test_x(self):\n        self.check(f(), 4)\n';
    expect(found('test_a.py', method, 'test_a.T.test_x')).toContain('helper: 4 -> 6');
    const files = [
      { path: 'tests/test_a.py', text: `from .helpers import check as check_it\n${call.replace('check', 'check_it')}` },
      { path: 'tests/helpers.py', text: 'def check(a, want):\n    assert f(a) == want\n' },
    ];
    const { variants } = findVariants(languages, files, ['tests/test_a.py::test_x']);
    expect(variants.map(({ kind, was, path }) => [kind, was, path])).toContainEqual(['helper', '4', 'tests/test_a.py']);
  });
});

describe('assertions of JavaScript and TypeScript', () => {
  const forms: readonly Form[] = [
    ['expect(f()).toBe(3);', 'value', '3', '5'],
    ["expect(f()).toEqual({ a: [1, 'two'] })", 'value', "'two'", "'tao'"],
    ['expect(f()).toStrictEqual([]);', 'value', '[]', '[2]'],
    ['expect(f()).toBeCloseTo(0.3);', 'value', '0.3', '2.3'],
    ['expect(f()).toHaveLength(2);', 'value', '2', '4'],
    ["expect(f).toHaveBeenNthCalledWith(1, 'ab');", 'value', "'ab'", "'af'"],
    ['await expect(f()).resolves.toBe(3);', 'value', '3', '5'],
    ['expect(f()).to.equal(3);', 'value', '3', '5'],
    ['expect(f()).to.deep.equal([1]);', 'value', '1', '3'],
    ['f().should.eql(3);', 'value', '3', '5'],
    ['assert.strictEqual(f(), `abc`);', 'value', '`abc`', '`afc`'],
    ['assert(f() === 3);', 'value', '3', '5'],
    ['for (const x of [1]) { expect(f(x)).toBe(3); }', 'value', '3', '5'],
    ['expect(f()).toBe(want);', 'value-type', 'want', '(want) + 2'],
    ['expect(f).toThrow(TypeError);', 'raises', 'TypeError', 'EvalError'],
    ["expect(f()).toContain('needle');", 'raises', "'needle'", "'weehle'"],
    ['expect(f()).toMatch(/abcdef/);', 'raises', '/abcdef/', '/abchef/'],
    ['expect(f()).toBe(3);', 'negate', '', '.not'],
    ['expect(f())\n  .not.toBe(3);', 'negate', '.not', ''],
    ['expect(f()).to.be.true;', 'negate', '', '.not'],
    ['assert.ok(f());', 'negate', 'f()', '!(f())'],
    ['assert.deepEqual(f(), g());', 'negate', 'deepEqual', 'notDeepEqual'],
    ['expect(f()).toBe(3);', 'must-fail', '', ' expect(2).toBe(1);'],
  ];
  test.each(forms.map((form, at) => [at, ...form] as const))('%i: %s', (_, written, kind, was, text) => {
    const source = `describe('a', () => {\n  it('b', async () => {\n${written}\n  });\n});\n`;
    for (const path of ['a.test.ts', 'a.spec.mjs'])
      expect(found(path, source, 'a > b')).toContain(`${kind}: ${was} -> ${text}`);
  });

  test.each([
    'if (x) expect(f()).toBe(3);',
    'if (x) return; expect(f()).toBe(3);',
    'try { expect(f()).toBe(3); } catch {}',
    'g(() => expect(f()).toBe(3));',
    'expect(p).resolves.toBe(3);',
    'expect(f).toHaveBeenCalledWith(3);',
    'expect(3).toBe(3);',
  ])('nothing is certain in: %s', (written) => {
    const all = found('a.test.js', `test('b', () => {\n${written}\n});`, 'b');
    expect(all.filter((each) => each.startsWith('value'))).toEqual([]);
  });

  test('rows of a table, and a helper', () => {
    const source = `function check(src, want) { expect(parse(src)).toEqual(want); }
describe('calc', () => {
  test.each([[1, 2, 3], [2, 2, 4]])('adds %i and %i', (a, b, want) => { expect(add(a, b)).toBe(want); });
  it.each([{ name: 'x', want: [8] }, { name: 'y', want: [2] }])('does $name', ({ name, want }) => { expect(f(name)).toEqual(want); });
  it('checks', () => { check('1', 4); });
});`;
    expect(found('a.test.js', source, 'calc adds 2 and 2')[0]).toBe('table: 4 -> 6');
    expect(found('a.test.js', source, 'calc > does x')[0]).toBe('table: 8 -> 6');
    expect(found('a.test.js', source, 'src/a.test.js::calc checks')[0]).toBe('helper: 4 -> 6');
  });
});

describe('assertions of Go', () => {
  const forms: readonly Form[] = [
    ['if got != 3 { t.Errorf("got %d", got) }', 'value', '3', '5'],
    ['if got := f(); got != "abc" || err != nil { t.Fatal(got) }', 'value', '"abc"', '"afc"'],
    ['if !reflect.DeepEqual(f(), []int{1, 2}) { t.Fatal() }', 'value', '2', '4'],
    ['if diff := cmp.Diff(f(), T{A: "x"}); diff != "" { t.Fatal(diff) }', 'value', '"x"', '"b"'],
    ['if err != nil { t.Fatal(err) } else if got != uint8(255) { t.Fail() }', 'value', '255', '253'],
    ['assert.Equal(t, 3, f())', 'value', '3', '5'],
    ['require.Len(t, f(), 2)', 'value', '2', '4'],
    ['assert.EqualError(t, f(), `no way`)', 'value', '`no way`', '`no aay`'],
    ['if len(got) != want { t.Fail() }', 'value-type', 'want', '(want) + 2'],
    ['assert.Contains(t, f(), "needle")', 'raises', '"needle"', '"weehle"'],
    ['if err != nil { t.Fatal(err) }', 'negate', 'err != nil', '!(err != nil)'],
    ['require.NoError(t, f())', 'negate', 'NoError', 'Error'],
    ['f()', 'must-fail', '', '; if 2 != 1 { t.Error("got 2, want 1") }'],
  ];
  test.each(forms)('%s (%s)', (written, kind, was, text) => {
    const source = `package a\n\nfunc TestX(t *testing.T) {\n\t${written}\n}\n`;
    expect(found('pkg/a/a_test.go', source, 'example.com/m/pkg/a.TestX')).toContain(`${kind}: ${was} -> ${text}`);
  });

  test('rows of tables, by the name of the subtest', () => {
    const source = `package a
func TestX(t *testing.T) {
	tests := []struct{ name, in string; want int }{{name: "two words", in: "a", want: 2}, {"b", "b", -4}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := f(tt.in); got != tt.want { t.Errorf("got %d, want %d", got, tt.want) }
		})
	}
}
func TestUsed(t *testing.T) {
	for name, tt := range map[string]struct{ want int }{"a": {2}} {
		t.Run(name, func(t *testing.T) { if f(tt.want) != tt.want { t.Fail() } })
	}
}`;
    expect(found('a_test.go', source, 'TestX/two_words')[0]).toBe('table: 2 -> 4');
    expect(found('a_test.go', source, 'TestX/b')[0]).toBe('table: 4 -> 6');
    expect(found('a_test.go', source, 'TestUsed/a').some((each) => each.startsWith('table'))).toBe(false);
    expect(findVariants(languages, [{ path: 'a_test.go', text: source }], ['TestX/c']).without).toEqual([
      { test: 'TestX/c', why: 'its subtest is not found by its name' },
    ]);
  });
});

describe('assertions of Rust', () => {
  const forms: readonly Form[] = [
    ['assert_eq!(f(2), 3);', 'value', '3', '5'],
    ['assert_eq!(f(), Some("abc".to_string()), "told {}", 1);', 'value', '"abc"', '"afc"'],
    ['assert_eq!(f(), vec![1u8, 255u8]);', 'value', '255u8', '253u8'],
    ['assert!(x < y && f() == -3);', 'value', '3', '5'],
    ['assert_eq!(xs.len(), n);', 'value-type', 'n', '(n) + 2'],
    ['assert!(f().contains("needle"));', 'raises', '"needle"', '"weehle"'],
    ['assert!(f());', 'negate', 'f()', '!(f())'],
    ['assert_ne!(f(), g());', 'negate', 'assert_ne', 'assert_eq'],
    ['check("x", -4);', 'helper', '4', '6'],
    ['f();', 'must-fail', '', ' assert_eq!(2, 1);'],
  ];
  test.each(forms)('%s (%s)', (written, kind, was, text) => {
    const source = `mod tests {
  fn check(src: &str, want: i32) { let got = f(src); assert_eq!(got, want); }
  #[test]\n  fn it() {\n    ${written}\n  }\n}\n`;
    expect(found('src/calc.rs', source, 'mine calc::tests::it')).toContain(`${kind}: ${was} -> ${text}`);
  });

  test('what has to panic, and cases by number', () => {
    const source = `#[test]\n#[should_panic(expected = "out of range")]\nfn panics() { assert_eq!(f(), 3); }
#[rstest]\n#[case("a", 1)]\n#[case("b", 3)]\nfn cases(#[case] input: &str, #[case] want: i32) { assert_eq!(f(input), want) }\n`;
    const panics = found('tests/it.rs', source, 'panics');
    expect(panics).toContain('raises: "out of range" -> "xut of vange"');
    expect(panics.filter((each) => !each.startsWith('raises: '))).toEqual([]);
    expect(found('tests/it.rs', source, 'it::cases::case_2')[0]).toBe('table: 3 -> 5');
  });
});
