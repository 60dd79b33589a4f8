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

const SUBSTITUTION = String.raw`\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|${'`'}[^${'`'}]*${'`'}`;
const WORD = new RegExp(
  String.raw`(?:${SUBSTITUTION}|[^\s'"\\;&|()<>]|\\[\s\S]|'[^']*'|"(?:${SUBSTITUTION}|\\[\s\S]|[^"\\])*")+`,
  'y',
);
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
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
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
    const redirection = match(REDIRECTION, at);
    if (redirection !== undefined) {
      const from = at + redirection.length;
      const target = match(WORD, from) ?? '';
      const operator = redirection.trim();
      if (/<<-?$/.test(operator)) documents.push(plain(target));
      if (/^(?:1?>[>|]?|&>>?)$/.test(operator)) {
        output = { kind: 'file', operator, target: { text: plain(target), start: from, end: from + target.length } };
      }
      at = from + target.length;
      end = at;
      continue;
    }
    const word = match(WORD, at);
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
    const lines = text.slice(from).split('\n');
    const last = lines.findIndex((line) => line.replace(/^\t+/, '') === end);
    if (last < 0) return text.length;
    from += lines.slice(0, last + 1).join('\n').length + 1;
  }
  return from;
}

function plain(word: string): string {
  return splitShell(word)
    .tokens.map((token) => ('word' in token ? token.word : token.operator))
    .join('');
}
