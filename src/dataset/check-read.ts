import { PointsmanError } from '../contract/errors';
import { isWellFormed } from '../rollout/clip';
import type { Located } from './check';

/** A file that can be read in parts. */
export interface AsyncBuffer {
  readonly byteLength: number;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** Ways to pack pages of Parquet beside Snappy, by the names that files have for them. */
export type Decompressors = Readonly<Record<string, (input: Uint8Array, length: number) => Uint8Array>>;

/** Records of JSONL from the bytes of a file, chunk by chunk; at most one line is held. */
export async function* jsonlRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Located> {
  let line = 0;
  for await (const bytes of linesOf(chunks)) {
    line += 1;
    const located = recordIn(bytes, line);
    if (located) yield located;
  }
}

/**
 * Records of a Parquet file, row group by row group; `line` is the row. Values are those that JSON has: whole numbers of any
 * width are numbers, times are texts. Throws `InvalidInput` when it is none.
 */
export async function* parquetRecords(file: AsyncBuffer, compressors: Decompressors = {}): AsyncGenerator<Located> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const refused = (error: Error) =>
    new PointsmanError(
      'InvalidInput',
      `this is no Parquet file that can be read: ${error.message}`,
      'Give a .jsonl, a .json, or a .parquet that is not packed or with Snappy, gzip or Brotli (not zstd).',
    );
  const metadata = await parquetMetadataAsync(file).catch((error: Error) => {
    throw refused(error);
  });
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors }).catch((error: Error) => {
      throw refused(error);
    });
    for (const [i, record] of rows.entries()) yield { line: rowStart + i + 1, record: asJson(record) };
    rowStart = rowEnd;
  }
}

function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asJson(inner)]));
}

/** Records of one JSON document: those of an array, or the document itself. */
export function* documentRecords(text: string): Generator<Located> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    yield { line: 1, problem: `expected JSON: ${(error as Error).message}` };
    return;
  }
  for (const [i, record] of (Array.isArray(value) ? value : [value]).entries()) {
    yield wellFormedThroughout(record)
      ? { line: i + 1, record }
      : { line: i + 1, problem: 'expected text that has UTF-8, found half of a surrogate pair' };
  }
}

/** What is wrong with a line that holds nothing. */
export const EMPTY_LINE = 'expected a record, found an empty line';

const LINE_END = 10;

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      yield joined([...begun, chunk.subarray(from, end)]);
      begun = [];
      from = end + 1;
    }
    if (from < chunk.length) begun.push(chunk.slice(from));
  }
  if (begun.length > 0) yield joined(begun);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function recordIn(bytes: Uint8Array, line: number): Located | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { line, problem: 'expected UTF-8, found bytes that are not' };
  }
  if (text.trim() === '') return { line, problem: EMPTY_LINE };
  try {
    const record: unknown = JSON.parse(text);
    if (!/\\ud[89a-f]/i.test(text) || wellFormedThroughout(record)) return { line, record };
    return { line, problem: 'expected text that has UTF-8, found half of a surrogate pair' };
  } catch (error) {
    return { line, problem: `expected JSON: ${(error as Error).message}` };
  }
}

function wellFormedThroughout(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isWellFormed(key) && wellFormedThroughout(inner));
}
