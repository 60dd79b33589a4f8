import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { parseSync } from '@swc/core';

/** A regular expression of the sources, as it is written there. */
export interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

const ROOT = join(__dirname, '../..');

/** Every literal of a regular expression below some folders of the repository. */
export function patternsUnder(folders: readonly string[]): Pattern[] {
  const found = new Map<string, Pattern>();
  for (const folder of folders) {
    const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((each) => each.endsWith('.ts')).sort()) {
      const file = join(folder, name);
      const visit = (node: unknown): void => {
        if (typeof node !== 'object' || node === null) return;
        if ('type' in node && node.type === 'RegExpLiteral' && 'pattern' in node && 'flags' in node) {
          const pattern = { file, source: String(node.pattern), flags: String(node.flags) };
          found.set(`${file} ${pattern.source} ${pattern.flags}`, pattern);
        }
        for (const child of Object.values(node)) visit(child);
      };
      visit(parseSync(readFileSync(join(ROOT, file), 'utf8'), { syntax: 'typescript', target: 'es2022' }).body);
    }
  }
  return [...found.values()];
}

/** What expressions are slow on, whatever they look for. */
const PUMPS = [
  ...[' ', '\n', '\t', 'a', 'A', '0', '_', '-', '.', '/', '\\', ':', ',', ';', '=', '*', '#', '@', '|', '+', '~', '%'],
  ...['(', ')', '[', ']', '{', '}', '<', '>', '"', "'", '`', '\u001b[', '\u001b]', '\r', '\0', '=x', '/*'],
  ...['a ', 'a.', 'a/', 'a\n', ' \n', 'a,', 'a, ', 'a:', 'a-', 'a=', 'a(', '\\"', '\\\\', '""', ' a', '\r\n', '\n\n'],
];

/** The words that an expression looks for: text that is nearly what it wants. */
function wordsOf(source: string): string[] {
  // What is escaped is text and no syntax: it is kept out of the way until the syntax was read.
  const escaped = (_: string, letter: string) => String.fromCharCode(0xe000 + letter.charCodeAt(0));
  const plain = source
    .replace(/\\u([0-9a-f]{4})|\\x([0-9a-f]{2})/gi, (_, wide?: string, narrow?: string) =>
      String.fromCharCode(Number.parseInt(wide ?? narrow!, 16)),
    )
    .replace(/\\s[*+]?|\[ \\t\][*+]?/g, ' ')
    .replace(/\\[wS][*+]?/g, 'a')
    .replace(/\\d[*+]?/g, '0')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/\\[bB1]/g, '')
    .replace(/\\([^\w\s])/g, escaped)
    .replace(/\(\?<?[!][^()]*\)/g, '')
    .replace(/\(\?(?:[:=]|<=|<\w+>)/g, '(')
    .replace(/\[\^[^\]]*\][*+?]?/g, 'a')
    .replace(/\[(.)[^\]]*\][*+?]?/g, '$1');
  // Of groups the first alternative, so that what follows one is reached.
  let first = plain;
  for (let before = ''; before !== first; ) {
    before = first;
    first = first.replace(/\(([^()|]*)(?:\|[^()]*)?\)[*+?]?/g, '$1');
  }
  const words = `${first}|${plain}`.split(/[()|?*+^$.]|\{\d+,?\d*\}/).filter((word) => word.length > 0);
  const restored = words.map((word) =>
    word.replace(/[\ue000-\ue0ff]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xe000)),
  );
  return [...new Set(restored)].slice(0, 12);
}

/** Texts of about so many characters that make a given expression try as much as it can. */
function attacksOn({ source }: Pattern, size: number): string[] {
  const words = wordsOf(source);
  const pumps = new Set([...PUMPS, ...words, ...words.map((word) => `${word} `), ...words.map((word) => `${word}\n`)]);
  const attacks: string[] = [];
  for (const pump of pumps) {
    const run = pump.repeat(Math.ceil(size / pump.length));
    // The second for those that want the end of all: no line end is one.
    attacks.push(`${run}\u0001`, `${run}\n\u0001`);
    for (const word of words.slice(0, 6)) attacks.push(`${word}${run}\u0001`);
  }
  return attacks;
}

const CODE = new Script(
  'for (at = 0; at < attacks.length; at++) { pattern.lastIndex = 0; pattern.global ? attacks[at].replace(pattern, "") : pattern.exec(attacks[at]); }',
);

/**
 * An attack on which an expression is slow: its time grows with the square of the text, or faster. Machines are busy at times,
 * so what took long is tried again at two lengths, in the processor's time.
 */
export function slowOn(pattern: Pattern, size = 32_000): string | undefined {
  const [short, long] = [size / 4, size].map((length) => attacksOn(pattern, length)) as [string[], string[]];
  const timed = (attacks: readonly string[], timeout: number) => {
    const state = { attacks, pattern: new RegExp(pattern.source, pattern.flags), at: 0 };
    const began = process.cpuUsage();
    let ended = true;
    try {
      CODE.runInContext(createContext(state), { timeout });
    } catch {
      ended = false;
    }
    const { user, system } = process.cpuUsage(began);
    return { ms: (user + system) / 1000, at: state.at, ended };
  };
  // A machine with other work makes some tries slow, and none quick.
  const quickest = (attack: string) => {
    let ms = Infinity;
    for (let tries = 0; tries < 3 && ms > 40; tries++) {
      const tried = timed([attack], 2_000);
      // A machine that stands still for two seconds ends a quick one too: what was ended counts by the processor's time.
      ms = Math.min(ms, tried.ended || tried.ms < 500 ? tried.ms : Infinity);
    }
    return ms;
  };
  // All of them at once first: a linear one is done with hundreds of them in that time.
  let from = 0;
  while (from < long.length) {
    const { at, ended, ms } = timed(long.slice(from), 400);
    if (ended && ms < 200) return undefined;
    const suspects = ended ? long.slice(from).map((_, index) => from + index) : [from + at];
    for (const index of suspects) {
      const ms = quickest(long[index]!);
      if (ms === Infinity || (ms > 40 && ms > 8 * quickest(short[index]!))) return long[index];
    }
    from = ended ? long.length : from + at + 1;
  }
  return undefined;
}
