import { type Cell, type Column, column, type Data } from '../data';

export interface TitledTable {
  /** The heading above it. */
  readonly title: string;
  readonly data: Data;
}

/** Tables of a Markdown text of ours, with the headings that they stand under. Cells are texts; `\|` is a bar. */
export function markdownTables(markdown: string): TitledTable[] {
  const found: TitledTable[] = [];
  let title = '';
  let lines: string[] = [];
  const end = () => {
    const data = dataOf(lines);
    if (data) found.push({ title, data });
    lines = [];
  };
  for (const line of [...markdown.split('\n'), '']) {
    if (/^\|.*\|\s*$/.test(line)) lines.push(line);
    else {
      end();
      title = /^#+\s+(.*)/.exec(line)?.[1]?.trim() ?? title;
    }
  }
  return found;
}

function dataOf(lines: readonly string[]): Data | undefined {
  const [head, rule, ...body] = lines.map(cellsOf);
  if (!head || !rule?.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  const columns = head.map(
    (title, at): Column => ({
      ...column(keyOf(title, at, head), title),
      kind: rule[at]?.endsWith(':') ? 'count' : 'text',
    }),
  );
  return { columns, rows: body.map((cells) => columns.map((_, at): Cell => cells[at] ?? null)) };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().slice(1, -1);
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** As a CSV's header has it; a title that is there twice gets its place. */
function keyOf(title: string, at: number, all: readonly string[]): string {
  const key =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '') || `column_${at + 1}`;
  return all.indexOf(title) === at ? key : `${key}_${at + 1}`;
}
