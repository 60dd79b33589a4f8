import { type Html, html } from '../html';
import { bottomAxis, type Plot } from './axis';
import { type Drawing, drawing, line, rectangle, text, textWidth, WIDTH } from './drawing';
import { type Fill, fillOf } from './fill';
import { linear, ticks, wholeTicks } from './scale';

interface BarSegment {
  readonly value: number;
  readonly fill: Fill;
  /** Tooltip. */
  readonly says: string;
}

interface Bar {
  readonly label: string;
  readonly segments: readonly BarSegment[];
  /** What is printed at its end. */
  readonly value: string;
}

interface BarGroup {
  /** Printed above its bars; empty for none. */
  readonly title: string;
  readonly bars: readonly Bar[];
}

export interface Bars extends Omit<Drawing, 'height'> {
  readonly groups: readonly BarGroup[];
  /** Of the values, with their unit. */
  readonly axis: string;
  readonly whole?: boolean;
  readonly format?: (value: number) => string;
}

const ROW = 24;
const HEADING = 26;

/** Horizontal bars, in groups; each may be made of several segments that add up. All start at 0. */
export function bars({ groups, axis, whole = false, format, ...about }: Bars): Html {
  const all = groups.flatMap((group) => group.bars);
  const left = Math.min(260, 16 + Math.max(0, ...all.map(({ label }) => textWidth(label))));
  const right = WIDTH - 16 - Math.max(0, ...all.map(({ value }) => textWidth(value)));
  const highest = Math.max(0, ...all.map(totalOf));
  const values = (whole ? wholeTicks : ticks)(0, highest || 1, 6);
  const scale = linear([0, values.at(-1)!], [left, right]);
  const rows: Html[] = [];
  let y = 8;
  for (const { title, bars: shown } of groups) {
    if (title !== '') {
      rows.push(text(0, y + 14, title, { kind: 'strong', room: WIDTH }));
      y += HEADING;
    }
    const from = y;
    for (const bar of shown) {
      rows.push(barRow(bar, y, left, scale));
      y += ROW;
    }
    rows.push(line(left, from, left, y, 'axis'));
    y += 6;
  }
  const plot: Plot = { left, right, top: 4, bottom: y };
  const under = bottomAxis(plot, { scale, ticks: values, label: axis, format }, true);
  return drawing({ ...about, height: y + 42 }, [under, rows]);
}

function barRow({ label, segments, value }: Bar, y: number, left: number, scale: (value: number) => number): Html {
  let from = 0;
  const drawn = segments.map(({ value: size, fill, says }) => {
    const x = scale(from);
    from += size;
    return rectangle({ x, y: y + 4, width: scale(from) - x, height: ROW - 8 }, fillOf(fill), says);
  });
  const name = text(left - 8, y + 16, label, { anchor: 'end', room: left - 12 });
  return html`<g>${name}${drawn}${text(scale(from) + 6, y + 16, value, { kind: 'value' })}</g>`;
}

function totalOf({ segments }: Bar): number {
  return segments.reduce((sum, { value }) => sum + value, 0);
}
