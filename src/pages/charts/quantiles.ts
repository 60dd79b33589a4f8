import { type Html, html } from '../html';
import { bottomAxis, type Plot } from './axis';
import { type Drawing, drawing, rectangle, round, text, textWidth, WIDTH } from './drawing';
import { colourOf, fillOf } from './fill';
import { marker } from './marker';
import { linear, ticks } from './scale';

export interface Quantiles {
  readonly n: number;
  readonly p5: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly p95: number;
}

/** Linear interpolation between order statistics (type 7 of Hyndman and Fan); undefined without a value. */
export function quantilesOf(values: readonly number[]): Quantiles | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => {
    const place = share * (sorted.length - 1);
    const below = Math.floor(place);
    const [low, high] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
    return low + (place - below) * (high - low);
  };
  return { n: sorted.length, p5: at(0.05), p25: at(0.25), median: at(0.5), p75: at(0.75), p95: at(0.95) };
}

interface QuantileRow {
  readonly label: string;
  readonly series: number;
  readonly quantiles: Quantiles | undefined;
  readonly says: string;
}

export interface QuantileChart extends Omit<Drawing, 'height'> {
  readonly rows: readonly QuantileRow[];
  readonly axis: string;
  readonly format?: (value: number) => string;
}

const ROW = 26;

/** How values are spread: a line from the 5th to the 95th percentile, a box over the middle half, a mark at the median. */
export function quantileChart({ rows, axis, format, ...about }: QuantileChart): Html {
  const left = Math.min(220, 20 + Math.max(0, ...rows.map(({ label }) => textWidth(label))));
  const right = WIDTH - 20 - Math.min(290, Math.max(0, ...rows.map(({ says }) => textWidth(says, 11))));
  const values = ticks(0, Math.max(1e-6, ...rows.map(({ quantiles }) => quantiles?.p95 ?? 0)), 5);
  const scale = linear([0, values.at(-1)!], [left, right]);
  const bottom = 8 + rows.length * ROW;
  const plot: Plot = { left, right, top: 4, bottom };
  return drawing({ ...about, height: bottom + 42 }, [
    bottomAxis(plot, { scale, ticks: values, label: axis, format }, true),
    rows.map((row, at) => quantileRow(row, 8 + at * ROW, left, right, scale)),
  ]);
}

function quantileRow(row: QuantileRow, y: number, left: number, right: number, scale: (value: number) => number): Html {
  const { label, series, quantiles, says } = row;
  const middle = y + 13;
  const name = text(left - 10, y + 17, label, { anchor: 'end', room: left - 14 });
  const words = text(right + 14, y + 17, says, { kind: 'tick', room: WIDTH - right - 14, size: 11 });
  if (!quantiles) return html`<g>${name}${words}</g>`;
  const { p5, p25, median, p75, p95 } = quantiles;
  const box = { x: scale(p25), y: middle - 7, width: Math.max(1, scale(p75) - scale(p25)), height: 14 };
  return html`<g>${name}<path d="M${round(scale(p5))} ${middle}H${round(scale(p95))}" stroke="${colourOf(series)}" class="whisker"/>${rectangle(box, 'var(--page)')}${rectangle(box, fillOf({ series, texture: 'hatch' }), `${label}: ${says}`)}${marker(scale(median), middle, series, `${label}: ${says}`)}${words}</g>`;
}
