import { mkdirSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatasetFormat } from '../../src/contract/names';
import { EXPORTERS, type ExportContext } from '../../src/dataset/exporters';
import { jsonLine, ParquetFile } from '../../src/dataset/parquet';
import type { DatasetRow } from '../../src/dataset/row';

/** Writes rows as JSONL and Parquet, as a data set does; the paths are `<folder>/<format>.jsonl` and `.parquet`. */
export async function writeFormat(
  folder: string,
  format: DatasetFormat,
  rows: readonly DatasetRow[],
  context: ExportContext,
): Promise<{ jsonl: string; parquet: string; records: number }> {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') throw new Error(`${format} is a folder`);
  mkdirSync(folder, { recursive: true });
  const jsonl = join(folder, `${format}.jsonl`);
  const parquet = join(folder, `${format}.parquet`);
  writeFileSync(jsonl, '');
  writeFileSync(parquet, '');
  const file = await ParquetFile.create(exporter.columns, (bytes) => appendFile(parquet, bytes));
  let records = 0;
  for (const row of rows) {
    for (const record of exporter.export(row, context).records) {
      records += 1;
      const line = jsonLine(record);
      writeFileSync(jsonl, line, { flag: 'a' });
      await file.add(line);
    }
  }
  await file.finish();
  return { jsonl, parquet, records };
}
