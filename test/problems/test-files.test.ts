import { fileOfTestId, isTestName, isTestPath } from '../../src/problems/test-files';

test.each([
  ['tests/test_x.py::Class::test[a::b]', 'tests/test_x.py'],
  ['src/x.spec.ts > suite > test a > b', 'src/x.spec.ts'],
  ['a b > c.js > d', 'a b > c.js > d'],
  ['zeros > before hours', 'zeros > before hours'],
  ['tests::unit', 'tests'],
])('the file of %s', (id, file) => expect(fileOfTestId(id)).toBe(file));

test.each([
  ['pkg/x_test.go', true, true],
  ['pkg/testing.go', false, false],
  ['lib/__tests__/slug.js', false, true],
  ['src/a.test.tsx', true, true],
  ['src/parser/tests.rs', false, true],
  ['src/parser_test.rs', false, true],
  ['src/attest.rs', false, false],
  ['crates/a/tests/all.rs', false, true],
])('%s is a test', (path, byName, byPath) => {
  expect([isTestName(path), isTestPath(path)]).toEqual([byName, byPath]);
});
