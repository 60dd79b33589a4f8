import { PointsmanError } from '../../contract/errors';
import { nearest } from '../../contract/parse';
import type { Problem } from '../../contract/problem';
import { fromR2eGym } from './r2egym';
import { type ReadOptions, rowsOf } from './row';
import { fromSweBench } from './swebench';
import { fromSweSmith } from './swesmith';

/** One reader a data set format: a row and its line number become a problem, or `InvalidInput` that names the line. */
const READERS = { swebench: fromSweBench, swesmith: fromSweSmith, r2egym: fromR2eGym } as const;
export type RowFormat = keyof typeof READERS;

/** Problems of JSONL rows. Nothing is kept of a file with a bad row: a data set that lost rows silently is worse. */
export function readRows(text: string, format: RowFormat, options: ReadOptions = {}): Problem[] {
  const reader = Object.hasOwn(READERS, format) ? READERS[format] : undefined;
  if (!reader) {
    const known = Object.keys(READERS);
    const close = nearest(format, known);
    throw new PointsmanError(
      'InvalidInput',
      `format: no reader "${format}"${close ? `, did you mean "${close}"?` : ''}`,
      `Known: ${known.join(', ')}.`,
    );
  }
  return rowsOf(text).map(({ line, value }) => reader(value, line, options));
}
