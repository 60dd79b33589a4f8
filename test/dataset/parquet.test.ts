import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { DatasetFormat } from '../../src/contract/names';
import { createChatTokenizer } from '../../src/dataset/chat-tokenizer';
import { jsonlRecords, parquetRecords } from '../../src/dataset/check-read';
import { EXPORTERS, type ExportContext } from '../../src/dataset/exporters';
import { jsonLine, ParquetFile } from '../../src/dataset/parquet';
import { examples } from '../support/counts';
import { writeFormat } from '../trainers/files';
import { anyRow, CONTEXT } from './any-row';
import { byteTokenizer, CHATML_TOOLS } from './byte-tokenizer';

const FORMATS = (Object.keys(EXPORTERS) as DatasetFormat[]).filter((format) => EXPORTERS[format].layout === 'lines');
const folder = mkdtempSync(join(tmpdir(), 'pointsman-parquet-'));
let context: ExportContext;

beforeAll(async () => {
  context = {
    ...CONTEXT,
    tokenizer: await createChatTokenizer(byteTokenizer('look look', 5, undefined, CHATML_TOOLS)),
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function bufferOf(path: string) {
  const bytes = readFileSync(path);
  const slice = async (start: number, end?: number) =>
    bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + (end ?? bytes.length));
  return { byteLength: bytes.length, slice };
}

/** Parquet says null where JSON says nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}

const rows = fc.sample(anyRow(), { numRuns: examples(25, 60), seed: 7 });

test.each(FORMATS)('%s: a row of Parquet is the row of JSONL, whatever the texts hold', async (format) => {
  const { jsonl, parquet, records } = await writeFormat(folder, format, rows, context);
  expect(records).toBeGreaterThan(10);
  const lines = await all(jsonlRecords(chunksOf(readFileSync(jsonl), 999)));
  const stored = await all(parquetRecords(bufferOf(parquet)));
  expect(stored.length).toBe(records);
  expect(lines.filter((located) => 'problem' in located)).toEqual([]);
  expect(withoutNulls(stored)).toEqual(withoutNulls(lines));
});

test('a file has many row groups, each small, and the same records make the same bytes', async () => {
  const write = async () => {
    const chunks: Uint8Array[] = [];
    const file = await ParquetFile.create({ text: { type: 'string' } }, async (bytes) => {
      chunks.push(bytes);
    });
    for (let i = 0; i < 30; i += 1) await file.add(jsonLine({ text: `${i} ${'long '.repeat(200_000)}` }));
    await file.finish();
    return chunks;
  };
  const chunks = await write();
  expect(chunks.length).toBeGreaterThan(3);
  const bytes = Buffer.concat(chunks);
  expect(Buffer.concat(await write()).equals(bytes)).toBe(true);
  const slice = async (start: number, end?: number) =>
    bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + (end ?? bytes.length)) as ArrayBuffer;
  const stored = await all(parquetRecords({ byteLength: bytes.length, slice }));
  expect(stored.length).toBe(30);
});

test('a set without rows is a file without rows', async () => {
  const { parquet, records } = await writeFormat(folder, 'universal', [], context);
  expect(records).toBe(0);
  expect(await all(parquetRecords(bufferOf(parquet)))).toEqual([]);
});
