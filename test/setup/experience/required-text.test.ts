import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { requiredText } from '../../../src/setup/experience';
import { examples } from '../../support/counts';

it.each([
  ['No module named [\'"]?pkg_resources', 'no module named '],
  ['error: command \\S+ failed with exit (?:code|status) 1', ' failed with exit '],
  ['(?:a|b)|never mind', ''],
  ['cannot find -l\\w+', 'cannot find -l'],
  ['lib\\.so\\.6: version', 'lib.so.6: version'],
  ['colou?rs', 'colo'],
  ['maybe(?: not)?', 'maybe'],
  ['\\x41bcdef', ''],
  ['[()]|x', ''],
  ['[]abcd', 'abcd'],
  ['^abc$', ''],
  ['foo.{1,80}bar', ''],
  ['before.{1,80}after', 'before'],
  ['some text{1000}', 'some tex'],
  ['some text{0,20} or other', ' or other'],
  ['{,200} files', ' files'],
])('of %s it is "%s"', (pattern, text) => {
  expect(requiredText(pattern)).toBe(text);
});

it('is in whatever the pattern matches', () => {
  const piece = fc.constantFrom(
    ...[
      'abc',
      'ABCD',
      'x1',
      ' ',
      'é',
      '\\.',
      '\\(',
      '\\d',
      '\\s',
      '\\b',
      '\\n',
      '\\x61',
      '\\u0062',
      '\\cJ',
      '[a-c]',
      '[^]',
      '[]]',
    ],
    ...[
      '(ab|cd)',
      '(?:a(b)c)',
      '(?=a)',
      '(?!q)',
      '.',
      '+',
      '*',
      '?',
      '??',
      '{0,2}',
      '{2}',
      '{10,20}',
      '{1,80}',
      '{0,80}',
      '{1000}',
      '{12,}?',
      '{,20}',
      '|',
      '^',
      '$',
      '\\1',
      '{',
      ']',
      ')',
    ],
  );
  const text = fc
    .array(fc.constantFrom('abc', 'ABCD', 'abcdabcd', 'x1x1', ' ', 'é', '.', '(', '7', '\n', ']', '{', 'k'), {
      maxLength: 8,
    })
    .map((parts) => parts.join(''));
  let compared = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), text, (pieces, where) => {
      const pattern = pieces.join('');
      let found: RegExpExecArray | null;
      try {
        found = new RegExp(pattern, 'im').exec(where);
      } catch {
        return;
      }
      if (!found) return;
      compared += 1;
      expect(where.toLowerCase()).toContain(requiredText(pattern));
    }),
    { numRuns: examples(5_000, 20_000) },
  );
  expect(compared).toBeGreaterThan(examples(500, 2_000));
});

it('is known of most patterns that ship', () => {
  const units = readFileSync('experience/units.jsonl', 'utf8').split('\n').filter(Boolean);
  const patterns = units.flatMap((line) => (JSON.parse(line) as { signals: { regex: string[] } }).signals.regex);
  expect(patterns.filter((pattern) => requiredText(pattern) !== '').length / patterns.length).toBeGreaterThan(0.6);
});
