import { programOf } from '../reporters/reporter';
import type { Word } from './command-line';

const plain = (words: readonly string[]) => options(words, 1, /^$/);

/** What stands before a command and starts it: how many words it takes itself, its own name among them. */
const WRAPPERS: Readonly<Record<string, (words: readonly string[]) => number>> = {
  nohup: plain,
  setsid: plain,
  time: plain,
  command: plain,
  exec: plain,
  builtin: plain,
  catchsegv: plain,
  eatmydata: plain,
  bunx: plain,
  pnpx: plain,
  'dbus-run-session': plain,
  env: (words) => options(words, 1, /^-[uCS]$/, /^[A-Za-z_]\w*=/),
  timeout: (words) => options(words, 1, /^-[ks]$/) + 1,
  nice: (words) => options(words, 1, /^-n$/),
  ionice: (words) => options(words, 1, /^-[cn]$/),
  stdbuf: (words) => options(words, 1, /^-[ioe]$/),
  taskset: (words) => options(words, 1, /^$/) + 1,
  sudo: (words) => options(words, 1, /^-[ugC]$/, /^[A-Za-z_]\w*=/),
  xargs: (words) => options(words, 1, /^-[nPLIds]$/),
  'xvfb-run': (words) => options(words, 1, /^-[nspfew]$|^--(server-num|server-args|error-file)$/),
  poetry: (words) => (words[1] === 'run' ? 2 : 0),
  pipenv: (words) => (words[1] === 'run' ? 2 : 0),
  pdm: (words) => (words[1] === 'run' ? options(words, 2, /^-[pg]$/) : 0),
  rye: (words) => (words[1] === 'run' ? 2 : 0),
  pixi: (words) => (words[1] === 'run' ? options(words, 2, /^-e$|^--(environment|manifest-path)$/) : 0),
  uv: (words) => (words[1] === 'run' ? options(words, 2, UV_VALUED) : 0),
  hatch: (words) => (words[1] === 'run' ? 2 : 0),
  conda: (words) => (words[1] === 'run' ? options(words, 2, /^-[np]$|^--(name|prefix|cwd)$/) : 0),
  mamba: (words) => (words[1] === 'run' ? options(words, 2, /^-[np]$/) : 0),
  micromamba: (words) => (words[1] === 'run' ? options(words, 2, /^-[np]$/) : 0),
  npx: (words) => options(words, 1, /^-p$|^--package$/),
  'cross-env': (words) => options(words, 1, /^$/, /^[A-Za-z_]\w*=/),
  c8: (words) => options(words, 1, /^-[rn]$|^--(reporter|include|exclude)$/),
  nyc: (words) => options(words, 1, /^-[rn]$|^--(reporter|include|exclude)$/),
};
const UV_VALUED =
  /^-p$|^--(python|with|with-editable|with-requirements|extra|group|package|env-file|index|directory|project)$/;

/** Behind options (those that take the next word for their value by `valued`) and assignments. */
function options(words: readonly string[], from: number, valued: RegExp, assigned?: RegExp): number {
  let at = from;
  while (at < words.length) {
    const word = words[at]!;
    if (word === '--') return at + 1;
    if (word.startsWith('-')) at += valued.test(word) ? 2 : 1;
    else if (assigned?.test(word)) at += 1;
    else break;
  }
  return at;
}

const KEYWORD = /^(if|then|elif|else|while|until|do|!|\{|\w+\+?=.*)$/s;
/** However a script calls its interpreter, `$PYTHON` or `"${PY:-python3}"`. */
const INTERPRETER = /^\$[({]?\w{0,60}PY(THON)?\w{0,60}(:?-[^)}]*)?[)}]?$/i;

export interface Unwrapped {
  readonly words: readonly Word[];
  /** How many words at the beginning stand for something that the command line does not have, like `python` for `coverage run`. */
  readonly supplied: number;
  /** The innermost program that was taken off, like `hatch`; empty where there was none. */
  readonly by: string;
}

/** One in another: nobody starts a program by way of more. */
const MOST_WRAPPERS = 20;

/** A simple command without what only starts it; empty where nothing is left. */
export function unwrapped(command: readonly Word[]): Unwrapped {
  let words = command;
  let by = '';
  for (let left = MOST_WRAPPERS; ; left--) {
    const first = words.findIndex((word) => !KEYWORD.test(word.text));
    if (first !== 0) words = first < 0 ? [] : words.slice(first);
    const texts = words.map((word) => word.text);
    if (texts.length === 0 || left === 0) return { words, supplied: 0, by };
    if (INTERPRETER.test(texts[0]!)) {
      words = [{ start: words[0]!.start, end: words[0]!.end, text: 'python' }, ...words.slice(1)];
      continue;
    }
    const measured = coverageRun(texts);
    if (measured !== undefined) {
      const before = words[measured - 1]!;
      return {
        words: [{ start: before.start, end: before.end, text: 'python' }, ...words.slice(measured)],
        supplied: 1,
        by: 'coverage',
      };
    }
    const program = programOf(texts[0]);
    const exec = /^(pnpm|yarn|npm|bun)$/.test(program) && /^(exec|x)$/.test(texts[1] ?? '');
    const own = exec ? options(texts, 2, /^$/) : Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program]!(texts) : 0;
    if (own === 0) return { words, supplied: 0, by };
    words = words.slice(own);
    by = program;
  }
}

/** `coverage run --branch -m pytest`: where the words of the interpreter begin, behind the options of coverage. */
function coverageRun(words: readonly string[]): number | undefined {
  const at = words.findIndex((word, index) => index < 5 && /^coverage[\d.]*$/.test(programOf(word)));
  const started = at === 0 || (at > 0 && words[at - 1] === '-m' && programOf(words[0]) === 'python');
  if (!started || words[at + 1] !== 'run') return undefined;
  let next = at + 2;
  while (next < words.length && words[next]!.startsWith('-') && words[next] !== '-m') {
    next += /^--(source|include|omit|rcfile|concurrency|context|data-file)$/.test(words[next]!) ? 2 : 1;
  }
  return next;
}
