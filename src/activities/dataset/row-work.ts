import type { DatasetFormat, Ref, SampledFigures } from '../../contract';
import { EXPORTERS } from '../../dataset/exporters';
import { jsonLine } from '../../dataset/parquet';
import { sumOf } from '../../dataset/sampled-figures';
import type { DatasetRows } from './rows';

/** A page of rows: judged as it was read, or in a format as it was chosen. */
export type RowTask = { readonly setting: Ref } & (
  | { readonly judge: number }
  | { readonly write: Ref; readonly format: DatasetFormat }
);

/** Lines of JSON: an answer each, or a record each. */
export interface RowAnswer {
  readonly lines: readonly string[];
  /** Of what was judged, what the filters of a single row let through. */
  readonly passed: number;
  /** Of what was written, why rows or parts of them were left out. */
  readonly left: readonly string[];
  readonly sampled?: SampledFigures | undefined;
}

/** A page's lines. Reads chains one at a time, and writes nothing. */
export async function answerOf(rows: DatasetRows, task: RowTask): Promise<RowAnswer> {
  return 'judge' in task ? judged(rows, task.judge) : written(rows, task.write, task.format);
}

async function judged(rows: DatasetRows, page: number): Promise<RowAnswer> {
  const lines: string[] = [];
  let passed = 0;
  for (const place of await rows.places(rows.setting.pages[page]!)) {
    const answer = await rows.judge(place);
    passed += 'reason' in answer ? 0 : 1;
    lines.push(`${JSON.stringify(answer)}\n`);
  }
  return { lines, passed, left: [] };
}

async function written(rows: DatasetRows, page: Ref, format: DatasetFormat): Promise<RowAnswer> {
  const exporter = EXPORTERS[format];
  if (exporter.layout === 'folder') throw new Error(`${format} has no lines`);
  const lines: string[] = [];
  const left: string[] = [];
  let sampled: SampledFigures | undefined;
  for (const place of await rows.chosen(page)) {
    const exported = exporter.export(await rows.load(place, exporter), rows.exportContext);
    for (const { reason } of exported.left) left.push(reason);
    if (exported.sampled) sampled = sumOf(sampled, exported.sampled);
    for (const record of exported.records) lines.push(jsonLine(record));
  }
  return { lines, passed: 0, left, sampled };
}
