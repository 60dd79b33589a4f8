import { resolve } from 'node:path';
import type { Command } from 'commander';
import { nearest, PointsmanError } from '../../contract';
import type { Located } from '../../dataset/check';
import { EMPTY_LINE } from '../../dataset/check-read';
import { count } from '../../pages/figures';
import { type ImportedRow, importRows, knownFormat, ROW_FORMATS, type RowAt } from '../../problems/readers';
import type { Cli } from '../context';
import { wholeOption } from '../options';
import { rowsOfFile } from '../rows-of-file';
import { safeLine } from '../terminal/safe-text';
import { readable, writeProblem } from './folder';
import { importTasks, tasksAt } from './tasks-of-folder';

interface ImportFlags {
  readonly format?: string;
  readonly out: string;
  readonly registry?: string;
  readonly limit?: number;
  readonly only?: readonly string[];
  readonly strict?: boolean;
}

/** Tasks in folders, as Harbor has them. */
const TASKS = 'harbor';

type Refused = Extract<ImportedRow, { readonly reason: string }>;

/** `problem import`: rows of other data sets, each as a problem in a folder of its own. Exit code 1 where none became one. */
export function addProblemImport(problem: Command, cli: Cli): void {
  problem
    .command('import <file>')
    .description(
      'make problems of rows of other data sets (Parquet, a JSON array or lines of JSON) or of folders of Harbor tasks',
    )
    .option('--format <format>', `instead of the one that each row looks like: ${[...ROW_FORMATS, TASKS].join(', ')}`)
    .requiredOption('--out <dir>', 'folder; each problem gets a folder in it')
    .option('--registry <prefix>', 'put before image names, like HOST/OWNER/')
    .option('--limit <n>', 'problems at most', wholeOption)
    .option('--only <id...>', 'these ids alone')
    .option('--strict', 'import nothing where a row cannot be read')
    .action((file: string, flags: ImportFlags) => importFile(cli, file, flags));
}

async function importFile(cli: Cli, file: string, flags: ImportFlags): Promise<void> {
  const { registry, only = [] } = flags;
  const tasks = flags.format === undefined || flags.format === TASKS ? tasksAt(file) : [];
  if (tasks.length === 0 && flags.format === TASKS)
    throw new PointsmanError(
      'NotFound',
      `${resolve(file)} holds no task`,
      'Give a folder with a task.toml, or one of such folders.',
    );
  const format = flags.format === undefined || tasks.length > 0 ? undefined : knownFormat(flags.format);
  const place = tasks.length > 0 ? 'task' : 'line';
  const out = resolve(flags.out);
  const rows = () =>
    tasks.length > 0
      ? importTasks(tasks, only)
      : importRows(rowsIn(file), { registry, only, ...(format ? { format } : {}) });
  // A first time only to see that all can be read: rows are many, and not held.
  const strictly = flags.strict ? await refusedOf(rows(), flags.limit) : [];
  const folders = new Map<string, string>();
  const imported: { id: string; line: number; notes: readonly string[] }[] = [];
  const refused: Refused[] = [...strictly];
  if (strictly.length === 0) {
    for await (const row of limited(rows(), flags.limit)) {
      if ('reason' in row) {
        refused.push(row);
        continue;
      }
      const { id } = row.problem;
      const folder = readable(id);
      const before = folders.get(folder);
      if (before === undefined) {
        writeProblem(resolve(out, folder), row.problem);
        imported.push({ id, line: row.line, notes: row.notes });
      } else refused.push({ line: row.line, id, reason: `its folder ${folder} is that of ${before}` });
      folders.set(folder, before ?? id);
    }
  }
  // Who asks for fewer, or for all or nothing, has not seen all ids.
  if (flags.limit === undefined && strictly.length === 0) refuseUnknownIds(only, [...imported, ...refused]);
  const notes = imported.flatMap(({ id, line, notes: all }) => all.map((note) => ({ line, id, note })));
  const answer = { imported: imported.length, out, ids: imported.map(({ id }) => id), notes, refused };
  cli.print(answer, () =>
    [
      flags.strict && refused.length > 0
        ? `nothing imported: ${count(refused.length, tasks.length > 0 ? 'task' : 'row')} cannot be read (--strict)`
        : `${count(imported.length, 'problem')} in ${out}${refused.length > 0 ? `, ${count(refused.length, tasks.length > 0 ? 'task' : 'row')} refused` : ''}`,
      ...refused.map(({ line, id, reason }) => safeLine(`  ${place} ${line}${id === '' ? '' : ` ${id}`}: ${reason}`)),
      ...notes.map(({ line, id, note }) => safeLine(`  ${place} ${line} ${id}: note: ${note}`)),
      ...(imported.length > 0 ? ['check each before using it: pointsman problem check'] : []),
    ].join('\n'),
  );
  if (imported.length === 0) process.exitCode = 1;
}

/** Lines without anything are no rows. */
async function* rowsIn(file: string): AsyncGenerator<RowAt> {
  for await (const row of rowsOfFile(file)) if (!isEmptyLine(row)) yield rowAt(row);
}

function isEmptyLine(row: Located): boolean {
  return 'problem' in row && row.problem === EMPTY_LINE;
}

function rowAt(row: Located): RowAt {
  return 'problem' in row ? row : { line: row.line, value: row.record };
}

async function refusedOf(rows: AsyncIterable<ImportedRow>, limit: number | undefined): Promise<Refused[]> {
  const refused: Refused[] = [];
  for await (const row of limited(rows, limit)) if ('reason' in row) refused.push(row);
  return refused;
}

/** Ends behind so many problems. */
async function* limited(
  rows: AsyncIterable<ImportedRow>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<ImportedRow> {
  let left = limit;
  for await (const row of rows) {
    yield row;
    if (!('reason' in row)) left -= 1;
    if (left <= 0) return;
  }
}

function refuseUnknownIds(only: readonly string[], found: readonly { readonly id: string }[]): void {
  const ids = found.map(({ id }) => id);
  const missing = only.find((id) => !ids.includes(id));
  if (missing === undefined) return;
  const close = nearest(missing, ids);
  throw new PointsmanError(
    'NotFound',
    `--only: no row has the id ${missing}${close ? `, did you mean "${close}"?` : ''}`,
    'Ids are those of `instance_id`, or of tasks their names.',
  );
}
