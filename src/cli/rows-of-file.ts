import { createReadStream, existsSync, statSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { PointsmanError } from '../contract';
import type { Located } from '../dataset/check';
import { type Decompressors, documentRecords, jsonlRecords, parquetRecords } from '../dataset/check-read';
import { isJson } from '../dataset/extra-row';

/** Bytes that say of which kind a file is. A line that is longer is one of many. */
const FIRST = 1 << 20;
/** A document is held whole; lines are not. */
const MOST_OF_DOCUMENT = 400 << 20;

/** Those that Node.js has. */
const DECOMPRESSORS: Decompressors = {
  GZIP: (input, length) => new Uint8Array(gunzipSync(input, { maxOutputLength: Math.max(1, length) })),
  BROTLI: (input, length) => new Uint8Array(brotliDecompressSync(input, { maxOutputLength: Math.max(1, length) })),
};

/**
 * The records of a file, whatever it is called: Parquet, a JSON document (an array, or one record over many lines) or lines of
 * JSON. Throws `NotFound` and `InvalidInput`; what is wrong with a single record is told in its place.
 */
export async function* rowsOfFile(file: string): AsyncGenerator<Located> {
  if (!existsSync(file))
    throw new PointsmanError('NotFound', `there is no file ${file}`, 'Give a .jsonl, a .json or a .parquet.');
  const { size } = statSync(file);
  if (statSync(file).isDirectory())
    throw new PointsmanError('InvalidInput', `${file} is a folder`, 'Give one of its .jsonl, .json or .parquet files.');
  const handle = await open(file);
  try {
    const head = await bytesOf(handle, 0, Math.min(size, FIRST));
    if (file.endsWith('.parquet') || head.toString('latin1', 0, 4) === 'PAR1') {
      const file = {
        byteLength: size,
        slice: async (start: number, end = size) => {
          const [from, to] = [start < 0 ? size + start : start, end < 0 ? size + end : end];
          return new Uint8Array(await bytesOf(handle, from, to - from)).buffer;
        },
      };
      yield* parquetRecords(file, DECOMPRESSORS);
      return;
    }
    if (!isDocument(head)) {
      yield* jsonlRecords(createReadStream(file));
      return;
    }
  } finally {
    await handle.close();
  }
  if (size > MOST_OF_DOCUMENT) {
    const megabytes = Math.round(size / 1e6);
    throw new PointsmanError(
      'InvalidInput',
      `${file} is one JSON document of ${megabytes} MB`,
      'Write it as lines of JSON, one record a line, or as Parquet.',
    );
  }
  yield* documentRecords((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
}

/** An array, or an object that neither ends on the line that it begins on nor has another one below it. */
function isDocument(head: Buffer): boolean {
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (text.startsWith('[')) return true;
  const [first, second] = text.split('\n', 2);
  return text.startsWith('{') && second !== undefined && !isJson(first!) && !second.startsWith('{');
}

async function bytesOf(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
