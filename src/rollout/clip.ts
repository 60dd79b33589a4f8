/** Text that fits: the middle goes, head and tail stay. Lengths are UTF-16 units; a surrogate pair is never split. */

export interface Cut {
  readonly head: string;
  readonly tail: string;
  /** Units left out between head and tail; 0 when everything is in `head`. */
  readonly elided: number;
}

/** Cuts `text` to at most `limit` units, half of them from each end. */
export function cutMiddle(text: string, limit: number): Cut {
  if (text.length <= limit) return { head: text, tail: '', elided: 0 };
  const headEnd = wholeEnd(text, Math.ceil(limit / 2));
  const tailStart = wholeStart(text, text.length - Math.floor(limit / 2));
  return { head: text.slice(0, headEnd), tail: text.slice(tailStart), elided: tailStart - headEnd };
}

/** The first `limit` units of `text` at most. */
export function cutEnd(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, wholeEnd(text, limit));
}

/** The same as text, with a line that says how much is missing. */
export function shortened(text: string, limit: number): string {
  const { head, tail, elided } = cutMiddle(text, limit);
  return elided === 0 ? text : `${head}\n[${elided} characters left out]\n${tail}`;
}

/** `head…tail` in at most `limit` units: for logs, summaries and error messages. */
export function preview(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 1) return '';
  const { head, tail } = cutMiddle(text, limit - 1);
  return `${head}…${tail}`;
}

/** False when `text` holds half of a surrogate pair, which has no UTF-8 encoding. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

function wholeEnd(text: string, at: number): number {
  return splitsPair(text, at) ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return splitsPair(text, at) ? at + 1 : at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
