import { splitShell } from '../../rollout/shell';

/** A word of a command line, its quotes resolved, and where it stands in the text. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What the shell starts as one process. */
export interface SimpleCommand {
  /** Without redirections; at least one. */
  readonly words: readonly Word[];
  /** Behind its last word or redirection. */
  readonly end: number;
  /** Where its standard output goes instead of to that of the whole: into the next command, or by a redirection. */
  readonly output: Output | undefined;
}

type Output =
  | { readonly kind: 'pipe'; readonly operator: '|' | '|&' }
  | { readonly kind: 'file'; readonly operator: string; readonly target: Word };

const REDIRECTION = /(?:&>>?|\d*(?:>>|>&|>\||>|<<<|<<-?|<&|<>|<))[^\S\n]*/y;

/**
 * Splits a command line into its simple commands, at everything that ends one: `&&`, `||`, `;`, `|`, `&`, brackets and line
 * ends. Quotes, comments and here-documents are respected; nothing is expanded. Words behind which a quote is not closed
 * are left out.
 */
export function simpleCommands(text: string): SimpleCommand[] {
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let output: Output | undefined;
  let end = 0;
  let documents: string[] = [];
  const wordAt = wordsIn(text);
  const redirectionAt = (at: number): string | undefined => {
    REDIRECTION.lastIndex = at;
    return REDIRECTION.exec(text)?.[0];
  };
  const finish = (pipe?: Output) => {
    if (words.length > 0) commands.push({ words, end, output: pipe ?? output });
    [words, output] = [[], undefined];
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === '\n') {
      finish();
      at = afterDocuments(text, at + 1, documents);
      documents = [];
      continue;
    }
    if (/\s/.test(char) || text.startsWith('\\\n', at)) {
      at += char === '\\' ? 2 : 1;
      continue;
    }
    if (char === '#') {
      at = text.indexOf('\n', at);
      if (at < 0) break;
      continue;
    }
    const redirection = redirectionAt(at);
    if (redirection !== undefined) {
      const from = at + redirection.length;
      const target = wordAt(from) ?? '';
      const operator = redirection.trim();
      if (/<<-?$/.test(operator)) documents.push(plain(target));
      if (/^(?:1?>[>|]?|&>>?)$/.test(operator)) {
        output = { kind: 'file', operator, target: { text: plain(target), start: from, end: from + target.length } };
      }
      at = from + target.length;
      end = at;
      continue;
    }
    const word = wordAt(at);
    if (word !== undefined) {
      words.push({ text: plain(word), start: at, end: at + word.length });
      at += word.length;
      end = at;
    } else {
      const isPipe = char === '|' && text[at + 1] !== '|' && text[at - 1] !== '|';
      finish(isPipe ? { kind: 'pipe', operator: text[at + 1] === '&' ? '|&' : '|' } : undefined);
      at += 1;
    }
  }
  finish();
  return commands;
}

/** Behind the here-documents that begin at `at`. */
function afterDocuments(text: string, at: number, documents: readonly string[]): number {
  let from = at;
  for (const end of documents) {
    for (let isOver = false; !isOver; ) {
      if (from >= text.length) return text.length;
      const next = text.indexOf('\n', from);
      const line = text.slice(from, next < 0 ? text.length : next);
      from += line.length + 1;
      isOver = line.replace(/^\t+/, '') === end;
    }
  }
  return from;
}

/**
 * Gives the word that begins at a place, undefined where none does. What is opened and never closed is looked for to the end
 * of the text; a text of many such is refused its words after a while, because each of them would be read as far.
 */
function wordsIn(text: string): (at: number) => string | undefined {
  let patience = 1_000_000 + 4 * text.length;
  const unclosed = (from: number, to: number): undefined => {
    patience -= to - from;
    return undefined;
  };
  const closed = (sign: string, from: number): number | undefined => {
    if (patience < 0) return undefined;
    const at = text.indexOf(sign, from);
    return at < 0 ? unclosed(from, text.length) : at + 1;
  };
  const inBrackets = (from: number): number | undefined => {
    if (patience < 0) return undefined;
    for (let at = from; at < text.length; at++) {
      if (text[at] === ')') return at + 1;
      if (text[at] !== '(') continue;
      for (at++; at < text.length && text[at] !== ')'; at++) if (text[at] === '(') return unclosed(from, at);
    }
    return unclosed(from, text.length);
  };
  const substitution = (at: number): number | undefined => {
    if (text[at] === '`') return closed('`', at + 1);
    if (text.startsWith('${', at)) return closed('}', at + 2);
    return text.startsWith('$(', at) ? inBrackets(at + 2) : undefined;
  };
  const doubleQuoted = (from: number): number | undefined => {
    if (patience < 0) return undefined;
    for (let at = from; at < text.length; ) {
      if (text[at] === '"') return at + 1;
      at = text[at] === '\\' ? at + 2 : (substitution(at) ?? at + 1);
    }
    return unclosed(from, text.length);
  };
  const partAt = (at: number): number | undefined => {
    const char = text[at]!;
    if (char === "'") return closed("'", at + 1);
    if (char === '"') return doubleQuoted(at + 1);
    if (char === '\\') return at + 1 < text.length ? at + 2 : undefined;
    return substitution(at) ?? (/[\s;&|()<>]/.test(char) ? undefined : at + 1);
  };
  return (from) => {
    let at = from;
    while (at < text.length) {
      const next = partAt(at);
      if (next === undefined) break;
      at = next;
    }
    return at === from ? undefined : text.slice(from, at);
  };
}

function plain(word: string): string {
  return splitShell(word)
    .tokens.map((token) => ('word' in token ? token.word : token.operator))
    .join('');
}
