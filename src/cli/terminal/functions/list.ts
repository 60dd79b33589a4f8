import type { ConsideredFunction, FunctionTarget, Slice } from '../../../contract';
import { count, grouped } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { shortened } from '../columns';
import { ink } from '../ink';
import { safeLine, safeLines } from '../safe-text';
import { table } from '../table';
import { type FunnelStep, funnelTable } from './funnel';

/** A function that passed the filters, as the list shows it. */
export interface ListedFunction {
  readonly target: FunctionTarget;
  /** Lines of code of its body. */
  readonly lines: number;
  /** Definitions that it needs, directly or not. */
  readonly dependencies: number;
  /** Whether any of them is in another file. */
  readonly outOfFile: boolean;
}

export interface FunctionsList {
  readonly functions: readonly ListedFunction[];
  readonly funnel: readonly FunnelStep[];
  /** Those that were left out, where they are asked for. */
  readonly rejected?: readonly ConsideredFunction[];
}

/** Functions that were taken, how many each rule left out, and, where asked for, each that was left out with the reason. */
export function functionsListText({ functions, funnel, rejected }: FunctionsList, width: number): string {
  const parts = [functions.length > 0 ? takenTable(functions, width) : 'no function passes the filters'];
  if (rejected) parts.push(rejectedTable(rejected, width));
  const all = (funnel[0]?.left ?? 0) + (funnel[0]?.rejected ?? 0);
  const total = `${count(funnel.at(-1)?.left ?? 0, 'function')} of ${grouped(all)}`;
  return [...parts, funnelTable(funnel, width), total].join('\n\n');
}

function takenTable(functions: readonly ListedFunction[], width: number): string {
  const figure = (value: (each: ListedFunction) => string) => (row: Row<ListedFunction>) =>
    row.each ? value(row.each) : '';
  return table(
    byFile(functions),
    [
      { title: 'FUNCTION', value: ({ title }) => title, elastic: true },
      { title: 'LINE', value: figure(({ target }) => String(target.lines[0])), right: true },
      { title: 'LINES', value: figure(({ lines }) => String(lines)), right: true },
      { title: 'NEEDS', value: figure(({ dependencies }) => String(dependencies)), right: true },
      { title: 'FROM', value: figure(({ outOfFile }) => (outOfFile ? 'out-file' : 'in-file')) },
    ],
    width,
  );
}

/** Columns of a name beside its reason. */
const NAME = 30;

function rejectedTable(rejected: readonly ConsideredFunction[], width: number): string {
  return table(
    byFile(rejected),
    [
      { title: 'LEFT OUT', value: ({ title }) => shortened(title, NAME) },
      { title: 'WHY', value: ({ each }) => each?.why ?? '', elastic: true },
    ],
    width,
  );
}

interface Row<T> {
  readonly title: string;
  /** Undefined of a file's own line. */
  readonly each?: T;
}

/** Each file once, the functions under it. */
function byFile<T extends { readonly target: FunctionTarget }>(functions: readonly T[]): Row<T>[] {
  const files = new Map<string, T[]>();
  for (const each of functions) files.set(each.target.file, [...(files.get(each.target.file) ?? []), each]);
  return [...files].flatMap(([file, own]): Row<T>[] => [
    { title: file },
    ...own.map((each) => ({ title: `  ${each.target.name}`, each })),
  ]);
}

/** A slice as a person reads it: its definitions under their files, in the order in which they can be defined. */
export function sliceText(slice: Slice, linesOf: (file: string) => readonly string[], { coloured }: Look): string {
  const paint = ink(coloured);
  const { target, items, imports, importTimeEffects, unresolved } = slice;
  const outOfFile = items.filter((each) => each.outOfFile).length;
  const effects = importTimeEffects.length;
  const lines = [
    paint.strong(safeLine(`${target.module}.${target.name}`)),
    `${counted(items.length, 'definition')}, ${outOfFile} out of its file${effects > 0 ? `, ${counted(effects, 'import-time effect')}` : ''}`,
  ];
  const code = (file: string, [first, last]: readonly [number, number]) =>
    safeLines(
      linesOf(file)
        .slice(first - 1, last)
        .join('\n'),
    );
  const place = (file: string, [first, last]: readonly [number, number]) =>
    safeLine(`${file}:${first === last ? first : `${first}-${last}`}`);
  if (imports.length > 0) lines.push('', paint.dim('# imports'), ...imports.flatMap(safeLines));
  for (const { kind, name, file, lines: range } of items)
    lines.push('', paint.dim(`# ${place(file, range)} ${kind} ${safeLine(name)}`), ...code(file, range));
  for (const { file, lines: range, mutates } of importTimeEffects) {
    const changed = mutates.length > 0 ? ` changes ${safeLine(mutates.join(', '))}` : ' writes names of its module';
    lines.push('', paint.dim(`# ${place(file, range)}${changed}`), ...code(file, range));
  }
  if (unresolved.length > 0) lines.push('', paint.notice('Not followed:'));
  for (const { file, line, text, why } of unresolved)
    lines.push(`  ${place(file, [line, line])} ${safeLine(text.split('\n', 1)[0]!)}: ${safeLine(why)}`);
  return lines.join('\n');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
