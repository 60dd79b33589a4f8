import { columnsOf } from '../../../../src/cli/terminal/columns';
import { type FunctionsList, functionsListText } from '../../../../src/cli/terminal/functions/list';

const target = (file: string, name: string) =>
  ({ module: 'pkg.mod', name, kind: 'function', file, lines: [7, 12] }) as const;
const LIST: FunctionsList = {
  functions: [
    { target: { ...target('pkg/mod.py', 'one'), lines: [7, 12] }, lines: 5, dependencies: 3, outOfFile: false },
    {
      target: { ...target('pkg/other.py', 'Class.two'), lines: [7, 12] },
      lines: 40,
      dependencies: 12,
      outOfFile: true,
    },
  ],
  funnel: [
    { rule: 'file', left: 3, rejected: 1200 },
    { rule: 'nested', left: 3, rejected: 0 },
    { rule: 'output', left: 2, rejected: 1 },
    { rule: 'taken', left: 2, rejected: 0 },
  ],
};

test('functions by file, and how many each rule left out', () => {
  expect(functionsListText(LIST, 80)).toBe(`FUNCTION      LINE  LINES  NEEDS  FROM
pkg/mod.py
  one            7      5      3  in-file
pkg/other.py
  Class.two      7     40     12  out-file

RULE    LEFT OUT  REMAIN
file       1,200       3
output         1       2

2 functions of 1,203`);
});

test('reasons are shown where they are asked for, in 80 columns, and nothing that steers a terminal', () => {
  const rejected = [
    {
      target: { ...target('pkg/mod.py', 'x'.repeat(70)), lines: [1, 2] as [number, number] },
      rejectedBy: 'output',
      why: `gives ${'y'.repeat(90)} \x1b[2J back`,
    },
  ];
  const text = functionsListText({ ...LIST, rejected }, 80);
  expect(text).toContain('…  gives yyy');
  expect(text).not.toContain('\x1b');
  expect(text.split('\n').every((line) => columnsOf(line) <= 80)).toBe(true);
});

test('no function at all is said so', () => {
  expect(functionsListText({ functions: [], funnel: [{ rule: 'taken', left: 0, rejected: 0 }] }, 80)).toContain(
    'no function',
  );
});
