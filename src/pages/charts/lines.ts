import { attributes, type Content, type Html, html } from '../html';
import { bottomAxis, leftAxis, type Plot } from './axis';
import { type Drawing, drawing, line, round, text, textWidth, WIDTH } from './drawing';
import { colourOf } from './fill';
import { dashOf, marker } from './marker';
import { linear, ticks, wholeTicks } from './scale';

export interface LinePoint {
  readonly x: number;
  readonly mean: number;
  /** Ends of the band around it, where it has one. */
  readonly low?: number;
  readonly high?: number;
  readonly says: string;
}

export interface Line {
  readonly name: string;
  readonly series: number;
  /** `quiet`: what the others are compared with; grey, dashed, without points. */
  readonly quiet?: boolean;
  /** Points alone: values of neighbours that say nothing of what lies between them. */
  readonly apart?: boolean;
  /** In rising order of x; null where there is no value, which breaks the line. */
  readonly points: readonly (LinePoint | null)[];
}

export interface Lines extends Omit<Drawing, 'height'> {
  readonly lines: readonly Line[];
  readonly across: string;
  readonly up: string;
  /** Horizontal lines with a name, like a level of significance. */
  readonly levels?: readonly { readonly at: number; readonly label: string }[];
  /** Upper end of the axis where it is known; the lower one is 0 or below. */
  readonly highest?: number;
  /** Largest x to show, for charts that are to be read above each other. */
  readonly last?: number;
  readonly plotHeight?: number;
}

/** Lines over whole numbers (turns) with the bands of their intervals, named at their ends. */
export function lines({
  lines: given,
  across,
  up,
  levels = [],
  highest,
  last,
  plotHeight = 240,
  ...about
}: Lines): Html {
  const points = given.flatMap(({ points: each }) => each.filter((point) => point !== null));
  const names = Math.max(0, ...given.map(({ name }) => textWidth(name)));
  const plot: Plot = { left: 62, right: WIDTH - 14 - Math.min(220, names + 26), top: 34, bottom: 34 + plotHeight };
  const [from, to] = [
    Math.min(1, ...points.map((each) => each.x)),
    last ?? Math.max(2, ...points.map((each) => each.x)),
  ];
  const acrossTicks = wholeTicks(from, to, 10);
  const upTicks = ticks(
    Math.min(0, ...points.map(({ mean, low }) => low ?? mean)),
    highest ?? Math.max(1e-9, ...points.map(({ mean, high }) => high ?? mean), ...levels.map(({ at }) => at)),
  );
  const x = linear([Math.min(1, ...acrossTicks.filter((each) => each >= 0)), to], [plot.left, plot.right]);
  const y = linear([upTicks[0]!, upTicks.at(-1)!], [plot.bottom, plot.top]);
  const ends = spread(
    given.flatMap((each) => endOf(each, y)),
    plot,
  );
  return drawing({ ...about, height: plot.bottom + 44 }, [
    leftAxis(plot, { scale: y, ticks: upTicks, label: up }),
    levels.map(({ at, label }) => [
      line(plot.left, y(at), plot.right, y(at), 'level'),
      text(plot.left + 4, y(at) - 5, label, { kind: 'tick' }),
    ]),
    given.map((each) => drawnLine(each, x, y)),
    ends.map(
      ({ name, at, quiet, series }) =>
        html`<g${attributes({ class: quiet ? 'quiet-name' : undefined })}>${quiet ? null : marker(plot.right + 12, at - 4, series)}${text(plot.right + (quiet ? 8 : 22), at, name, { room: WIDTH - plot.right - 22 })}</g>`,
    ),
    bottomAxis(plot, { scale: x, ticks: acrossTicks.filter((each) => each >= x.low && each <= x.high), label: across }),
  ]);
}

function drawnLine(
  { series, quiet, apart, points }: Line,
  x: (value: number) => number,
  y: (value: number) => number,
): Html {
  const colour = quiet ? 'var(--muted)' : colourOf(series);
  const runs = unbroken(points);
  const bands = runs.map((run): Content => {
    const banded = run.filter(({ low, high }) => low !== undefined && high !== undefined);
    if (banded.length < 2) return banded.map((each) => whisker(x(each.x), y(each.low!), y(each.high!), colour));
    const there = banded.map((each) => `${round(x(each.x))},${round(y(each.high!))}`);
    const back = banded.toReversed().map((each) => `${round(x(each.x))},${round(y(each.low!))}`);
    return html`<polygon points="${[...there, ...back].join(' ')}" fill="${colour}" fill-opacity=".16"/>`;
  });
  const strokes = (apart ? [] : runs).map((run) => {
    const given = attributes({
      points: run.map((each) => `${round(x(each.x))},${round(y(each.mean))}`).join(' '),
      stroke: colour,
      'stroke-dasharray': quiet ? '4 3' : dashOf(series),
    });
    return html`<polyline class="line"${given}/>`;
  });
  // A mark on each of 40 turns would hide the line: enough to tell the series apart, and a tooltip on all.
  const flat = runs.flat();
  const every = apart || flat.length <= 12 ? 1 : Math.round(flat.length / 10);
  const marks = flat.map((point, at) =>
    !quiet && at % every === 0
      ? marker(x(point.x), y(point.mean), series, point.says)
      : html`<circle class="sense" cx="${round(x(point.x))}" cy="${round(y(point.mean))}" r="6"><title>${point.says}</title></circle>`,
  );
  return html`<g>${bands}${strokes}${marks}</g>`;
}

function whisker(x: number, from: number, to: number, colour: string): Html {
  return html`<line x1="${round(x)}" y1="${round(from)}" x2="${round(x)}" y2="${round(to)}" stroke="${colour}" stroke-width="1.5"/>`;
}

function unbroken(points: Line['points']): LinePoint[][] {
  const runs: LinePoint[][] = [[]];
  for (const point of points) {
    if (point) runs.at(-1)!.push(point);
    else if (runs.at(-1)!.length > 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

interface End {
  readonly name: string;
  readonly series: number;
  readonly quiet: boolean;
  readonly at: number;
}

function endOf({ name, series, quiet = false, points }: Line, y: (value: number) => number): End[] {
  const last = points.findLast((point) => point !== null);
  return last ? [{ name, series, quiet, at: y(last.mean) + 4 }] : [];
}

/** Names that would stand on each other are moved apart, in their order. */
function spread(ends: readonly End[], { top, bottom }: Plot): End[] {
  const apart = 16;
  const sorted = [...ends].sort((one, other) => one.at - other.at);
  const placed: End[] = [];
  for (const end of sorted) placed.push({ ...end, at: Math.max(end.at, (placed.at(-1)?.at ?? top - apart) + apart) });
  const over = Math.max(0, (placed.at(-1)?.at ?? 0) - bottom);
  return placed.map((end) => ({ ...end, at: end.at - over }));
}
