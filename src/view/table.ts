import { columnsOf, padded, shortened } from './columns';
import { safeLine } from './safe-text';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Figures stand on the right. */
  readonly right?: boolean;
  /** May be cut when the terminal is too narrow; the others never are. */
  readonly elastic?: boolean;
}

const GAP = '  ';

/** A table with a title line, at most `width` columns wide where its elastic columns allow it. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string {
  const cells = rows.map((row) => columns.map(({ value }) => safeLine(value(row))));
  const lines = [columns.map(({ title }) => title), ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => columnsOf(line[at] ?? ''))));
  let excess = widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length) - width;
  for (const [at, column] of columns.entries()) {
    if (!column.elastic || excess <= 0) continue;
    const narrower = Math.max(12, widths[at]! - excess);
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
