import fc from 'fast-check';
import { textRuns } from '../../../src/pages/viewer/text-runs';
import { codePoint } from '../../support/code-points';

const ESC = '\u001b';

it('shows the colours and weights of a terminal', () => {
  const [plain, red, bold, end] = textRuns(`a${ESC}[31mb${ESC}[1;91mc${ESC}[0md`);
  expect(plain).toMatchObject({ text: 'a', look: {} });
  expect(red).toMatchObject({ text: 'b', look: { ink: 1 } });
  expect(bold).toMatchObject({ text: 'c', look: { ink: 9, bold: true } });
  expect(end).toMatchObject({ text: 'd', look: {} });
});

it.each([
  ['38;5;196', 9],
  ['38;5;21', 12],
  ['38;5;244', 8],
  ['38;2;0;150;0', 2],
  ['38;2;250;250;250', 15],
  ['38;5;3', 3],
])('brings the colour %s to number %i of sixteen', (codes, ink) => {
  expect(textRuns(`${ESC}[${codes}mx`)).toMatchObject([{ look: { ink } }]);
});

it('writes out what would move a cursor, retitle a window, or hide and reorder text', () => {
  const hostile = `${ESC}]0;owned\u0007 ${ESC}[2J ab\u202ecd \u200b \u0000 \ud800 \u2028 tab\there`;
  const runs = textRuns(hostile);
  const shown = runs.map(({ text }) => text).join('');
  expect(shown).not.toMatch(/(?![\t\n])[\p{C}\p{Zl}\p{Zp}]/u);
  expect(shown).toContain('\\x1b]0;owned\\x07');
  expect(shown).toContain('\\u202e');
  expect(shown).toContain('\\ud800');
  expect(shown).toContain('tab\there');
  expect(runs.filter(({ unseen }) => unseen).every(({ text }) => text.startsWith('\\'))).toBe(true);
});

it('never loses a character that can be seen, and never lets one through that cannot', () => {
  const codes = fc.constantFrom(
    `${ESC}[31m`,
    `${ESC}[0m`,
    `${ESC}[38;5;9m`,
    `${ESC}[`,
    '\r\n',
    '\u202e',
    'é',
    '😀',
    '<b>',
  );
  const text = fc
    .array(fc.oneof(codes, fc.string({ unit: codePoint })), { maxLength: 12 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const shown = textRuns(given)
        .map((run) => run.text)
        .join('');
      expect(shown).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      const seen = (value: string) => value.match(/[\p{L}\p{N}\p{S}]/gu)?.length ?? 0;
      expect(seen(shown)).toBeGreaterThanOrEqual(seen(given.replaceAll(new RegExp(`${ESC}\\[[0-9;:]*m`, 'g'), '')));
    }),
  );
});
