import { wellFormed } from '../html';

/** What a value is, which says how it is printed: a word is one of a few and written with `_`, an id is long and may break anywhere, a share is 0 to 1. */
export type Kind = 'text' | 'word' | 'id' | 'moment' | 'count' | 'number' | 'share' | 'usd' | 'seconds' | 'bytes';

export interface Column {
  /** In the CSV: lower case, with `_`. */
  readonly key: string;
  readonly title: string;
  readonly kind: Kind;
  /** In the CSV alone: what a reader of the table has elsewhere, or does not need. */
  readonly unseen?: boolean;
}

export type Cell = string | number | null;

/** The figures behind a chart or a table: the one thing that both and the CSV are made of. */
export interface Data {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

export function column(key: string, title: string, kind: Kind = 'count'): Column {
  return { key, title, kind };
}

/**
 * RFC 4180 with a header line. Numbers as JavaScript writes them, nothing for null. A text that a spreadsheet would run as a
 * formula gets a `'` in front, as OWASP advises: names in here come from repositories and models.
 */
export function csvOf({ columns, rows }: Data): string {
  const lines = [columns.map(({ key }) => key), ...rows.map((row) => row.map(fieldOf))];
  return lines.map((line) => `${line.map(quoted).join(',')}\r\n`).join('');
}

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const whole = wellFormed(cell);
  return /^[=+\-@\t\r]/.test(whole) ? `'${whole}` : whole;
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
