import type { ConsideredFunction, FunctionTarget } from '../../../contract';
import { count, grouped } from '../../../pages/figures';
import { shortened } from '../columns';
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
