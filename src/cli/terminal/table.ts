import { columnsOf, padded, shortened } from './columns';
import { safeLine } from './safe-text';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Figures stand on the right. */
  readonly right?: boolean;
  /** May be cut when the terminal is too narrow; the others never are. */
  readonly elastic?: boolean;
  /** Left out when the terminal is too narrow even so, the last of them first. What it says must be had elsewhere. */
  readonly spare?: boolean;
}

const GAP = '  ';
/** Columns that an elastic one keeps before a spare one is left out, and at the very least. */
const [READABLE, NARROWEST] = [20, 12];

/** A table with a title line, at most `width` columns wide where its elastic and spare columns allow it. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  return laidOut(rows, withoutSpare(rows, columns, width), width);
}

function withoutSpare<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): Column<Row>[] {
  const needs = new Map(
    columns.map((column) => {
      const full = Math.max(...[column.title, ...rows.map((row) => safeLine(column.value(row)))].map(columnsOf));
      return [column, column.elastic ? Math.min(full, READABLE) : full];
    }),
  );
  const shown = [...columns];
  const total = () => shown.reduce((sum, column) => sum + needs.get(column)! + GAP.length, -GAP.length);
  while (total() > width) {
    const spare = shown.findLast((column) => column.spare);
    if (!spare) break;
    shown.splice(shown.indexOf(spare), 1);
  }
  return shown;
}

function laidOut<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const cells = rows.map((row) => columns.map(({ value }) => safeLine(value(row))));
  const lines = [columns.map(({ title }) => title), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => columnsOf(line[at] ?? ''))));
  let excess = widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  for (const [at, column] of columns.entries()) {
    if (!column.elastic || excess <= 0) continue;
    const narrower = Math.max(NARROWEST, widths[at]! - excess);
    if (narrower >= widths[at]!) continue;
    excess -= widths[at]! - narrower;
    widths[at] = narrower;
  }
  return lines
    .map((line) =>
      line
        .map((cell, at) => {
          const cut = shortened(cell, widths[at]!);
          return columns[at]?.right ? ' '.repeat(widths[at]! - columnsOf(cut)) + cut : padded(cut, widths[at]!);
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}
