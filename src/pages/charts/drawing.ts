import { attributes, type Content, type Html, html, visible } from '../html';

/** Pixels at which a chart is drawn one to one; on paper and small screens it shrinks as a whole. */
export const WIDTH = 820;

export interface Drawing {
  /** What it shows, in a few words: its name to a screen reader. */
  readonly title: string;
  /** What is to be seen in it, in a sentence: what a reader who sees it would say. */
  readonly description: string;
  readonly height: number;
  readonly width?: number;
}

/** An SVG that stands in a page and takes the page's colours. */
export function drawing({ title, description, height, width = WIDTH }: Drawing, body: Content): Html {
  return html`<svg class="chart" viewBox="0 0 ${width} ${round(height)}" width="${width}" height="${round(height)}" role="img" aria-label="${title}"><desc>${description}</desc>${body}</svg>`;
}

export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Classes of the chart style: `tick`, `strong`, `quiet`. */
  readonly kind?: string;
  /** Pixels that it may take; what is longer is cut, and whole in its tooltip. */
  readonly room?: number;
  readonly size?: number;
}

/** A line of text whose base line is at `y`. */
export function text(x: number, y: number, content: string, options: TextOptions = {}): Html {
  const { anchor = 'start', kind, room, size = 12 } = options;
  const shown = room === undefined ? content : fitted(content, room, size);
  const given = attributes({
    x: round(x),
    y: round(y),
    'text-anchor': anchor === 'start' ? undefined : anchor,
    class: kind,
  });
  return html`<text${given}>${shown}${shown === content ? null : html`<title>${content}</title>`}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, kind: string): Html {
  return html`<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${kind}"/>`;
}

/** A filled rectangle with what it stands for as its tooltip; nothing where it would have no area. */
export function rectangle(
  at: { x: number; y: number; width: number; height: number },
  fill: string,
  says?: string,
): Content {
  if (at.width <= 0 || at.height <= 0) return null;
  const place = attributes({ x: round(at.x), y: round(at.y), width: round(at.width), height: round(at.height), fill });
  return html`<rect${place}>${says === undefined ? null : html`<title>${says}</title>`}</rect>`;
}

/** Pixels that a text is about as wide as in the fonts that a system has; an estimate, a little on the wide side. */
export function textWidth(content: string, size = 12): number {
  let ems = 0;
  for (const character of visible(content)) ems += emsOf(character);
  return ems * size;
}

/** Cut with "…" to about so many pixels. */
export function fitted(content: string, room: number, size = 12): string {
  if (textWidth(content, size) <= room) return content;
  const characters = [...content];
  let used = emsOf('…') * size;
  let kept = 0;
  for (const character of characters) {
    used += textWidth(character, size);
    if (used > room) break;
    kept += 1;
  }
  return `${characters.slice(0, kept).join('').trimEnd()}…`;
}

/** Two digits behind the point are finer than any screen, and keep the file small. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function emsOf(character: string): number {
  if (/[iljt.,:;|!'’()[\]fI ]/.test(character)) return 0.37;
  if (/[mwMW@%—…]/.test(character)) return 0.97;
  if (/[A-Z]/.test(character)) return 0.72;
  return character.codePointAt(0)! > 0x2e80 ? 1.05 : 0.625;
}
