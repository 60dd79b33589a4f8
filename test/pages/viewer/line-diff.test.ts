import fc from 'fast-check';
import { diffFile, diffLines } from '../../../src/pages/viewer/line-diff';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '  d'), { maxLength: 25 });

it('holds both texts, line by line and in order', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      const diff = diffLines(textOf(a), textOf(b));
      if (textOf(a) === textOf(b)) return expect(diff).toEqual([]);
      expect(diff.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(a);
      expect(diff.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(b);
      const numbers = (side: 'before' | 'after') => diff.flatMap((line) => line[side] ?? []);
      expect(numbers('before')).toEqual(a.map((_, at) => at + 1));
      expect(numbers('after')).toEqual(b.map((_, at) => at + 1));
    }),
  );
});

it('keeps as many lines as any difference can', () => {
  fc.assert(
    fc.property(lines, lines, (a, b) => {
      if (textOf(a) === textOf(b)) return;
      const kept = diffLines(textOf(a), textOf(b)).filter(({ kind }) => kind === 'same').length;
      expect(kept).toBe(longestCommon(a, b));
    }),
  );
});

it('gives up on two texts that have nothing in common, and says that all of it was replaced', () => {
  const many = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`);
  const diff = diffLines(textOf(many('old')), textOf(many('new')));
  expect(diff.filter(({ kind }) => kind === 'removed')).toHaveLength(5_000);
  expect(diff.filter(({ kind }) => kind === 'added')).toHaveLength(5_000);
});

it('shows three lines around a change, and changes that are near in one piece', () => {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const after = before.map((line, at) => ([9, 14, 34].includes(at) ? `${line}!` : line));
  const { hunks } = diffFile('a', textOf(before), textOf(after));
  expect(hunks.map((hunk) => [hunk.lines[0]!.text, hunk.lines.at(-1)!.text])).toEqual([
    ['line 7', 'line 18'],
    ['line 32', 'line 38'],
  ]);
});

it('knows a file that came or went', () => {
  expect(diffFile('a', null, 'x\ny\n')).toMatchObject({ status: 'created', added: 2, removed: 0 });
  expect(diffFile('a', 'x\n', null)).toMatchObject({ status: 'deleted', added: 0, removed: 1 });
  expect(diffFile('a', 'x\n', 'x\n')).toMatchObject({ status: 'changed', hunks: [] });
});

function textOf(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}

/** Length of a longest common subsequence, by the table that everybody writes. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[a.length]![b.length]!;
}
