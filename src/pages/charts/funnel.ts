import { type Html, html } from '../html';
import { type Drawing, drawing, line, rectangle, text, WIDTH } from './drawing';
import { fillOf } from './fill';
import { linear } from './scale';

interface FunnelLevel {
  readonly label: string;
  /** What reached it. */
  readonly count: number;
  /** What the level before had and this one has not. */
  readonly lost: number;
  /** Why, in a few words. */
  readonly why: string;
}

export interface FunnelChart extends Omit<Drawing, 'height'> {
  readonly name: string;
  readonly levels: readonly FunnelLevel[];
  /** Series that it is drawn in. */
  readonly series: number;
}

const ROW = 28;
const TOP = 30;
const [LEFT, RIGHT, COUNT, SHARE, WHY] = [118, 380, 436, 492, 512];

/**
 * A level a line: solid what reached it, hatched what was lost on the way from the level before, so that both together are
 * as long as the solid part above them.
 */
export function funnelChart({ name, levels, series, ...about }: FunnelChart): Html {
  const all = levels[0]?.count ?? 0;
  const scale = linear([0, all || 1], [LEFT, RIGHT]);
  const rows = levels.map(({ label, count, lost, why }, at) => {
    const y = TOP + at * ROW;
    const share = all === 0 ? '–' : `${((count / all) * 100).toFixed(1)} %`;
    const [width, gone] = [scale(count) - LEFT, scale(count + lost) - scale(count)];
    return html`<g>${text(LEFT - 10, y + 18, label, { anchor: 'end' })}${rectangle({ x: LEFT, y: y + 4, width, height: ROW - 8 }, fillOf({ series }), `${label}: ${count}`)}${rectangle({ x: scale(count), y: y + 4, width: gone, height: ROW - 8 }, fillOf({ series, texture: 'hatch' }), `lost before “${label}”: ${lost}`)}${text(COUNT, y + 18, grouped(count), { anchor: 'end', kind: 'strong' })}${text(SHARE, y + 18, share, { anchor: 'end', kind: 'tick' })}${lost > 0 ? text(WHY, y + 18, `−${grouped(lost)}  ${why}`, { kind: 'tick', room: WIDTH - WHY, size: 11 }) : null}</g>`;
  });
  const bottom = TOP + levels.length * ROW;
  const heads = html`${text(0, 16, name, { kind: 'strong', room: RIGHT })}${text(COUNT, 16, 'rollouts', { anchor: 'end', kind: 'tick' })}${text(SHARE, 16, 'share', { anchor: 'end', kind: 'tick' })}${text(WHY, 16, 'lost here, and why', { kind: 'tick' })}`;
  return drawing({ ...about, height: bottom + 6 }, [heads, rows, line(LEFT, TOP, LEFT, bottom, 'axis')]);
}

function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
