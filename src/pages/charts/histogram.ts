import { type Html, html } from '../html';
import { bottomAxis, leftAxis, type Plot } from './axis';
import { type Drawing, drawing, rectangle, text, WIDTH } from './drawing';
import { type Fill, fillOf } from './fill';
import { linear, wholeTicks } from './scale';

export interface Layer {
  readonly label: string;
  readonly fill: Fill;
}

export interface Histogram extends Omit<Drawing, 'height'> {
  /** Layers of every column, from the bottom. */
  readonly layers: readonly Layer[];
  /** Whole numbers, each with a count a layer. Values between them that nothing was counted at may be left out. */
  readonly columns: readonly { readonly at: number; readonly counts: readonly number[] }[];
  readonly axis: string;
  readonly counted: string;
}

/** Columns that fit side by side and can still be told apart; more are put together. */
const MOST = 64;
const PLOT: Plot = { left: 52, right: WIDTH - 8, top: 34, bottom: 254 };

/** Counts over whole numbers, in stacked layers that add up to the column. */
export function histogram({ layers, columns, axis, counted, ...about }: Histogram): Html {
  const { first, size, bins } = binned(columns, layers.length);
  const highest = Math.max(1, ...bins.map((counts) => sum(counts)));
  const upTicks = wholeTicks(0, highest, 5);
  const up = linear([0, upTicks.at(-1)!], [PLOT.bottom, PLOT.top]);
  const across = linear([first - 0.5, first + bins.length * size - 0.5], [PLOT.left, PLOT.right]);
  const width = across(first + size) - across(first);
  const gap = width > 5 ? 1.5 : 0;
  const drawn = bins.map((counts, at) => {
    const start = first + at * size;
    const name = size === 1 ? String(start) : `${start}–${start + size - 1}`;
    let below = 0;
    const stack = counts.map((count, layer) => {
      const y = up(below + count);
      const place = { x: across(start - 0.5) + gap / 2, y, width: width - gap, height: up(below) - y };
      below += count;
      return rectangle(
        place,
        fillOf(layers[layer]!.fill),
        `${axis} ${name}: ${layers[layer]!.label} ${count} of ${sum(counts)}`,
      );
    });
    return html`<g>${stack}</g>`;
  });
  const all = wholeTicks(first, first + bins.length * size - 1, 12).filter(
    (each) => each >= first && across(each) <= PLOT.right,
  );
  const label = size === 1 ? axis : `${axis}, ${size} in a column`;
  const empty =
    columns.length === 0
      ? text((PLOT.left + PLOT.right) / 2, 140, 'nothing was counted', { anchor: 'middle', kind: 'tick' })
      : null;
  return drawing({ ...about, height: PLOT.bottom + 44 }, [
    leftAxis(PLOT, { scale: up, ticks: upTicks, label: counted }),
    drawn,
    bottomAxis(PLOT, { scale: across, ticks: all, label }),
    empty,
  ]);
}

function binned(columns: Histogram['columns'], layers: number) {
  const places = columns.map(({ at }) => at);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const span = places.length === 0 ? 1 : Math.max(...places) - first + 1;
  const size = Math.ceil(span / MOST);
  const bins = Array.from({ length: Math.ceil(span / size) }, () => Array<number>(layers).fill(0));
  for (const { at, counts } of columns) {
    const bin = bins[Math.floor((at - first) / size)]!;
    for (const [layer, count] of counts.entries()) bin[layer] = (bin[layer] ?? 0) + count;
  }
  return { first, size, bins };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
