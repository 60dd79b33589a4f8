import { isPointsmanError, PointsmanError } from '../../contract/errors';
import { nearest } from '../../contract/parse';
import type { Problem } from '../../contract/problem';
import { multiSweBench } from './multiswebench';
import { nemotronOf } from './nemotron';
import { r2eGym } from './r2egym';
import { invalidRow, type ReadOptions, type ReadRow, type RowReader } from './row';
import { sweBench, sweBenchLive, sweGym, sweRebench } from './swebench';
import { sweSmith } from './swesmith';

/** One reader a data set, those with more of their own before those that they are in the shape of. */
const OWN = {
  r2egym: r2eGym,
  multiswebench: multiSweBench,
  'swebench-live': sweBenchLive,
  swerebench: sweRebench,
  swegym: sweGym,
  swebench: sweBench,
  swesmith: sweSmith,
} as const satisfies Record<string, RowReader>;

/** And one of rows that hold a row of those. */
const READERS = { nemotron: nemotronOf(Object.values(OWN)), ...OWN } as const satisfies Record<string, RowReader>;
export type RowFormat = keyof typeof READERS;

/** Names of the formats that are known, as people read them. */
export const ROW_FORMATS: readonly RowFormat[] = (Object.keys(READERS) as RowFormat[]).sort();

/** The format that fields are of; undefined where none is recognised. */
export function formatOfRow(fields: unknown): RowFormat | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return undefined;
  const given = fields as Readonly<Record<string, unknown>>;
  return (Object.keys(READERS) as RowFormat[]).find((name) => READERS[name].is(given));
}

/** Throws `InvalidInput` with the names that are known. */
export function knownFormat(format: string): RowFormat {
  const found = ROW_FORMATS.find((name) => name === format);
  if (found) return found;
  const close = nearest(format, ROW_FORMATS);
  throw new PointsmanError(
    'InvalidInput',
    `format: no reader "${format}"${close ? `, did you mean "${close}"?` : ''}`,
    `Known: ${ROW_FORMATS.join(', ')}.`,
  );
}

/** A row as a problem. `format` is found by its fields where it is not given. Throws `InvalidInput` that names the line. */
export function readRow(value: unknown, line: number, format?: RowFormat, options: ReadOptions = {}): ReadRow {
  const of = format ?? formatOfRow(value);
  if (of) return READERS[of].read(value, line, options);
  if (typeof value === 'object' && value !== null && 'selected_test_files_to_run' in value) {
    throw invalidRow(
      line,
      'a row of SWE-bench Pro, whose runner and parser (run_script.sh, parser.py) are no part of the row',
    );
  }
  const names = typeof value === 'object' && value !== null ? Object.keys(value).slice(0, 8).join(', ') : typeof value;
  throw invalidRow(line, `of no known format (its fields: ${names || 'none'}; known: ${ROW_FORMATS.join(', ')})`);
}

/** A row of a file with its place, or why there is none. */
export type RowAt =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly problem: string };

/** What became of one row. */
export type ImportedRow =
  | { readonly line: number; readonly problem: Problem; readonly notes: readonly string[] }
  | { readonly line: number; readonly id: string; readonly reason: string };

export interface ImportOptions extends ReadOptions {
  readonly format?: RowFormat;
  /** Ids, of all others nothing is said; empty for all. */
  readonly only?: readonly string[];
}

/** Reads rows one by one: what cannot be read is told with line, id and reason, and so is an id that was there before. */
export async function* importRows(
  rows: AsyncIterable<RowAt>,
  { format, only = [], ...options }: ImportOptions,
): AsyncGenerator<ImportedRow> {
  const wanted = new Set(only);
  const seen = new Map<string, number>();
  for await (const row of rows) {
    const { line } = row;
    if ('problem' in row) {
      if (wanted.size === 0) yield { line, id: '', reason: row.problem };
      continue;
    }
    const named = idIn(row.value);
    try {
      const { problem, notes } = readRow(row.value, line, format, options);
      const { id } = problem;
      if (wanted.size > 0 && !wanted.has(id) && !wanted.has(named)) continue;
      const before = seen.get(id);
      if (before === undefined) yield { line, problem, notes };
      else yield { line, id, reason: `line ${before} has the same id` };
      seen.set(id, before ?? line);
    } catch (error) {
      if (!isPointsmanError(error)) throw error;
      if (wanted.size > 0 && !wanted.has(named)) continue;
      yield { line, id: named, reason: error.message.replace(/^line \d+: /, '') };
    }
  }
}

function idIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const { instance_id, commit_hash, repo_name } = value as Readonly<Record<string, unknown>>;
  if (typeof instance_id === 'string') return instance_id;
  return typeof commit_hash === 'string' ? `${String(repo_name ?? '')}__${commit_hash.slice(0, 12)}` : '';
}
