import type { Look } from '../../pages/shown-run';
import { ink } from './ink';

/** Columns that a terminal gives a character. Wide: East Asian scripts and emoji; none: marks on the one before. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}|^[\u{20000}-\u{3fffd}]/u;
const NONE = /^\p{Mn}|^\p{Me}/u;

export function columnsOf(text: string): number {
  // Printable ASCII is nearly everything, and needs no look at each character.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** The longest start of `text` that fits into `columns`; at least one character, so that callers always advance. */
export function fitting(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let used = 0;
  let out = '';
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns && out !== '') break;
    out += character;
  }
  return out;
}

/** Cut to `columns`, with `…` where something went. */
export function shortened(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : columns < 2 ? fitting(text, 1) : `${fitting(text, columns - 1)}…`;
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** Prose, broken between words; a word that is too long is cut. Lines that were there stay, with their indentation. */
export function wrapWords(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    const indent = ' '.repeat(Math.min(/^ */.exec(line)![0].length, Math.floor(columns / 2)));
    const out: string[] = [];
    let current = '';
    for (const word of line.trim().split(/ +/)) {
      const joined = current === '' ? indent + word : `${current} ${word}`;
      if (columnsOf(joined) <= columns) {
        current = joined;
        continue;
      }
      if (current !== '') out.push(current);
      const pieces = wrapHard([word], columns - indent.length).map((piece) => indent + piece);
      out.push(...pieces.slice(0, -1));
      current = pieces.at(-1)!;
    }
    return [...out, current.trimEnd()];
  });
}

/** Code and output: cut where the column ends, nothing added, so that pieces put together are the text again. */
export function wrapHard(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) => {
    const out: string[] = [];
    let rest = line;
    while (columnsOf(rest) > columns) {
      const piece = fitting(rest, columns);
      out.push(piece);
      rest = rest.slice(piece.length);
    }
    return [...out, rest];
  });
}

/** A line across, with words in it. */
export function heading(words: string, look: Look): string {
  const paint = ink(look.coloured);
  return paint.strong(`── ${words} ${'─'.repeat(Math.max(2, look.width - words.length - 4))}`);
}
