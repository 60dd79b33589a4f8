import { argument, Refusal, textArgument } from './arguments';
import { shellWords } from './commands';
import { quoted } from './quoting';

type Args = Readonly<Record<string, unknown>>;

/**
 * Options of pytest as words of one command line, each quoted: `{name, value}`, or options with their values as one text
 * or a list. An option may be followed by one value; what is neither is refused.
 */
export function pytestOptions(args: Args): string {
  const words = wordsOf(argument(args, 'name', 'flag', 'option', 'flags', 'options'));
  const [first = ''] = words;
  const named = first.startsWith('-') ? first : `--${first}`;
  if (!OPTION.test(named)) throw new Refusal(`${JSON.stringify(first.slice(0, 80))} is no option of pytest`);
  const value = argument(args, 'value', 'val');
  const alone = words.length === 1;
  if (!alone) {
    if (value !== undefined && value !== '') throw new Refusal('a value for several options');
    return [named, ...words.slice(1)].map((word, at, all) => checked(word, all[at - 1])).join(' ');
  }
  const [, name = '', inline] = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(named) ?? [];
  const said =
    inline ?? (value === undefined || value === '' || value === true ? undefined : textArgument(args, 'value', 'val'));
  return said === undefined ? name : `${name}${name.startsWith('--') ? '=' : ' '}${quoted(said)}`;
}

const OPTION = /^--?[A-Za-z][\w-]*(?:=.*)?$/s;

function wordsOf(given: unknown): string[] {
  const items: unknown[] = Array.isArray(given) ? given : [given];
  return items.flatMap((item) => {
    if (typeof item !== 'string' || item.trim() === '') throw new Refusal('needs "name"');
    if (item.includes('\0')) throw new Refusal('"name" holds a NUL');
    return shellWords(item);
  });
}

function checked(word: string, before: string | undefined): string {
  const valued = before !== undefined && /^--?[A-Za-z][\w-]*$/.test(before);
  if (!OPTION.test(word) && !valued) throw new Refusal(`${JSON.stringify(word.slice(0, 80))} is no option of pytest`);
  return quoted(word);
}
