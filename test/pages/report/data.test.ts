import fc from 'fast-check';
import { column, csvOf, type Data } from '../../../src/pages/report/data';
import { markdownTables } from '../../../src/pages/report/parts/problems';
import { markdownTable } from '../../../src/problems/tables/markdown-table';
import { readCsv } from './read-csv';

const columns = [column('name', 'Name', 'text'), column('n', 'n'), column('share', 'Share', 'share')];

test('a CSV holds the very cells: numbers with all their digits, texts with whatever is in them', () => {
  const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
  const row = fc.tuple(fc.string({ unit: 'grapheme' }), number, number);
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const data: Data = { columns, rows };
      const read = readCsv(csvOf(data));
      expect(read).toHaveLength(rows.length);
      for (const [at, [name, n, share]] of rows.entries()) {
        const back = read[at]!;
        expect(/^[=+\-@\t\r]/.test(name) ? back.name!.slice(1) : back.name).toBe(name);
        expect(back.n === '' ? null : Number(back.n)).toBe(n === null ? null : n + 0);
        expect(back.share === '' ? null : Number(back.share)).toBe(share === null ? null : share + 0);
      }
    }),
  );
});

test('no text of others begins a formula, and none breaks the file', () => {
  const cells = [`=cmd|' /C calc'!A0`, '+1', '-1+1', '@SUM(A1)', '\t=1', 'a\r\nb"c', String.fromCharCode(0xd800)];
  const text = csvOf({ columns, rows: cells.map((cell) => [cell, 1, null]) });
  expect(readCsv(text).map(({ name }) => name)).toEqual([
    `'=cmd|' /C calc'!A0`,
    `'+1`,
    `'-1+1`,
    `'@SUM(A1)`,
    `'\t=1`,
    'a\r\nb"c',
    '\ufffd',
  ]);
  expect(csvOf({ columns, rows: [['a', -1, 0.25]] })).toBe('name,n,share\r\na,-1,0.25\r\n');
});

test('tables of a Markdown text are read back as they were written, with their headings', () => {
  const rows = [
    { name: 'a|b', n: 3 },
    { name: 'plain', n: 12_000 },
  ];
  const table = markdownTable(rows, [
    { title: 'name', value: ({ name }) => name },
    { title: 'n', value: ({ n }) => String(n), right: true },
  ]);
  const found = markdownTables(
    `# Report\n\n## First\n\nWords | and bars.\n\n${table}\n\n## Second\n\nNone.\n\n## Third\n\n${table}`,
  );
  expect(found.map(({ title }) => title)).toEqual(['First', 'Third']);
  expect(found[0]!.data.columns.map(({ key, kind }) => [key, kind])).toEqual([
    ['name', 'text'],
    ['n', 'count'],
  ]);
  expect(found[0]!.data.rows).toEqual([
    ['a|b', '3'],
    ['plain', '12000'],
  ]);
  expect(markdownTables('| a |\n| b |\n')).toEqual([]);
});

test('columns of a Markdown table that are called alike are told apart in the CSV', () => {
  const [table] = markdownTables('| valid | n | valid | |\n| --- | --: | --: | - |\n| 1 | 2 | 3 | 4 |');
  expect(table!.data.columns.map(({ key }) => key)).toEqual(['valid', 'n', 'valid_3', 'column_4']);
  expect(readCsv(csvOf(table!.data))).toHaveLength(1);
});
