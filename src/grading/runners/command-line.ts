import { splitShell } from '../../rollout/shell';

/** A word of a command line, its quotes resolved, and where it stands in the text. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What the shell starts as one process: its words, without redirections. */
export type SimpleCommand = readonly Word[];

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
  const commands: Word[][] = [[]];
  let documents: string[] = [];
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    if (char === '\n') {
      at = afterDocuments(text, at + 1, documents);
      documents = [];
      commands.push([]);
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
      const target = match(WORD, at + redirection.length) ?? '';
      if (/<<-?\s*$/.test(redirection)) documents.push(plain(target));
      at += redirection.length + target.length;
      continue;
    }
    const word = match(WORD, at);
    if (word !== undefined) {
      commands.at(-1)!.push({ text: plain(word), start: at, end: at + word.length });
      at += word.length;
    } else {
      commands.push([]);
      at += 1;
    }
  }
  return commands.filter((words) => words.length > 0);
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
