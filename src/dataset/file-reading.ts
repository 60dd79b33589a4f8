import type { Action } from '../contract';
import { type Pipeline, pipelinesOf, type Stage } from './pipelines';

/**
 * Whether an action does nothing but read a file (OEC, section 3.3): the editor's `view`, or a command that prints files or
 * parts of them and otherwise only looks around. Searching (`grep`), listing (`ls`, `find`) and comparing (`git diff`) are
 * not reading; with a reading command beside them the whole is one. A command that also runs or changes something is none.
 */
export function isFileRead(action: Action, observation = ''): boolean {
  const { command } = action.args;
  // A directory is listed, which the path alone does not say.
  if (action.tool === 'str_replace_editor') return command === 'view' && !LISTING.test(observation.slice(0, 200));
  return action.tool === 'bash' && typeof command === 'string' && readsFiles(command);
}

const LISTING = /^Here's the files and directories/;
/** Longer ones are scripts, and reading must stay quick. */
const MAX_CHARS = 10_000;

function readsFiles(command: string, depth = 0): boolean {
  if (command.length > MAX_CHARS || depth > 3) return false;
  const kinds = pipelinesOf(command).map((pipeline) => kindOf(pipeline, depth));
  return kinds.includes('reads') && !kinds.includes('acts');
}

/** `looks`: neither prints a file as it is nor changes anything. */
type Kind = 'reads' | 'looks' | 'acts';

function kindOf(pipeline: Pipeline, depth: number): Kind {
  if (pipeline.some(({ writesFile }) => writesFile)) return 'acts';
  const stages = pipeline.map((stage) => ({ ...stage, words: unwrapped(stage.words) }));
  const programs = stages.map((stage) => programKind(stage, depth));
  if (programs.includes('acts')) return 'acts';
  const source = programs.indexOf('reads');
  // What a search picks from a file is not the file.
  return source >= 0 && stages.slice(source + 1).every(passesOn) ? 'reads' : 'looks';
}

/** Programs that print their operands' bytes, whole or from one end; with the options that take a value. */
const PRINTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cat: '',
    tac: 's',
    nl: 'bdfhilnsvw',
    head: 'nc',
    tail: 'ncs',
    less: 'pxjhz',
    more: 'n',
    most: '',
    bat: 'rlHmp',
    batcat: 'rlHmp',
    zcat: '',
    fold: 'w',
    expand: 't',
    pr: 'lwoh',
    xxd: 'slcg',
    od: 'AjNtw',
    hexdump: 'nse',
    strings: 'nt',
  }),
);
/** Programs that tell something of files or of the repository and change nothing. */
const LOOKERS = new Set(
  'cd pushd popd pwd echo printf true : test [ [[ for case select set export clear ls tree find fd locate wc stat file du which type whereis grep egrep fgrep rg ag ack sort uniq cut tr column diff cmp basename dirname realpath readlink sleep'.split(
    ' ',
  ),
);
const GIT_LOOKERS = new Set('status log diff show blame ls-files grep branch rev-parse describe'.split(' '));

function programKind(stage: Stage, depth: number): Kind {
  const [program = '', ...args] = stage.words;
  if (program === '') return 'looks';
  const valued = PRINTERS.get(program);
  if (valued !== undefined) return stage.readsFile || hasOperand(args, valued) ? 'reads' : 'looks';
  if (program === 'sed') return sedKind(args, stage.readsFile);
  if (/^[gmn]?awk$/.test(program)) return awkKind(args, stage.readsFile);
  if (program === 'git') return gitKind(args);
  if (/^([bd]a|z)?sh$/.test(program)) {
    const script = args[args.findIndex((arg) => /^-[a-z]*c$/.test(arg)) + 1];
    if (script === undefined || !args.some((arg) => /^-[a-z]*c$/.test(arg))) return 'acts';
    return readsFiles(script, depth + 1) ? 'reads' : 'acts';
  }
  if (program === 'xargs') return handedOn(args.slice(firstProgram(args)));
  if (program === 'find' && args.some((arg) => /^-(delete|ok|fprint)/.test(arg))) return 'acts';
  if (program === 'find' && args.some((arg) => /^-exec/.test(arg))) {
    return handedOn(args.slice(args.findIndex((arg) => /^-exec/.test(arg)) + 1));
  }
  if (isWholeSearch(program, args)) return 'reads';
  return LOOKERS.has(program) ? 'looks' : 'acts';
}

/** A program that is given the names of files by another one. */
function handedOn(words: readonly string[]): Kind {
  const [program = ''] = words;
  if (PRINTERS.has(program) || program === 'sed')
    return programKind({ words: [...words, 'file'], readsFile: false, writesFile: false }, 3);
  return LOOKERS.has(program) ? 'looks' : 'acts';
}

/** A later stage that only cuts a piece out of what it is given, by place. */
function passesOn({ words }: Stage): boolean {
  const [program = '', ...args] = words;
  if (PRINTERS.has(program) || ['cut', 'tr', 'column'].includes(program)) return true;
  if (program === 'sed') return sedKind(args, true) === 'reads';
  if (/^[gmn]?awk$/.test(program)) return awkKind(args, true) === 'reads';
  return isWholeSearch(program, args);
}

/** A command of a sed script that prints or leaves out lines, with its addresses: numbers, `$`, steps and patterns. */
const ADDRESS = String.raw`(?:\d+~\d+|\d+|\$|[+~]\d+|/(?:[^/\\]|\\.)*/I?)`;
const SED_PRINTS = new RegExp(`^(?:${ADDRESS}(?:\\s*,\\s*${ADDRESS})?)?\\s*!?\\s*[pdq=l]?$`);

function printsLines(script: string): boolean {
  return script.split(/[;{}\n]/).every((command) => SED_PRINTS.test(command.trim()));
}

function sedKind(args: readonly string[], readsFile: boolean): Kind {
  const scripts: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (/^(-[a-zA-Z]*i|--in-place)/.test(arg) || /^-[a-zA-Z]*f$/.test(arg)) return 'acts';
    if (/^(-[a-zA-Z]*e|--expression)$/.test(arg)) scripts.push(args[++at] ?? '');
    else if (arg.startsWith('--expression=')) scripts.push(arg.slice('--expression='.length));
    else if (!arg.startsWith('-') || arg === '-') operands.push(arg);
  }
  if (scripts.length === 0) scripts.push(operands.shift() ?? '');
  if (!scripts.every(printsLines)) return scripts.some((script) => /[wWe]\s*\S*$/.test(script)) ? 'acts' : 'looks';
  return readsFile || operands.length > 0 ? 'reads' : 'looks';
}

/** An awk program that prints lines by their number: nothing is left once that is taken out of it. */
const AWK_PRINTS = /(?:NR|FNR|printf?|exit|next|\$0|""|\d+|[<>=!&|;,{}()\s%+-])/g;

function awkKind(args: readonly string[], readsFile: boolean): Kind {
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    if (/^-[vF]$/.test(args[at]!)) at += 1;
    else if (!args[at]!.startsWith('-')) rest.push(args[at]!);
  }
  const [program = '', ...files] = rest;
  const bare = program.replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g, '""');
  if (/(?:>|\|)\s*""|system|getline/.test(bare)) return 'acts';
  if (bare.replace(AWK_PRINTS, '') !== '') return 'looks';
  return readsFile || files.length > 0 ? 'reads' : 'looks';
}

/** `git show REV:path` prints a file; what else looks, looks. */
function gitKind(args: readonly string[]): Kind {
  const words = args.filter(
    (arg, i) => arg !== '--no-pager' && arg !== '-C' && arg !== '-c' && !['-C', '-c'].includes(args[i - 1] ?? ''),
  );
  const [verb = '', ...rest] = words;
  if (!GIT_LOOKERS.has(verb)) return 'acts';
  return verb === 'show' && rest.some((arg) => /^[^-][^:]*:./.test(arg)) ? 'reads' : 'looks';
}

/** `grep -n "" file` and its like print every line. */
function isWholeSearch(program: string, args: readonly string[]): boolean {
  if (!/^[ef]?grep$/.test(program)) return false;
  const [pattern, ...files] = args.filter((arg) => !arg.startsWith('-'));
  return pattern !== undefined && ['', '.', '.*', '^', '$'].includes(pattern) && files.length > 0;
}

function hasOperand(args: readonly string[], valued: string): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') return at + 1 < args.length;
    if (arg.length === 2 && arg[0] === '-' && valued.includes(arg[1]!)) at += 1;
    else if (!arg.startsWith('-') && !/^\+\d*$/.test(arg)) return true;
  }
  return false;
}

/** What is run by programs that run another one. */
function unwrapped(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words;
  if (!['sudo', 'command', 'exec', 'env', 'nice', 'nohup', 'timeout', 'stdbuf', 'time'].includes(program)) return words;
  const inner = rest.slice(firstProgram(rest, program === 'timeout'));
  return inner.length > 0 ? unwrapped(inner) : words;
}

/** Index of the first word that is neither option, assignment nor (of `timeout`) a duration. */
function firstProgram(words: readonly string[], timed = false): number {
  const at = words.findIndex(
    (word) => !/^-|^\w+=/.test(word) && !(timed && /^[\d.]+[smhd]?$/.test(word)) && !/^\d+$|^\{\}$/.test(word),
  );
  return at < 0 ? words.length : at;
}
