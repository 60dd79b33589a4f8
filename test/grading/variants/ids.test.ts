import { VariantKind } from '../../../src/contract';
import { findVariants, type Languages, openLanguages, type Variant } from '../../../src/grading/variants';

let languages: Languages;
beforeAll(async () => {
  languages = await openLanguages();
});

describe('ids of tests', () => {
  const python = {
    path: 'tests/shop/test_cart.py',
    text: `import unittest
def test_plain(): assert f() == 1
class Base(unittest.TestCase):
    def test_shared(self): self.assertEqual(f(), 2)
class TestCart(Base):
    def test_own(self):
        """Counts what is in the cart."""
        self.assertEqual(f(), 4)
class TestOther(Base):
    def test_own(self): self.assertEqual(f(), 5)
class TestFar(other.Tests):
    def test_own(self): self.assertEqual(f(), 6)
    test_made = make(7)
class TestOuter:
    class TestInner:
        async def test_deep(self): assert await f() == 8
test_built = build(9)
@unittest.expectedFailure
def test_hopeless(): assert f() == 1
def test_empty(): pass; return
def test_returns(): return check()
def test_called(): assert f() == 1
def run(): test_run(); nothing()
def test_run(): assert f() == 1
def test_main(): assert f() == 10
test_called()
for each in [1]:
    done = [run() for it in each]
if __name__ == '__main__':
    test_main()
later = lambda: test_main()
`,
  };
  const twice = {
    path: 'tests/blog/test_cart.py',
    text: 'def test_plain(): assert f() == 3\ndef test_mine(): assert f() == 3\n',
  };

  test.each([
    ['tests/shop/test_cart.py::test_plain', '1'],
    ['shop/test_cart.py::test_plain', '1'],
    ['/repo/tests/shop/test_cart.py::test_plain', '1'],
    ['test_mine', '3'],
    ['test_main', '10'],
    ['tests/shop/test_cart.py::TestCart::test_own', '4'],
    ['tests.shop.test_cart.TestOther.test_own', '5'],
    ['test_own (tests.shop.test_cart.TestOther)', '5'],
    ['test_own (shop.test_cart.TestOther.test_own)', '5'],
    ['test_own (test_cart.TestOther) (i=1)', '5'],
    ['Counts what is in the cart.', '4'],
    ['tests/shop/test_cart.py::TestOther::test_shared', '2'],
    ['tests/shop/test_cart.py::TestOuter::TestInner::test_deep', '8'],
    ['tests/shop/test_cart.py::test_plain[a::b-c.d[0]]', '1'],
  ])('%s', (id, was) => {
    const { variants, without } = findVariants(languages, [python, twice], [id]);
    expect(without).toEqual([]);
    expect(variants[0]).toMatchObject({ kind: 'value', was, tests: [id] });
  });

  test.each([
    ['test_plain', 'several tests have this name'],
    ['tests/shop/test_cart.py::test_gone', 'no test of this name in the files given'],
    ['tests/shop/test_cart.py::test_built', 'made by a factory'],
    ['tests/shop/test_cart.py::TestFar::test_made', 'made by a factory'],
    ['tests/shop/test_cart.py::TestFar::test_shared', 'inherited, or made by a metaclass or a decorator'],
    ['tests/shop/test_cart.py::test_hopeless', 'expected to fail'],
    ['tests/shop/test_cart.py::test_returns', 'no assertion is reached in every run'],
    ['tests/shop/test_cart.py::test_called', 'called when its file is imported'],
    ['tests/shop/test_cart.py::test_run', 'called when its file is imported'],
    ['shop/cart.py::shop.cart.add[doctest]', 'a doctest'],
    ['docs/guide.rst::guide.rst', 'a doctest'],
  ])('%s: %s', (test, why) => {
    expect(findVariants(languages, [python, twice], [test])).toEqual({ variants: [], without: [{ test, why }] });
  });

  test('a file of no known language', () => {
    const files = [{ path: 'test_it.rb', text: 'def test_it; end' }];
    expect(findVariants(languages, files, ['test_it']).without).toEqual([
      { test: 'test_it', why: 'no file of a language that can be read' },
    ]);
  });

  test.each([
    [
      'pkg/util/a_test.go',
      'package util\nfunc TestIt(t *testing.T) { if f() != 1 { t.Fail() } }',
      ['example.com/m/pkg/util.TestIt', 'pkg/util::TestIt', 'TestIt'],
    ],
    [
      'crates/calc/src/add.rs',
      'mod tests { #[test] fn it() { assert_eq!(f(), 1); } }',
      ['add::tests::it', 'calc add::tests::it', 'calc::bin$add::tests::it', 'it'],
    ],
    [
      'src/a.test.ts',
      "describe('it\\'s', () => { test('works', () => { expect(f()).toBe(1); }); });",
      ["it's works", "it's > works", "src/a.test.ts > it's > works", "src/a.test.ts::it's works"],
    ],
  ])('%s', (path, text, ids) => {
    const { variants, without } = findVariants(languages, [{ path, text }], ids);
    expect(without).toEqual([]);
    expect(variants[0]).toMatchObject({ kind: 'value', was: '1', tests: ids });
  });

  test('methods of a suite, subtests in subtests, and one name in two packages of Go', () => {
    const suite =
      'package a\nfunc TestSuite(t *testing.T) { suite.Run(t, new(S)) }\nfunc (s *S) TestOne() { s.Equal(3, f()) }\n';
    const deep =
      'package b\nfunc TestSuite(t *testing.T) { t.Run("x", func(t *testing.T) { t.Run("y z", func(t *testing.T) { assert.Equal(t, 5, f()) }) }) }';
    const files = [
      { path: 'a/a_test.go', text: suite },
      { path: 'b/b_test.go', text: deep },
    ];
    const firstOf = (id: string) => findVariants(languages, files, [id]).variants[0];
    expect(firstOf('m/a.TestSuite/TestOne')).toMatchObject({ kind: 'value', was: '3' });
    expect(firstOf('m/b.TestSuite/x/y_z')).toMatchObject({ kind: 'value', was: '5' });
    expect(firstOf('m/b.TestSuite')).toMatchObject({ kind: 'value', was: '5' });
    expect(firstOf('TestSuite')).toBeUndefined();
  });
});

describe('what is chosen', () => {
  const text = `import pytest
@pytest.mark.parametrize('a', [1, 2])
def test_all(a):
    assert f(a) == 3
    assert (
        g(a)
        == 'four'
    )
    assert h(a)
    with pytest.raises(ValueError):
        f(None)
    assert a == f(a)
    assert f(a) != 2
    assert f(a) > 2
`;
  const ids = ['test_a.py::test_all[1]', 'test_a.py::test_all[2]'];
  let variants: readonly Variant[];
  beforeAll(() => {
    variants = findVariants(languages, [{ path: 'test_a.py', text }], ids).variants;
  });

  test('other statements before other kinds, in order of worth', () => {
    expect(variants.map(({ kind, was }) => [kind, was])).toEqual([
      ['value', '3'],
      ['value', "'four'"],
      ['value-type', 'f(a)'],
      ['raises', 'ValueError'],
      ['negate', 'h(a)'],
      ['negate', 'f(a) != 2'],
    ]);
    const worth = variants.map(({ kind }) => VariantKind.options.indexOf(kind));
    expect(worth).toEqual(worth.toSorted((one, other) => one - other));
  });

  test('a body that rows share is changed for all of them', () => {
    for (const each of variants) expect(each.tests).toEqual(ids);
  });

  test('lines are those of the statement that fails, and of what is changed', () => {
    expect(variants[1]).toMatchObject({ line: 5, lastLine: 8, changedLine: 7 });
    expect(variants[3]).toMatchObject({ line: 10, lastLine: 11, changedLine: 10, fails: 'anything' });
  });
});

test('parts of a test of Node.js', () => {
  const text = `test('zeros', async (t) => {
  await t.test('before hours', async (inner) => {
    assert.equal(f(), 3);
    await inner.test('deep', () => assert.equal(g(), 4));
  });
  other.test('not a part', () => assert.equal(f(), 5));
});
`;
  const found = (id: string) => findVariants(languages, [{ path: 'test/clock.test.js', text }], [id]).variants;
  expect(found('zeros > before hours').map(({ was }) => was)).toContain('3');
  expect(found('zeros > before hours > deep').map(({ was }) => was)).toContain('4');
  expect(found('zeros > not a part')).toEqual([]);
});
