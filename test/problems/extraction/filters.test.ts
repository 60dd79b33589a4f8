import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';
import { FilterTable } from '../../../src/contract';
import { DEFAULT_FILTERS, resolveFilters } from '../../../src/problems/extraction';
import { holdsWords, identifierWords } from '../../../src/problems/extraction/identifier-words';
import { globMatcher } from '../../../src/problems/extraction/rules';

test('what a table does not say is ours', () => {
  expect(resolveFilters({})).toEqual(DEFAULT_FILTERS);
  expect(resolveFilters(null)).toEqual(DEFAULT_FILTERS);
  expect(FilterTable.parse(resolveFilters({ maxLines: null, bodyWords: null }))).toMatchObject({
    maxLines: null,
    bodyWords: null,
    minLines: DEFAULT_FILTERS.minLines,
  });
});

test('a list takes the place of ours, signed entries change it', () => {
  expect(resolveFilters({ bodyWords: ['gpu'] }).bodyWords).toEqual(['gpu']);
  const changed = resolveFilters({ bodyWords: ['+mylib.*', '-gpu'] }).bodyWords!;
  expect(changed).toContain('mylib.*');
  expect(changed).not.toContain('gpu');
  expect(changed).toHaveLength(DEFAULT_FILTERS.bodyWords!.length);
});

test.each([
  [{ bodyWord: [] }, /bodyWord: unknown field, did you mean "bodyWords"/],
  [{ bodyWords: ['+ray', 'gpu'] }, /bodyWords: "gpu" has no sign/],
  [{ namePrefixes: ['-dmeo'] }, /"dmeo" is not in our list, did you mean "-demo"/],
  [{ minLines: 9, maxLines: 3 }, /minLines: 9 is more than maxLines/],
  [{ maxLines: 'many' }, /maxLines: .*found "many"/],
])('%j is refused with what is wrong', (table, why) => {
  expect(() => resolveFilters(table)).toThrow(why);
});

test('the example that ships is read, and says what it does', () => {
  const text = readFileSync(join(__dirname, '../../../examples/function-filters.yaml'), 'utf8');
  const filters = resolveFilters(parse(text));
  expect(filters.bodyWords).toEqual(expect.arrayContaining(['mycluster', 'cuda']));
  expect(filters.docstringWords).not.toContain('deprecated');
  expect(Object.keys(parse(text) as object).sort()).toEqual(Object.keys(DEFAULT_FILTERS).sort());
});

test.each([
  ['**/tests/**', 'tests/a.py', true],
  ['**/tests/**', 'pkg/tests/unit/a.py', true],
  ['**/tests/**', 'pkg/mytests/a.py', false],
  ['**/test_*.py', 'test_a.py', true],
  ['**/test_*.py', 'pkg/attest_a.py', false],
  ['setup.py', 'pkg/setup.py', false],
  ['**/.*/**', '.venv/lib/a.py', true],
  ['**/.*/**', 'pkg/a.py', false],
  ['a?.py', 'a+.py', true],
  ['a+.py', 'aa.py', false],
  ['**/*.{py,pyi}', 'pkg/a.pyi', true],
])('%s on %s: %s', (glob, path, met) => {
  expect(globMatcher(glob)(path)).toBe(met);
});

test('identifiers are words, however they are written', () => {
  expect(identifierWords('parseHTTPHeader_v2')).toEqual(['parse', 'http', 'header', 'v2']);
  expect(identifierWords('__use_cuda__')).toEqual(['use', 'cuda']);
  const word = fc.stringMatching(/^[a-z]{2,6}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      const camel = words.map((each) => each[0]!.toUpperCase() + each.slice(1)).join('');
      expect(identifierWords(words.join('_'))).toEqual(words);
      expect(identifierWords(camel)).toEqual(words);
      expect(holdsWords(words, words.slice(1))).toBe(true);
    }),
  );
});
