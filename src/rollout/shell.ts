/** POSIX shell words: quoting, and splitting a line without running or expanding anything. */

export type ShellToken = { readonly word: string } | { readonly operator: string };

export interface ShellLine {
  readonly tokens: readonly ShellToken[];
  /** The quote that the text ends inside of, if it does. */
  readonly unclosed?: "'" | '"';
}

/** One word for a POSIX shell, quoted only where it must be (as Python's `shlex.quote`, which SWE-agent uses). */
export function quote(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  return `'${value.replaceAll("'", `'"'"'`)}'`;
}

const OPERATOR = /^(?:&&|\|\||;;|<<<|<<-?|>>|[|&;<>()\n])/;
const PLAIN = /[^\s'"\\|&;<>()]+/y;

/**
 * Splits a command line into words and operators. Quotes and backslashes are resolved; `$x`, `*` and back-quotes stay
 * as they are written, because nothing is executed here. A newline outside of quotes is an operator.
 */
export function splitShell(text: string): ShellLine {
  const tokens: ShellToken[] = [];
  let parts: string[] | undefined;
  let at = 0;
  const add = (part: string) => {
    parts = parts ?? [];
    parts.push(part);
  };
  const flush = () => {
    if (parts) tokens.push({ word: parts.join('') });
    parts = undefined;
  };
  while (at < text.length) {
    const char = text[at]!;
    if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return { tokens, unclosed: "'" };
      add(text.slice(at + 1, end));
      at = end + 1;
    } else if (char === '"') {
      const quoted = readDoubleQuoted(text, at + 1);
      if (!quoted) return { tokens, unclosed: '"' };
      add(quoted.value);
      at = quoted.end;
    } else if (char === '\\') {
      if (text[at + 1] !== '\n') add(text.slice(at + 1, at + 2));
      at += 2;
    } else if (/[^\S\n]/.test(char)) {
      flush();
      at += 1;
    } else {
      const operator = OPERATOR.exec(text.slice(at, at + 3));
      if (operator) {
        flush();
        tokens.push({ operator: operator[0] });
        at += operator[0].length;
      } else {
        PLAIN.lastIndex = at;
        const plain = PLAIN.exec(text)?.[0] ?? char;
        add(plain);
        at += plain.length;
      }
    }
  }
  flush();
  return { tokens };
}

/** Inside double quotes a backslash only escapes `$`, a back-quote, `"`, itself and a newline. */
function readDoubleQuoted(text: string, start: number): { value: string; end: number } | undefined {
  const special = /["\\]/g;
  const parts: string[] = [];
  let from = start;
  for (;;) {
    special.lastIndex = from;
    const hit = special.exec(text);
    if (!hit) return undefined;
    parts.push(text.slice(from, hit.index));
    if (hit[0] === '"') return { value: parts.join(''), end: hit.index + 1 };
    const escaped = text[hit.index + 1] ?? '';
    if (escaped === '') return undefined;
    if (escaped !== '\n') parts.push('$`"\\'.includes(escaped) ? escaped : `\\${escaped}`);
    from = hit.index + 2;
  }
}

const DOCUMENT = /(?<!<)<<(-?)[ \t]*(["']?)([A-Za-z_][\w.-]{0,100})\2/g;

/** Offsets of the lines of a script, from `start` on, that are not inside of a here-document. */
export function* linesOutsideDocuments(text: string, start: number): Generator<number> {
  const waiting: { word: string; tabs: boolean }[] = [];
  for (let at = start; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(at, end);
    const [document] = waiting;
    if (!document) {
      yield at;
      for (const [, dash, , word] of line.matchAll(DOCUMENT)) waiting.push({ word: word!, tabs: dash === '-' });
    } else if ((document.tabs ? line.replace(/^\t+/, '') : line) === document.word) waiting.shift();
    at = end + 1;
  }
}
