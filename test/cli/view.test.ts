import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { temporalCommand } from '../../src/cli/temporal-command';
import { columnsOf, fitting, shortened, wrapHard, wrapWords } from '../../src/cli/terminal/columns';
import { fold } from '../../src/cli/terminal/fold';
import { wantsColour } from '../../src/cli/terminal/ink';
import { safeLines } from '../../src/cli/terminal/safe-text';
import { table } from '../../src/cli/terminal/table';
import { dollars, duration, grouped } from '../../src/pages/figures';
import { codePoint } from '../support/code-points';

const text = fc.string({ unit: codePoint, maxLength: 200 });

describe('foreign text', () => {
  it('holds no control character, whatever it was', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const line of safeLines(given))
          expect(line).not.toMatch(/[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });

  it('is wrapped within the columns, and hard wrapping loses nothing', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (given, columns) => {
        const lines = safeLines(given);
        for (const line of [...wrapHard(lines, columns), ...wrapWords(lines, columns)])
          expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(wrapHard(lines, columns).join('')).toBe(lines.join(''));
        const words = (all: string[]) => all.join(' ').replace(/ /g, '');
        expect(words(wrapWords(lines, columns))).toBe(words(lines));
      }),
    );
  });
});

it('knows wide characters and marks', () => {
  expect(columnsOf('日本')).toBe(4);
  expect(columnsOf('e\u0301')).toBe(1);
  expect(columnsOf('🚂')).toBe(2);
  expect(fitting('日本語', 5)).toBe('日本');
  expect(shortened('abcdef', 4)).toBe('abc…');
});

it('folds only where that saves room', () => {
  const lines = [1, 2, 3, 4, 5, 6].map(String);
  expect(fold(lines, { head: 3, tail: 2 }).hidden).toBe(0);
  expect(fold(lines, { head: 2, tail: 1 })).toEqual({ head: ['1', '2'], tail: ['6'], hidden: 3 });
});

it('writes figures for people', () => {
  expect([12, 1234, 59_990, 3_725_000].map(duration)).toEqual(['12 ms', '1.2 s', '1 min 00 s', '1 h 02 min']);
  expect([0, 0.0123, 0.999, 12.345].map(dollars)).toEqual(['$0', '$0.012', '$1.00', '$12.35']);
  expect(grouped(1234567)).toBe('1,234,567');
});

it('cuts the elastic column of a table to the terminal', () => {
  const rows = [{ id: 'x'.repeat(100), n: 5 }];
  const out = table(
    rows,
    [
      { title: 'ID', value: ({ id }) => id, elastic: true },
      { title: 'N', value: ({ n }) => String(n), right: true },
    ],
    40,
  );
  expect(out.split('\n').map((line) => line.length)).toEqual([40, 40]);
});

it('colours terminals only, and honours NO_COLOR', () => {
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: '1' })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
});

it('quotes the equivalent command for a shell, naming the Temporal CLI as it is found here', () => {
  const command = temporalCommand('rollout', 'q', 'rollout/a/0-1', { problem: "it's" });
  expect(command.replace(/^\S*temporal /, 'temporal ')).toBe(
    `temporal workflow start --type rollout --task-queue q --workflow-id rollout/a/0-1 --input '{"problem":"it'"'"'s"}'`,
  );
});

it('gives a long input as a file, which holds it', () => {
  const input = { statement: 'x'.repeat(1_000) };
  const file = /--input-file (\S+)$/.exec(temporalCommand('rollout', 'q', 'long/1', input))?.[1];
  expect(JSON.parse(readFileSync(file!, 'utf8'))).toEqual(input);
});
