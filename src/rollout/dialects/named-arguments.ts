/** Arguments by name, as in a call of Python (`command="ls", timeout=3`) or of Gemma (`command:<|"|>ls<|"|>`). */

export interface NamedArguments {
  readonly named: Readonly<Record<string, unknown>>;
  /** What stood before the first name, in order. */
  readonly placed: readonly unknown[];
  /** Just behind the bracket that closes them. */
  readonly end: number;
}

/** What stands around a string, long before short. */
const QUOTES = ['<|"|>', '<escape>', '"""', "'''", '"', "'"];

const WORDS: Readonly<Record<string, unknown>> = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};

interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** Reads from just behind the opening bracket up to `close`; undefined where anything but names and literals stands there. */
export function namedArguments(text: string, from: number, close: ')' | '}'): NamedArguments | undefined {
  const named: Record<string, unknown> = {};
  const placed: unknown[] = [];
  let at = afterSpace(text, from);
  while (text[at] !== close) {
    const name = match(/(\w{1,100})\s{0,10}[=:]\s{0,10}/y, text, at);
    const read = literalAt(text, at + (name?.[0].length ?? 0));
    if (!read) return undefined;
    if (name) named[name[1]!] = read.value;
    else if (Object.keys(named).length > 0) return undefined;
    else placed.push(read.value);
    at = afterSpace(text, read.end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
    else if (text[at] !== close) return undefined;
  }
  return { named, placed, end: at + 1 };
}

/** A string, a number, a list of them, or one of the words that both languages have. */
function literalAt(text: string, at: number): Read<unknown> | undefined {
  if (text[at] === '[') return listAt(text, at + 1);
  const word = match(/-?\d{1,18}(?:\.\d{1,18})?(?![\w.])|[A-Za-z]{4,5}(?!\w)/y, text, at)?.[0];
  if (word !== undefined) {
    const value = word in WORDS ? WORDS[word] : Number(word);
    return Number.isNaN(value) ? undefined : { value, end: at + word.length };
  }
  const raw = /[rR]/.test(text[at] ?? '') ? 1 : 0;
  const quote = QUOTES.find((mark) => text.startsWith(mark, at + raw));
  // Between tokens of its own nothing is escaped.
  return quote === undefined
    ? undefined
    : stringAt(text, at + raw + quote.length, quote, raw === 0 && !quote.startsWith('<'));
}

function listAt(text: string, from: number): Read<unknown[]> | undefined {
  const value: unknown[] = [];
  let at = afterSpace(text, from);
  while (text[at] !== ']') {
    const read = text[at] === '[' ? undefined : literalAt(text, at);
    if (!read) return undefined;
    value.push(read.value);
    at = afterSpace(text, read.end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
    else if (text[at] !== ']') return undefined;
  }
  return { value, end: at + 1 };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

function stringAt(text: string, from: number, quote: string, escapes: boolean): Read<string> | undefined {
  let value = '';
  let at = from;
  let end = text.indexOf(quote, at);
  while (end >= 0) {
    const slash = escapes ? text.slice(at, end).indexOf('\\') : -1;
    if (slash < 0) return { value: value + text.slice(at, end), end: end + quote.length };
    const next = text[at + slash + 1] ?? '';
    // As Python has it, a backslash that escapes nothing stands for itself.
    const plain = /[\\'"]/.test(next) ? next : `\\${next}`;
    value += text.slice(at, at + slash) + (ESCAPED[next] ?? plain);
    at += slash + 2;
    if (end < at) end = text.indexOf(quote, at);
  }
  return undefined;
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function afterSpace(text: string, at: number): number {
  return at + (match(/\s{0,200}/y, text, at)?.[0].length ?? 0);
}
