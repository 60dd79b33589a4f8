import { type Html, html } from '../html';
import { round } from './drawing';
import { colourOf } from './fill';

const SHAPES = 4;
const DASHES = ['', '7 3', '2 3', '10 3 2 3'];

/** A point in a shape of its own for each of four series, so that they can be told apart without colour. */
export function marker(x: number, y: number, series: number, says?: string): Html {
  const [at, up, r] = [round(x), round(y), 4];
  const title = says === undefined ? null : html`<title>${says}</title>`;
  const fill = colourOf(series);
  switch (series % SHAPES) {
    case 0:
      return html`<circle cx="${at}" cy="${up}" r="${r}" fill="${fill}">${title}</circle>`;
    case 1:
      return html`<rect x="${round(at - 3.6)}" y="${round(up - 3.6)}" width="7.2" height="7.2" fill="${fill}">${title}</rect>`;
    case 2:
      return html`<path d="M${at} ${round(up - 5)}l4.8 8.6h-9.6z" fill="${fill}">${title}</path>`;
    default:
      return html`<path d="M${at} ${round(up - 5.2)}l5.2 5.2l-5.2 5.2l-5.2 -5.2z" fill="${fill}">${title}</path>`;
  }
}

/** Dashes of a line, for the same reason. */
export function dashOf(series: number): string | undefined {
  return DASHES[series % DASHES.length] || undefined;
}
