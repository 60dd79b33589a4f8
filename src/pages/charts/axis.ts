import { type Html, html } from '../html';
import { line, text } from './drawing';
import { type Scale, tickText } from './scale';

export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface Axis {
  readonly scale: Scale;
  readonly ticks: readonly number[];
  /** With its unit. */
  readonly label: string;
  readonly format?: (value: number) => string;
}

/** Ticks below the plot, and faint lines up through it where `grid` is set. */
export function bottomAxis({ left, right, top, bottom }: Plot, axis: Axis, grid = false): Html {
  const { scale, ticks, label, format = tickText(ticks) } = axis;
  const marks = ticks.map(
    (value) =>
      html`${grid ? line(scale(value), top, scale(value), bottom, 'grid') : line(scale(value), bottom, scale(value), bottom + 4, 'axis')}${text(scale(value), bottom + 17, format(value), { anchor: 'middle', kind: 'tick' })}`,
  );
  const title = text((left + right) / 2, bottom + 36, label, { anchor: 'middle', kind: 'axis-title' });
  return html`<g aria-hidden="true">${marks}${line(left, bottom, right, bottom, 'axis')}${title}</g>`;
}

/** Ticks left of the plot with lines through it; its label stands above, where it can be read without turning the head. */
export function leftAxis({ left, right, top }: Plot, { scale, ticks, label, format = tickText(ticks) }: Axis): Html {
  const marks = ticks.map(
    (value) =>
      html`${line(left, scale(value), right, scale(value), 'grid')}${text(left - 8, scale(value) + 4, format(value), { anchor: 'end', kind: 'tick' })}`,
  );
  return html`<g aria-hidden="true">${marks}${text(left, top - 12, label, { kind: 'axis-title' })}</g>`;
}
