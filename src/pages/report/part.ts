import { type Content, type Html, html, safeHref } from '../html';
import { type Cell, type Column, csvOf, type Data, type Kind } from './data';
import { cellText } from './words';

/** A chart or a table with what it is made of. */
export interface Figure {
  /** Names its anchor and its CSV. */
  readonly id: string;
  readonly title: string;
  /** How to read it and what to keep in mind. */
  readonly caption: Content;
  /** The chart; without one the table itself is shown. */
  readonly drawn?: Content;
  readonly data: Data;
  /** Where a cell of the table leads to. */
  readonly linkOf?: (row: readonly Cell[], column: Column) => string | undefined;
}

/** A part of the report. */
export interface Part {
  readonly id: string;
  readonly title: string;
  readonly intro: Content;
  readonly figures: readonly Figure[];
  /** Below the figures. */
  readonly after?: Content;
}

export function partHtml({ id, title, intro, figures, after }: Part): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<div class="intro">${intro}</div>
${figures.map(figureHtml)}${after}</section>
`;
}

function figureHtml({ id, title, caption, drawn, data, linkOf }: Figure): Html {
  const rows = `${data.rows.length} ${data.rows.length === 1 ? 'row' : 'rows'}`;
  const table = tableHtml(data, title, linkOf);
  const shown = drawn
    ? html`<div class="drawn" tabindex="0" role="region" aria-label="${title}">${drawn}</div>`
    : table;
  const behind = drawn ? html`<details><summary>The figures, ${rows}</summary>${table}</details>` : null;
  return html`<figure id="${id}" aria-labelledby="${id}-title">
<figcaption><h3 id="${id}-title">${title}</h3><p>${caption}</p></figcaption>
${shown}
<div class="source">${behind}<a href="${safeHref(dataLink(data))}" download="${id}.csv">${id}.csv</a></div>
</figure>
`;
}

/** A table as people read it; the CSV has the same cells with all their digits. */
function tableHtml({ columns, rows }: Data, title: string, linkOf?: Figure['linkOf']): Html {
  const shown = [...columns.keys()].filter((at) => !columns[at]!.unseen);
  const side = (at: number) => SIDES[columns[at]!.kind] ?? 'number';
  const head = shown.map((at) => html`<th scope="col" class="${side(at)}">${columns[at]!.title}</th>`);
  const body = rows.map((row) => {
    const cells = shown.map((at) => {
      const words = cellText(row[at]!, columns[at]!.kind);
      const address = linkOf?.(row, columns[at]!);
      const inner = address ? html`<a href="${safeHref(address)}">${words}</a>` : words;
      return at === 0
        ? html`<th scope="row" class="${side(at)}">${inner}</th>`
        : html`<td class="${side(at)}">${inner}</td>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
  const empty = html`<tr><td colspan="${shown.length}" class="muted">none</td></tr>`;
  const wide = shown.length > 9 ? ' wide' : '';
  return html`<div class="table${wide}" tabindex="0" role="region" aria-label="${title}, table"><table>
<thead><tr>${head}</tr></thead>
<tbody>${rows.length === 0 ? empty : body}</tbody>
</table></div>`;
}

const SIDES: Readonly<Partial<Record<Kind, string>>> = { text: 'words', word: 'word', id: 'id', moment: 'moment' };

/** The CSV inside of the page, so that the one file is enough. */
function dataLink(data: Data): string {
  return `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(data))}`;
}
