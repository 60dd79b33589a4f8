import { z } from 'zod';
import { splitShell } from '../shell';
import type { Tool } from './tool';

const BashArgs = z.strictObject({
  /** Run by bash as it stands. The working directory and exported variables persist between calls. */
  command: z
    .string()
    .refine((text) => text.trim() !== '', 'the command is empty')
    .refine((text) => !text.includes('\0'), 'a command cannot hold a NUL byte'),
});

export const bash: Tool = {
  name: 'bash',
  aliases: ['execute_bash'],
  description: 'runs the given command directly in bash',
  manual: 'Execute a bash command in the terminal.',
  params: [{ name: 'command', type: 'string', required: true, description: 'The bash command to execute.' }],
  args: BashArgs,
  line: { raw: 'command' },
  does: { kind: 'command', command: (args) => String(args.command) },
  blocked: (args) => blockedReason(String(args.command)),
};

const EDITORS = new Set(['vi', 'vim', 'nvim', 'view', 'emacs', 'nano', 'pico', 'ed']);
const PAGERS = new Set(['less', 'more']);
const SCREENS = new Set(['top', 'htop', 'watch', 'screen', 'tmux']);
const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'fish']);
const CONSOLES = new Set(['python', 'python2', 'python3', 'ipython', 'node', 'irb', 'psql', 'sqlite3']);
/** Commands that run the words after them. */
const WRAPPERS = new Set(['sudo', 'exec', 'command', 'time', 'env', 'nohup']);

/**
 * Why a command that would wait for a person is refused, or undefined when it may run. Programs are recognised by the
 * command's first word after assignments, `cd … &&` and wrappers such as `sudo`. SWE-agent's list, minus what is not
 * interactive (`make`, `python -m venv`), and minus its prefix test, which also refuses `virtualenv` and `vinegar`.
 */
export function blockedReason(command: string): string | undefined {
  const found = firstProgram(command);
  if (!found) return undefined;
  const { program, args, hasInput } = found;
  if (EDITORS.has(program)) {
    return `\`${program}\` is an interactive editor and nobody can type into it. Use str_replace_editor, or sed.`;
  }
  if (PAGERS.has(program)) {
    return `\`${program}\` is an interactive pager. Use cat, head, tail or sed -n to print a part of a file.`;
  }
  if (SCREENS.has(program))
    return `\`${program}\` draws a screen and does not end by itself. Use a command that prints and exits.`;
  if (program === 'tail' && args.some((arg) => /^-[a-zA-Z]*[fF]/.test(arg) || arg.startsWith('--follow'))) {
    return '`tail -f` never ends. Use `tail -n 50` to see the last lines.';
  }
  if (program === 'gdb' && !args.some((arg) => /^--?batch/.test(arg))) {
    return '`gdb` waits for commands. Use `gdb -batch -ex …`.';
  }
  if ((program === 'r2' || program === 'radare2') && !args.includes('-c')) {
    return `\`${program}\` waits for commands. Give them with -c.`;
  }
  if (program === 'su' && !args.some((arg) => arg === '-c' || arg.startsWith('--command'))) {
    return '`su` starts an interactive shell. Give the command with -c.';
  }
  if (hasInput) return undefined;
  if (
    SHELLS.has(program) &&
    !args.some((arg) => !arg.startsWith('-') || /^-[a-z]*c$/.test(arg) || arg === '--version')
  ) {
    return `\`${program}\` without a script starts an interactive shell. You are already in one: give the command itself.`;
  }
  if (CONSOLES.has(program) && (args.length === 0 || args.every((arg) => arg === '-i' || arg === '-q'))) {
    return `\`${program}\` without arguments starts an interactive console. Write a script and run it, or pass the code with -c.`;
  }
  return undefined;
}

interface Program {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether something is redirected or piped into it, so that it does not wait. */
  readonly hasInput: boolean;
}

function firstProgram(command: string): Program | undefined {
  const { tokens } = splitShell(command.trimStart().slice(0, 4_000));
  let at = 0;
  const wordAt = (index: number) => {
    const token = tokens[index];
    return token && 'word' in token ? token.word : undefined;
  };
  while (at < tokens.length) {
    const words: string[] = [];
    for (let word = wordAt(at); word !== undefined; word = wordAt(++at)) words.push(word);
    const end = tokens[at];
    const operator = end && 'operator' in end ? end.operator : '';
    at += 1;
    if (words[0] === 'cd' && (operator === '&&' || operator === ';' || operator === '\n')) continue;
    while (words[0] !== undefined && (/^\w+=/.test(words[0]) || WRAPPERS.has(words[0]))) words.shift();
    const [first, ...args] = words;
    if (first === undefined) return undefined;
    return { program: first.slice(first.lastIndexOf('/') + 1), args, hasInput: operator.startsWith('<') };
  }
  return undefined;
}
