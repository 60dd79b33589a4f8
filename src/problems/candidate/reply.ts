import type { Python } from '@pointsman/python';
import type { FunctionTarget } from '../../contract';
import { splitReasoning } from '../../rollout/reasoning';
import { dedented } from './indentation';
import { definitionIn } from './place';

export type Reading = { readonly source: string } | { readonly unreadable: string };

/**
 * Takes the code out of a model's reply: the last fenced block that defines the function, whatever its tag and even when
 * its fence is never closed; else the reply as code; else the definition that stands in its prose. What it thought
 * before is no answer.
 */
export function readCandidate(python: Python, reply: string, target: Pick<FunctionTarget, 'name'>): Reading {
  const text = reply.replace(/\r\n?/g, '\n');
  const { said, unended, unopened } = splitReasoning(text, /`{3,}/g);
  // A model that never stopped thinking may still have written the function, and a function may hold such a mark.
  const read = unended ? undefined : readAnswer(python, said, target);
  return read && !('unreadable' in read && unopened) ? read : readAnswer(python, text, target);
}

function readAnswer(python: Python, answer: string, target: Pick<FunctionTarget, 'name'>): Reading {
  const name = target.name.split('.').at(-1)!;
  const defines = (source: string) =>
    new RegExp(`\\bdef\\s+${name}\\b`).test(source) &&
    definitionIn(python.parse('reply.py', source).body, target) !== undefined;
  const blocks = fencedBlocks(answer);
  const fenced = blocks.map(dedented).findLast(defines);
  if (fenced !== undefined) return { source: ended(fenced) };
  const whole = dedented(answer);
  const bare = blocks.length === 0 && python.parse('reply.py', whole).errors.length === 0 && defines(whole);
  if (bare) return { source: ended(whole) };
  const inProse = definitionInProse(answer, name);
  if (inProse !== undefined && defines(inProse)) return { source: ended(inProse) };
  if (answer.trim() === '') return { unreadable: 'the reply is empty' };
  return { unreadable: `the reply holds no definition of ${name}` };
}

function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { mark: string; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const [, mark, info] = /^[ \t>*-]*(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (open) {
      if (mark?.startsWith(open.mark) && info!.trim() === '') {
        blocks.push(open.lines.join('\n'));
        open = undefined;
      } else open.lines.push(line);
    } else if (mark !== undefined && !info!.includes('`')) open = { mark, lines: [] };
  }
  if (open) blocks.push(open.lines.join('\n'));
  return blocks;
}

/** The last definition with what stands directly above it, down to the first line that is no part of it. */
function definitionInProse(text: string, name: string): string | undefined {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) =>
    new RegExp(`^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${name}[ \\t]*\\(`).test(line),
  );
  if (at < 0) return undefined;
  const margin = indentOf(lines[at]!);
  let from = at;
  while (from > 0 && isPreamble(lines[from - 1]!)) from--;
  let to = at + 1;
  while (to < lines.length) {
    const line = lines[to]!;
    const inside = line.trim() === '' || indentOf(line) > margin || /^[ \t]*[)\]}]/.test(line);
    const again = /^[ \t]*(?:@|(?:async[ \t]+)?def\b|class\b|import\b|from\b)/.test(line) && indentOf(line) === margin;
    if (!inside && !again) break;
    to++;
  }
  return dedented(lines.slice(from, to).join('\n'));
}

function isPreamble(line: string): boolean {
  return line.trim() === '' || /^[ \t]*(?:@\w|import [\w.]+( as \w+)?[ \t]*(,|$)|from [\w.]+ import )/.test(line);
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)![0].length;
}

function ended(source: string): string {
  return `${source.replace(/^\n+/, '').trimEnd()}\n`;
}
