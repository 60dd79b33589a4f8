export interface MarkdownColumn<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Figures stand on the right. */
  readonly right?: boolean;
}

/** A table of Markdown, with its columns as wide as their contents so that it reads as text too. */
export function markdownTable<Row>(rows: readonly Row[], columns: readonly MarkdownColumn<Row>[]): string {
  const cells = rows.map((row) => columns.map(({ value }) => cellText(value(row))));
  const widths = columns.map(({ title }, at) => Math.max(3, title.length, ...cells.map((line) => line[at]!.length)));
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, at) => (columns[at]!.right ? text.padStart(widths[at]!) : text.padEnd(widths[at]!))).join(' | ')} |`;
  const rule = columns.map(({ right }, at) => (right ? `${'-'.repeat(widths[at]! - 1)}:` : '-'.repeat(widths[at]!)));
  return [line(columns.map(({ title }) => title)), line(rule), ...cells.map(line)].join('\n');
}

function cellText(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|');
}
