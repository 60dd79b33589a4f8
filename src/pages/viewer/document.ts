import { type Content, Html, html } from '../html';
import { page } from '../shell';

/** Script and style of the viewer, as they were bundled. */
export interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** Where the page's data is: with the server that it came from, or in the page. */
export type DataPlace = 'server' | 'page';

/** The page that the script fills. `blocks` are elements of data, or a marker in their place. */
export function viewerDocument(bundle: Bundle, title: string, place: DataPlace, blocks: Content = ''): string {
  return page({
    title,
    styles: [bundle.style],
    scripts: [bundle.script],
    connect: place === 'server',
    body: html`<div id="viewer" data-place="${place}" data-title="${title}"><noscript><p class="noscript">This page needs scripts: it draws thousands of turns as they are looked at. It loads nothing from anywhere else.</p></noscript></div>
${blocks}`,
  });
}

/** Data of one name, as JSON; base64 of gzip where that was said to be smaller. Nothing in it can end the element. */
export function dataBlock(name: string, data: { readonly json: Html } | { readonly gzip: string }): Html {
  if ('json' in data) return html`<script type="application/json" data-name="${name}">${data.json}</script>\n`;
  if (!/^[A-Za-z0-9+/=]*$/.test(data.gzip)) throw new TypeError('dataBlock: not base64');
  return html`<script type="text/plain" data-name="${name}" data-packed>${new Html(data.gzip)}</script>\n`;
}
