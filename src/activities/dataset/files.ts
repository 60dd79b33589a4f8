import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DatasetFile, DatasetFormat, SampledFigures } from '../../contract';
import type { ExportContext, FolderEntry } from '../../dataset/exporters';
import type { FolderExporter, LinesExporter } from '../../dataset/exporters/exporter';
import { ParquetFile } from '../../dataset/parquet';
import type { DatasetRow } from '../../dataset/row';
import { sumOf } from '../../dataset/sampled-figures';
import type { Split } from '../../dataset/selection';
import type { RowAnswer } from './row-work';

export interface FileRequest {
  /** Folder that it is written into. */
  readonly folder: string;
  readonly format: DatasetFormat;
  readonly split: Split;
  readonly parquet: boolean;
}

/**
 * Writes one format of one split, page by page; what a killed attempt left is overwritten, and a file has its name only once
 * it is whole. The same rows give the same bytes.
 */
export async function writeLines(
  exporter: LinesExporter,
  { folder, format, split, parquet }: FileRequest,
  pages: AsyncIterable<RowAnswer>,
): Promise<DatasetFile[]> {
  await mkdir(folder, { recursive: true });
  const base = join(folder, `${split}.${format}`);
  const jsonl = new HashedFile(`${base}.jsonl`);
  const columns = parquet ? new HashedFile(`${base}.parquet`) : undefined;
  const table = columns && (await ParquetFile.create(exporter.columns, (bytes) => columns.write(bytes)));
  const left = new Map<string, number>();
  let count = 0;
  let sampled: SampledFigures | undefined;
  try {
    for await (const page of pages) {
      for (const reason of page.left) left.set(reason, (left.get(reason) ?? 0) + 1);
      if (page.sampled) sampled = sumOf(sampled, page.sampled);
      for (const line of page.lines) {
        count += 1;
        await jsonl.write(line);
        await table?.add(line);
      }
    }
    await table?.finish();
    const made = [await jsonl.close(), ...(columns ? [await columns.close()] : [])];
    const held = sampled && (sampled.rows > 0 || Object.keys(sampled.dropped).length > 0) ? { sampled } : {};
    return made.map((file) => ({ format, split, ...file, rows: count, left: reasons(left), ...held }));
  } finally {
    await Promise.all([jsonl.drop(), columns?.drop()]);
  }
}

/** The same for a format that is a folder of files, row by row. */
export async function writeFolder(
  exporter: FolderExporter,
  { folder, format, split }: FileRequest,
  rows: AsyncIterable<DatasetRow>,
  context: ExportContext,
): Promise<DatasetFile[]> {
  const name = `${split}.${format}`;
  await rm(join(folder, name), { recursive: true, force: true });
  await mkdir(join(folder, name), { recursive: true });
  const written: { path: string; sha256: string; bytes: number }[] = [];
  const write = async ({ path, text }: { path: string; text: string }) => {
    const bytes = Buffer.from(text);
    const at = join(folder, name, path);
    await mkdir(dirname(at), { recursive: true });
    await writeFile(at, bytes);
    written.push({ path, sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length });
  };
  const entries: FolderEntry[] = [];
  const before = new Map<string, number>();
  let left = 0;
  for await (const row of rows) {
    const { instance_id } = row.metadata;
    const nth = before.get(instance_id) ?? 0;
    const { files, entry } = exporter.files(row, nth, context);
    if (!entry) left += 1;
    else {
      before.set(instance_id, nth + 1);
      entries.push(entry);
    }
    for (const file of files) await write(file);
  }
  for (const file of exporter.index(entries)) await write(file);
  written.sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, sha256 } of written) hash.update(`${sha256}  ${path}\n`);
  return [
    {
      format,
      split,
      path: `${name}/`,
      rows: entries.length,
      sha256: hash.digest('hex'),
      bytes: written.reduce((sum, { bytes }) => sum + bytes, 0),
      left: left === 0 ? [] : [{ reason: 'no_trajectory', count: left }],
    },
  ];
}

function reasons(left: ReadonlyMap<string, number>): DatasetFile['left'] {
  return [...left].sort(([a], [b]) => (a < b ? -1 : 1)).map(([reason, count]) => ({ reason, count }));
}

/** Bytes gathered before they are written. */
const CHUNK = 1 << 18;

/** A file that is hashed as it is written, and has its name only once it is whole. */
class HashedFile {
  private readonly draft: string;
  private readonly hash = createHash('sha256');
  private readonly handle: Promise<FileHandle>;
  private pending: Uint8Array[] = [];
  private waiting = 0;
  private bytes = 0;

  constructor(private readonly path: string) {
    this.draft = `${path}.draft`;
    this.handle = open(this.draft, 'w');
    // It is thrown by the first use.
    this.handle.catch(() => {});
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.hash.update(bytes);
    this.bytes += bytes.length;
    this.pending.push(bytes);
    this.waiting += bytes.length;
    if (this.waiting >= CHUNK) await this.flush();
  }

  async close(): Promise<{ path: string; sha256: string; bytes: number }> {
    await this.flush();
    await (await this.handle).close();
    await rename(this.draft, this.path);
    return { path: basename(this.path), sha256: this.hash.digest('hex'), bytes: this.bytes };
  }

  /** Whatever is left of an attempt that failed. */
  async drop(): Promise<void> {
    await this.handle.then((handle) => handle.close()).catch(() => {});
    await rm(this.draft, { force: true });
  }

  private async flush(): Promise<void> {
    const bytes = Buffer.concat(this.pending);
    [this.pending, this.waiting] = [[], 0];
    await (await this.handle).appendFile(bytes);
  }
}
