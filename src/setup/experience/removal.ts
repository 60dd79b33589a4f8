import { parts, shellWords } from './commands';

/** Words that may stand before a command and change nothing about what it does. */
const BEFORE = /^(?:sudo|env|command|exec|nohup|time|then|do|else|if|while|until|!|\{|\(|-\w+|\w+=.*)$/;
const NESTED = /\$\(([^()]*)\)|`([^`]*)`/g;
/** What makes a search one for certain files. */
const NARROWS =
  /^-(?:i?(?:name|path|wholename|regex)|[acm](?:time|min)|newer\w*|empty|user|group|perm|size|inum|samefile)$/;

/**
 * Whether a command would empty the machine: the root directory or all that is in it is removed, wherever the shell stands
 * by then. A reading for slips and not a wall; the sandbox is what contains a command.
 */
export function removesEverything(command: string, from: string | null = null): boolean {
  const nested = [...command.replace(/'[^']*'/g, "''").matchAll(NESTED)].map(([, one, other]) => one ?? other ?? '');
  if (nested.some((inner) => removesEverything(inner, from))) return true;
  let here = from;
  let found = false;
  return steps(command).some((step) => {
    const words = shellWords(step);
    const start = words.findIndex((word) => !BEFORE.test(word));
    const [path = '', ...rest] = start < 0 ? [] : words.slice(start);
    const program = path.replace(/^\\/, '').split('/').at(-1)!;
    const isRoot = (target: string) => emptiesRoot(target, here);
    if (program === 'cd') here = absolute(rest[0] ?? '~', here);
    if (program === 'rm') return recursive(rest) && targetsOf(rest).some(isRoot);
    if (program === 'find') {
      const search = searchOf(rest);
      found = !search.narrowed && search.places.some(isRoot);
      return found && search.deletes;
    }
    if (program === 'xargs') return found && rest.some((word) => /(?:^|\/)rm$/.test(word));
    const script = /^(?:ba|da|z|k)?sh$/.test(program) ? rest[rest.findIndex((word) => /^-\w*c$/.test(word)) + 1] : '';
    return script !== undefined && script !== '' && removesEverything(script, here);
  });
}

/** Single commands, in their order: what `&&`, `;`, `|`, `||` and `&` separate outside of quotes. */
function steps(command: string): string[] {
  const separated = /'[^']*'|"(?:\\.|[^"\\])*"|\\.|\$\([^()]*\)|\|\|?|(?<![<>&\d])&(?![&>])/g;
  return parts(command.replace(separated, (text) => (/^(?:\|\|?|&)$/.test(text) ? ';' : text)));
}

function recursive(words: readonly string[]): boolean {
  return words.some((word) => word === '--recursive' || /^-[^-]*[rR]/.test(word));
}

function targetsOf(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return end < 0 ? words.filter((word) => !word.startsWith('-')) : words.slice(end + 1);
}

/** The root, or a pattern for everything in it. */
function emptiesRoot(target: string, here: string | null): boolean {
  const path = absolute(target, here);
  return path === '/' || (path !== null && /^\/[*?.]*\*$/.test(path));
}

/** Where a path leads; null where that depends on what is not known here. */
function absolute(path: string, here: string | null): string | null {
  if (/^~|\$/.test(path)) return null;
  if (!path.startsWith('/') && here === null) return null;
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : `${here}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}`;
}

function searchOf(words: readonly string[]) {
  const first = words.findIndex((word) => /^(?:-|\\?[(!])/.test(word));
  const [places, tests] = first < 0 ? [words, []] : [words.slice(0, first), words.slice(first)];
  return {
    places: places.length > 0 ? places : ['.'],
    narrowed: tests.some((word, at) => NARROWS.test(word) && !/^\/?\*$/.test(tests[at + 1] ?? '')),
    deletes: tests.some(
      (word, at) => word === '-delete' || (/^-(?:exec|ok)/.test(word) && /(?:^|\/)rm$/.test(tests[at + 1] ?? '')),
    ),
  };
}
