/** Colours and weights, which lose nothing when they go. Every other sequence is shown instead of obeyed. */
const STYLE = new RegExp(`${String.fromCharCode(0x1b)}\\[[0-9;:]*m`, 'g');

/** Control characters, line separators, and marks that reorder or hide text (Trojan Source, CVE-2021-42574). */
const UNSAFE = /[\p{Cc}\p{Surrogate}\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const TAB = 8;

/**
 * Foreign text as lines that cannot move a cursor, retitle a window or reorder what a reader sees: escape codes are
 * written out as `\x1b`, tabs become spaces, line ends of any kind end a line.
 */
export function safeLines(text: string): string[] {
  return text
    .replace(STYLE, '')
    .split(/\r?\n/)
    .map((line) => expandTabs(line).replace(UNSAFE, escaped));
}

/** The same in one line: line ends become `⏎`. */
export function safeLine(text: string): string {
  return safeLines(text).join('⏎');
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const part of line.split(/(\t)/)) out += part === '\t' ? ' '.repeat(TAB - (out.length % TAB)) : part;
  return out;
}
