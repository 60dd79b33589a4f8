import { type Html, html, join } from '../html';

/** How an area is filled besides its colour, so that colour is never the only difference. */
export type Texture = 'plain' | 'hatch' | 'dots';

export interface Fill {
  /** Place in the palette of series, from 0; colours come round again after eight. */
  readonly series: number;
  readonly texture?: Texture;
}

const SERIES = 8;

export function fillOf({ series, texture = 'plain' }: Fill): string {
  const at = (series % SERIES) + 1;
  return texture === 'plain' ? `var(--series-${at})` : `url(#${texture}-${at})`;
}

export function colourOf(series: number): string {
  return `var(--series-${(series % SERIES) + 1})`;
}

/** Textures that fills refer to: once in a page, before its charts. */
export function textures(): Html {
  const patterns = Array.from({ length: SERIES }, (_, at) => {
    const colour = colourOf(at);
    return html`<pattern id="hatch-${at + 1}" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="${colour}" fill-opacity=".14"/><rect width="1.6" height="5" fill="${colour}"/></pattern><pattern id="dots-${at + 1}" width="5" height="5" patternUnits="userSpaceOnUse"><rect width="5" height="5" fill="${colour}" fill-opacity=".14"/><circle cx="2.5" cy="2.5" r="1.1" fill="${colour}"/></pattern>`;
  });
  return html`<svg class="textures" width="0" height="0" aria-hidden="true" focusable="false"><defs>${join(patterns)}</defs></svg>`;
}

export interface LegendEntry {
  readonly label: string;
  readonly fill: Fill;
}

/** What the fills of a chart mean, as text that wraps. */
export function legend(entries: readonly LegendEntry[]): Html {
  const items = entries.map(
    ({ label, fill }) =>
      html`<li><svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="2" fill="${fillOf(fill)}"/></svg>${label}</li>`,
  );
  return html`<ul class="legend">${items}</ul>`;
}
