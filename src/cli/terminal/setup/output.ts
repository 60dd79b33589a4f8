import { count } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { wrapHard, wrapWords } from '../columns';
import { type Folding, fold } from '../fold';
import { ink } from '../ink';
import { safeLine, safeLines } from '../safe-text';

const OUTPUT = { head: 8, tail: 6 };
const COMMAND = { head: 12, tail: 4 };

/** What a command printed, behind a bar; the middle is folded away unless everything is asked for. */
export function outputLines(text: string, look: Look, folding: Folding = OUTPUT): string[] {
  const paint = ink(look.coloured);
  if (text === '') return [paint.dim('│ (no output)')];
  const { head, tail, hidden } = cut(text, look, folding);
  const bar = (line: string) => `${paint.dim('│')} ${line}`.trimEnd();
  return [
    ...head.map(bar),
    ...(hidden > 0 ? [paint.dim(`┆ … ${count(hidden, 'more line')} (--full shows them) …`)] : []),
    ...tail.map(bar),
  ];
}

/** A shell command as one would type it, line by line. */
export function commandLines(command: string, look: Look): string[] {
  const paint = ink(look.coloured);
  const { head, tail, hidden } = cut(command, look, COMMAND);
  const lines = [...head, ...(hidden > 0 ? [`… ${count(hidden, 'more line')} …`] : []), ...tail];
  return lines.map((line, at) => paint.strong(`${at === 0 ? '$' : ' '} ${line}`.trimEnd()));
}

/** Prose of a model or of a rule; empty text is no line. */
export function proseLines(text: string, look: Look): string[] {
  return text.trim() === '' ? [] : wrapWords(safeLines(text.trim()), look.width);
}

/** `label: text` in one wrapped paragraph. */
export function labelled(label: string, text: string, look: Look): string[] {
  return wrapWords([`${label}: ${safeLine(text.trim())}`], look.width);
}

export function indented(lines: readonly string[], margin = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : margin + line));
}

export function inside(look: Look, margin = 2): Look {
  return { ...look, width: look.width - margin };
}

function cut(text: string, look: Look, folding: Folding) {
  // A minified file is a line of a megabyte: it is wrapped before it is folded, so that it cannot hide what follows.
  const lines = wrapHard(safeLines(text.replace(/\n$/, '')), look.width - 2);
  return look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, folding);
}
