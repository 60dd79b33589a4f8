import { type Html, html } from '../html';
import { bottomAxis, type Plot } from './axis';
import { type Drawing, drawing, line, round, text, textWidth, WIDTH } from './drawing';
import { colourOf } from './fill';
import { marker } from './marker';
import { linear, ticks } from './scale';

interface Dot {
  readonly label: string;
  readonly series: number;
  /** Null where nothing was measured, which is said. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** The same in words, at the end of its line. */
  readonly says: string;
}

export interface DotGroup {
  readonly title: string;
  readonly dots: readonly Dot[];
}

export interface Dots extends Omit<Drawing, 'height'> {
  readonly groups: readonly DotGroup[];
  readonly axis: string;
  readonly format: (value: number) => string;
  /** Ends of the axis; without them what the intervals need, 0 included. */
  readonly from?: number;
  readonly to?: number;
  /** Values of others to compare with: vertical lines, named above. */
  readonly references?: readonly { readonly at: number; readonly label: string }[];
}

const ROW = 24;

/** A dot with the whisker of its interval on each line. */
export function dots({ groups, axis, format, from, to, references = [], ...about }: Dots): Html {
  const all = groups.flatMap((group) => group.dots);
  const left = Math.min(220, 20 + Math.max(0, ...all.map(({ label }) => textWidth(label))));
  const right = WIDTH - 20 - Math.min(290, Math.max(0, ...all.map(({ says }) => textWidth(says))));
  const lowest = Math.min(0, ...all.map(({ low }) => low));
  const highest = Math.max(...all.map(({ high }) => high), ...references.map(({ at }) => at), lowest + 1e-6);
  const values = ticks(from ?? lowest, to ?? highest, 5);
  const scale = linear([values[0]!, values.at(-1)!], [left, right]);
  const top = references.length > 0 ? 8 + 15 * references.length : 4;
  let y = top + 4;
  const rows: Html[] = [];
  for (const { title, dots: shown } of groups) {
    if (title !== '') {
      rows.push(text(0, y + 15, title, { kind: 'strong', room: left + 120 }));
      y += ROW;
    }
    for (const dot of shown) {
      rows.push(dotRow(dot, y, left, right, scale));
      y += ROW;
    }
    y += 4;
  }
  const plot: Plot = { left, right, top, bottom: y };
  const marks = references.map(({ at, label }, line_) => {
    const x = scale(at);
    const named = 12 + 15 * line_;
    const room = textWidth(label, 11);
    const side = x + room + 6 > right ? 'end' : 'start';
    return html`${line(x, named - 9, x, y, 'level')}${text(x + (side === 'end' ? -5 : 5), named, label, { anchor: side, kind: 'tick' })}`;
  });
  return drawing({ ...about, height: y + 42 }, [
    bottomAxis(plot, { scale, ticks: values, label: axis, format }, true),
    lowest < 0 ? line(scale(0), top, scale(0), y, 'axis') : null,
    marks,
    rows,
  ]);
}

function dotRow(dot: Dot, y: number, left: number, right: number, scale: (value: number) => number): Html {
  const { label, series, value, low, high, says } = dot;
  const middle = y + 12;
  const name = text(left - 10, y + 16, label, { anchor: 'end', room: left - 14 });
  const words = text(right + 14, y + 16, says, { kind: 'tick', room: WIDTH - right - 14, size: 11 });
  if (value === null) return html`<g>${name}${words}</g>`;
  const [from, to, colour] = [round(scale(low)), round(scale(high)), colourOf(series)];
  return html`<g>${name}<path d="M${from} ${middle - 4}v8M${from} ${middle}H${to}M${to} ${middle - 4}v8" stroke="${colour}" class="whisker"/>${marker(scale(value), middle, series, `${label}: ${says}`)}${words}</g>`;
}
