import { visible } from '../html';

/** Looks of a terminal, as far as SGR codes give them. Colours are names of the palette, not values. */
export interface Look {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  /** 0 to 15. */
  readonly ink?: number;
  readonly ground?: number;
}

export interface TextRun {
  readonly text: string;
  readonly look: Look;
  /** Written out because it could not be seen: a control character, a mark that reorders text, half a character. */
  readonly unseen: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this file reads
const SGR = /\u001b\[([0-9;:]*)m/;
/** All that may be unseen and more; `visible` decides. */
const MAYBE = /(?:(?![\t\n])[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0])+/gu;
const PLAIN: Look = {};

/**
 * Foreign text in pieces that look alike. Colours and weights of a terminal become looks; every other control sequence is
 * written out instead of obeyed, so that what is shown is what is there.
 */
export function textRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  let look = PLAIN;
  // Odd pieces are the codes of a style sequence.
  text
    .replaceAll('\r\n', '\n')
    .split(SGR)
    .forEach((piece, at) => {
      if (at % 2 === 1) look = restyled(look, piece);
      else pushRuns(runs, piece, look);
    });
  return runs;
}

function pushRuns(runs: TextRun[], text: string, look: Look): void {
  let from = 0;
  const push = (piece: string, unseen: boolean) => {
    if (piece !== '') runs.push({ text: piece, look, unseen });
  };
  for (const found of text.matchAll(MAYBE)) {
    const shown = visible(found[0]);
    if (shown === found[0]) continue;
    push(text.slice(from, found.index), false);
    push(shown, true);
    from = found.index + found[0].length;
  }
  push(text.slice(from), false);
}

/** ECMA-48 select graphic rendition, with the 256 colours and true colours brought to the nearest of 16. */
function restyled(look: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number);
  let next: Look = look;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at]!;
    if (code === 38 || code === 48) {
      const { colour, used } = extended(numbers.slice(at + 1));
      if (colour !== undefined) next = { ...next, [code === 38 ? 'ink' : 'ground']: colour };
      at += used;
    } else next = styled(next, code);
  }
  return next;
}

function styled(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 7) return { ...look, inverse: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 23) return { ...look, italic: false };
  if (code === 24) return { ...look, underline: false };
  if (code === 27) return { ...look, inverse: false };
  if (code === 39) return { ...look, ink: undefined };
  if (code === 49) return { ...look, ground: undefined };
  if (code >= 30 && code <= 37) return { ...look, ink: code - 30 };
  if (code >= 40 && code <= 47) return { ...look, ground: code - 40 };
  if (code >= 90 && code <= 97) return { ...look, ink: code - 82 };
  if (code >= 100 && code <= 107) return { ...look, ground: code - 92 };
  return look;
}

function extended([kind, ...rest]: readonly number[]): { colour?: number; used: number } {
  if (kind === 5) return { colour: nearestOf256(rest[0] ?? 0), used: 2 };
  if (kind === 2) return { colour: nearestOf16(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), used: 4 };
  return { used: 1 };
}

function nearestOf256(index: number): number {
  if (index < 16) return Math.max(0, index);
  if (index >= 232) return nearestOf16(...grey(8 + (index - 232) * 10));
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return nearestOf16(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function grey(value: number): [number, number, number] {
  return [value, value, value];
}

/** A bit a channel, and bright where the strongest is strong. */
function nearestOf16(red: number, green: number, blue: number): number {
  const strongest = Math.max(red, green, blue);
  if (strongest < 48) return 0;
  const bit = (value: number) => (value > strongest / 2 ? 1 : 0);
  const hue = bit(red) + 2 * bit(green) + 4 * bit(blue);
  if (hue === 7) return strongest > 220 ? 15 : strongest > 140 ? 7 : 8;
  return strongest > 200 ? hue + 8 : hue;
}
