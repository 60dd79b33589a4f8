import { findVariants, openLanguages, type Variant, withVariants } from '../../../src/grading/variants';

const file = { path: 'test_a.py', text: 'def test_a():\n    assert f() == [1, 2]\n    g()\n' };
const helper = { path: 'helper.py', text: 'x = 1\n' };
let variants: readonly Variant[];
beforeAll(async () => {
  variants = findVariants(await openLanguages(), [file, helper], ['test_a']).variants;
});

function chosen(kind: Variant['kind'], nth = 0) {
  const variant = variants.find((each) => each.kind === kind)!;
  return { variant, text: variant.texts[nth]! };
}

test('several places of one file', () => {
  const { files, dropped } = withVariants([helper, file], [chosen('value'), chosen('must-fail')]);
  expect(files).toEqual([
    helper,
    { path: 'test_a.py', text: 'def test_a():\n    assert f() == [3, 2]\n    g(); assert 2 == 1\n' },
  ]);
  expect(dropped).toEqual([]);
});

test('the same edit twice is one; of two that overlap the second is dropped', () => {
  const first = chosen('value');
  const again = withVariants([file], [first, chosen('value'), chosen('negate'), chosen('value', 1)]);
  expect(again.files).toEqual(withVariants([file], [first]).files);
  expect(again.dropped.map(({ variant: { kind }, text }) => [kind, text])).toEqual([
    ['negate', 'not (f() == [1, 2])'],
    ['value', '5'],
  ]);
});

test('files that are not those that were read are refused', () => {
  expect(() => withVariants([{ path: file.path, text: file.text.slice(1) }], [chosen('value')])).toThrow(
    'is not the file',
  );
  expect(() => withVariants([helper], [chosen('value')])).toThrow('not among the files');
});
