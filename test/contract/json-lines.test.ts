import fc from 'fast-check';
import { z } from 'zod';
import { jsonLines, numberedLines } from '../../src/contract';
import { codePoint } from '../support/code-points';

const Row = z.strictObject({ id: z.string(), count: z.int() });

describe('JSON lines', () => {
  it('gives back what was written, whatever empty lines are between', () => {
    const row = fc.record({ id: fc.string({ unit: codePoint }), count: fc.integer() });
    fc.assert(
      fc.property(fc.array(fc.tuple(row, fc.constantFrom('\n', '\r\n', '\n\n', '\n  \n'))), (rows) => {
        const text = rows.map(([value, end]) => JSON.stringify(value) + end).join('');
        expect(jsonLines(Row, text, 'rows.jsonl')).toEqual(rows.map(([value]) => value));
      }),
    );
  });

  it('counts lines from 1, empty ones too', () => {
    expect(numberedLines('a\n\n  \nb', 'f').map(({ where }) => where)).toEqual(['f: line 1', 'f: line 4']);
  });

  it.each([
    ['what is no JSON', '{"id":"a","count":1}\n\n{"id":', /^rows\.jsonl: line 3: not JSON/, 'One row a line.'],
    ['another field', '{"id":"a","counts":1}', /^rows\.jsonl: line 1: .*counts/, expect.any(String)],
  ])('names the line of %s', (_, text, message, hint) => {
    const read = () => jsonLines(Row, text, 'rows.jsonl', 'One row a line.');
    expect(read).toThrow(
      expect.objectContaining({ code: 'InvalidInput', message: expect.stringMatching(message), hint }),
    );
  });
});
