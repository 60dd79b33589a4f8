import { preview } from '../clip';
import type { Tool, ToolTable } from '../tools';
import { type FoundCall, type Problem, readCall, toolNamed, WRAPPER } from './found-call';

const OPEN = /<function=([^<>\n]{0,200})>/;
const WRAPPED = new RegExp(`(?:(?:${WRAPPER})\\s*|(?<![^\\n])[ \\t]*\`{3,}(?:xml|html|text)?[ \\t]*\\n)+$`, 'i');
const UNWRAPPED = new RegExp(`^(?:\\s*(?:${WRAPPER})|[ \\t]*\\n[ \\t]*\`{3,}[ \\t]*(?=\\n|$))+`, 'i');

/**
 * The first call that is written as `<function=NAME>` with `<parameter=NAME>` values in it, nothing escaped, as SWE-agent-LM
 * and Qwen Coder write it; or with one JSON object, as Llama does. A wrapper around it belongs to it. `cut` says that the
 * reply was ended by the output limit.
 */
export function findFunctionTags(content: string, table: ToolTable, cut: boolean): FoundCall | Problem {
  const open = OPEN.exec(content);
  if (!open) return { code: 'missing_action', problem: 'Your reply has no function call.' };
  const named = toolNamed(table, open[1] ?? '');
  if ('code' in named) return named;
  const from = open.index + open[0].length;
  const body = jsonBody(content, from, named.tool, table) ?? readParameters(content, from, named.tool, cut);
  if ('code' in body) return body;
  const wrapper = WRAPPED.exec(content.slice(Math.max(0, open.index - 200), open.index))?.[0] ?? '';
  const rest = content.slice(body.end);
  const end = body.end + (wrapper === '' ? '' : (UNWRAPPED.exec(rest)?.[0] ?? '')).length;
  const after = content.slice(end);
  const more = after.match(/<function=[^<>\n]{0,200}>/g)?.length ?? 0;
  if (more === 0 && /<\/(?:parameter|function)>/.test(after)) return misplaced(after);
  return {
    tool: named.tool,
    args: body.args,
    start: open.index - wrapper.length,
    end,
    more,
    lenient: [...named.lenient, ...body.lenient],
  };
}

interface Body {
  readonly args: Record<string, unknown>;
  /** Offset behind the call's closing tag. */
  readonly end: number;
  readonly lenient: FoundCall['lenient'];
}

function jsonBody(text: string, from: number, tool: Tool, table: ToolTable): Body | undefined {
  const close = text.indexOf('</function>', from);
  if (close < 0 || !/^\s*\{/.test(text.slice(from, close))) return undefined;
  const read = readCall({ name: tool.name, args: text.slice(from, close) }, table);
  if ('code' in read) return undefined;
  return { args: read.args, end: close + '</function>'.length, lenient: ['arguments'] };
}

/** Reads parameters from `from` to the closing tag, which servers that stop at it leave out. */
function readParameters(text: string, from: number, tool: Tool, cut: boolean): Body | Problem {
  const args = new Map<string, string>();
  const next = /\s*(?:<\/function>|(?=<\/tool_calls?>)|<parameter=([^<>\n]{0,200})>|$)/y;
  let at = from;
  for (;;) {
    next.lastIndex = at;
    const hit = next.exec(text);
    if (!hit) return misplaced(text.slice(at));
    at = next.lastIndex;
    if (hit[1] === undefined) {
      if (hit[0].trim() === '' && cut) return unclosed(tool, '</function>');
      return { args: Object.fromEntries(args), end: at, lenient: [] };
    }
    const name = hit[1].trim();
    if (args.has(name)) {
      return {
        code: 'invalid_arguments',
        problem: `The parameter "${preview(name, 60)}" of ${tool.name} is given twice.`,
      };
    }
    const end = valueEnd(text, at);
    if (end === undefined) return unclosed(tool, '</parameter>');
    args.set(name, text.slice(at, end).replace(/^\n/, '').replace(/\n$/, ''));
    at = end + '</parameter>'.length;
  }
}

/** The first closing tag that something a call goes on with follows: values may hold tags themselves. */
function valueEnd(text: string, from: number): number | undefined {
  const close = /<\/parameter>(?=(\s*)(?:<\/function>|<\/tool_calls?>|<parameter=|$))/g;
  close.lastIndex = from;
  return close.exec(text)?.index;
}

function misplaced(text: string): Problem {
  return {
    code: 'invalid_arguments',
    problem: `The call holds text outside of its parameters, or a value with a closing tag in it, near: ${preview(text.trim(), 120)}`,
  };
}

function unclosed(tool: Tool, tag: string): Problem {
  return { code: 'invalid_arguments', problem: `The call of ${tool.name} is not complete: ${tag} is missing.` };
}
