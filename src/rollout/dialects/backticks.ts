import type { Action } from '../../contract/step';
import { preview } from '../clip';
import { linesOutsideDocuments, quote, splitShell } from '../shell';
import { TOOLS, type Tool, type ToolTable } from '../tools';
import { defineDialect } from './dialect';
import type { Problem } from './found-call';

/** A thought and one fenced block that holds the action as a shell-like line (SWE-agent's `thought_action`). */
export const backticks = defineDialect({
  name: 'backticks',
  unit: 'command block',
  howTo: [
    'Write your reasoning, then exactly one block between ``` lines that holds one command:',
    '```\nls\n```',
  ].join('\n'),
  documentation,
  toolParameter: () => undefined,
  renderObservation: (_, content) => ({ role: 'user', content }),
  write: ({ thought, action }) => {
    const line = writeLine(action);
    const fence = '`'.repeat(Math.max(3, longestFence(line) + 1));
    return { role: 'assistant', content: `${thought === '' ? '' : `${thought}\n\n`}${fence}\n${line}\n${fence}` };
  },
  /** We write a longer fence around a fence, as Markdown has it; the readers models are deployed with know only three. */
  misleads: (action) => longestFence(writeLine(action)) > 0,
  begins: /(?<![^\n])`{3,}/g,
  find(reply, table) {
    const blocks = fencedBlocks(reply.content ?? '');
    const shells = blocks.filter(({ tag }) => SHELL_TAGS.has(tag));
    const named = shells.filter(({ tag }) => tag !== '');
    // Code is quoted in blocks without a tag: beside a block that says it is a shell's they are part of the thought.
    const quoted = named.length === 1 && shells.length > 1;
    const [block, ...more] = quoted ? named : shells;
    if (!block) return { code: 'missing_action', problem: noBlock(blocks) };
    if (!block.closed) return { code: 'missing_action', problem: 'The command block has no closing ``` line.' };
    const call = readLine(block.text, table);
    if ('code' in call) return call;
    const { start, end } = block;
    return { ...call, start, end, more: more.length, lenient: quoted ? ['quoted_blocks'] : [] };
  },
});

function noBlock([other]: readonly Block[]): string {
  return other
    ? `The block must hold a shell command, in \`\`\`bash; yours is marked ${preview(other.tag, 30)}.`
    : 'Your reply has no block between ``` lines.';
}

interface Block {
  /** The word behind the opening fence, '' without one. */
  readonly tag: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly closed: boolean;
}

/** Fences with another language than a shell's are part of the thought. */
const SHELL_TAGS = new Set(['', 'bash', 'sh', 'shell', 'console', 'zsh', 'shell-session']);

function fencedBlocks(content: string): Block[] {
  const fences = [...content.matchAll(/(?<![^\n])(`{3,})[ \t]*([^\s`]*)[ \t\r]*(?![^\n])/g)];
  const places = new Map(fences.map((fence, i) => [fence.index, i]));
  const blocks: Block[] = [];
  let patience = 4 * content.length;
  for (let at = 0; at < fences.length; at += 1) {
    const open = fences[at]!;
    const tag = open[2]!.toLowerCase();
    const start = open.index + open[0].length + 1;
    const closes = (i: number) => fences[i]![2] === '' && fences[i]![1]!.length >= open[1]!.length;
    let end = at + 1;
    while (end < fences.length && !closes(end)) end += 1;
    const first = fences[end];
    if (first && SHELL_TAGS.has(tag) && content.slice(start, first.index).includes('<<')) {
      // A fence inside of a here-document is its text; where none stands outside of it, it was none.
      for (const line of linesOutsideDocuments(content, start)) {
        const here = places.get(line);
        const outside = here !== undefined && closes(here);
        if (outside) end = here;
        if (outside || line - start > patience) break;
      }
      patience -= content.length - start;
    }
    const close = fences[end];
    const inner = close ? content.slice(start, Math.max(start, close.index - 1)) : '';
    blocks.push({
      tag,
      text: open[0].endsWith('\r') ? inner.replace(/\r(?=\n|$)/g, '') : inner,
      start: open.index,
      end: close ? close.index + close[0].length : content.length,
      closed: close !== undefined,
    });
    at = end;
  }
  return blocks;
}

/** Backticks of the longest line that would read as a fence, 0 without one. */
function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/(?<![^\n])`{3,}/g)].map((hit) => hit[0].length));
}

function writeLine({ tool: name, args }: Action): string {
  const line = TOOLS.get(name)?.line ?? { positional: [], options: Object.keys(args) };
  if ('raw' in line) return String(args[line.raw]);
  const words = [name, ...line.positional.map((arg) => quote(String(args[arg])))];
  for (const option of line.options) {
    const value = args[option];
    if (value === undefined) continue;
    words.push(`--${option}`, ...(Array.isArray(value) ? value.map(String) : [quote(String(value))]));
  }
  return words.join(' ');
}

/** A block that starts with the name of a tool of words is that call; every other one goes to bash as it stands. */
function readLine(text: string, table: ToolTable): { tool: Tool; args: Record<string, unknown> } | Problem {
  if (text.trim() === '') return { code: 'missing_action', problem: 'The command block is empty.' };
  const named = table.get(/^\s*(\S+)/.exec(text)?.[1] ?? '');
  if (named && 'positional' in named.line) return readWords(text, named, named.line.positional);
  for (const tool of table.values()) if ('raw' in tool.line) return { tool, args: { [tool.line.raw]: text } };
  return { code: 'unknown_tool', problem: 'There is no tool that runs commands.' };
}

function readWords(text: string, tool: Tool, positional: readonly string[]) {
  const { tokens, unclosed } = splitShell(text.trim());
  if (unclosed) return invalid(`a ${unclosed} quote of ${tool.name} is not closed; quote values as for a POSIX shell`);
  const words: string[] = [];
  for (const token of tokens) {
    if ('operator' in token) {
      const shown = token.operator === '\n' ? 'a second line' : `\`${token.operator}\``;
      return invalid(
        `${tool.name} must be alone in its block, but ${shown} follows; quote values as for a POSIX shell`,
      );
    }
    words.push(token.word);
  }
  const args = new Map<string, unknown>();
  const names = [...positional];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at]!;
    const option = /^--(\w+)(?:=([\s\S]*))?$/.exec(word);
    const name = option?.[1] ?? names.shift();
    if (name === undefined) {
      return {
        code: 'unexpected_argument' as const,
        problem: `${tool.name} does not take "${preview(word, 80)}" there.`,
      };
    }
    if (args.has(name)) return invalid(`--${preview(name, 60)} is given twice`);
    if (!option) args.set(name, word);
    else if (option[2] !== undefined) args.set(name, option[2]);
    else if (tool.params.find((param) => param.name === name)?.type === 'integers') {
      const values: string[] = [];
      while (at + 1 < words.length && /^[[(]?[+-]?\d[\d\s,+-]*[\])]?$/.test(words[at + 1]!)) values.push(words[++at]!);
      args.set(name, values.length === 0 ? [] : values.join(' '));
    } else if (at + 1 < words.length) args.set(name, words[++at]!);
    else return { code: 'missing_argument' as const, problem: `--${preview(name, 60)} of ${tool.name} has no value.` };
  }
  return { tool, args: Object.fromEntries(args) };
}

function invalid(problem: string): Problem {
  return { code: 'invalid_arguments', problem: `The command was not run: ${problem}.` };
}

/** SWE-agent's `command_docs`. */
function documentation(table: ToolTable): string {
  const blocks = [...table.values()].map((tool) => {
    const lines = [
      `${tool.name}:`,
      `  docstring: ${tool.manual.replace(/\n(?=.)/g, '\n    ')}`,
      `  signature: ${signature(tool)}`,
    ];
    if (tool.params.length > 0) lines.push('  arguments:');
    for (const { name, type, required, description } of tool.params) {
      const kind = type === 'integers' ? 'array' : type;
      lines.push(`    - ${name} (${kind}) [${required ? 'required' : 'optional'}]: ${description}`);
    }
    return lines.join('\n');
  });
  return blocks.join('\n\n');
}

function signature({ name, line }: Tool): string {
  if ('raw' in line) return `<${line.raw}>`;
  const options = line.options.map((option) => `[--${option} <${option}>]`);
  return [name, ...line.positional.map((arg) => `<${arg}>`), ...options].join(' ');
}
