import type { FormatErrorCode, Lenience, RawReply } from '../../contract/step';
import { preview } from '../clip';
import { objectAt } from '../json';
import { findTool, type Tool, type ToolTable } from '../tools';

/** The first call of a reply, and where it stands in what was said. */
export interface FoundCall {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly start: number;
  readonly end: number;
  /** The thought, where it is not the text around the call. */
  readonly thought?: string;
  /** Calls that follow it. */
  readonly more: number;
  /** What was read although it is not as it should be. */
  readonly lenient: readonly Lenience[];
}

export interface Problem {
  readonly code: FormatErrorCode;
  readonly problem: string;
}

/** A call as it was written: a name, and arguments as JSON or value by value. */
export interface WrittenCall {
  readonly name: string;
  readonly args: string | Record<string, unknown>;
}

/** What families put before the names of their tags, and DeepSeek around them. */
export const NAMESPACE = String.raw`(?:\w{1,20}:|[|｜]\s?DSML\s?[|｜]\s?)?`;
/** A tag or token that stands around calls and says that they are some: it is a part of neither thought nor call. */
export const WRAPPER = String.raw`(?:function(?=<[|｜]tool))?<\/?${NAMESPACE}[|｜]?\/?(?:start_|end_)?(?:tools?|functions?|action|python|plugin)(?:[_▁]?(?:calls?|section|begin|end|start|tag|prefix|suffix|sep)){0,3}[|｜]?>|<\|(?:open|close)\|>tools<\|sep\|>`;

/** Finds the tool and the arguments of a call, reading past what servers and weak models put around them. */
export function readCall(
  written: WrittenCall,
  table: ToolTable,
): Pick<FoundCall, 'tool' | 'args' | 'lenient'> | Problem {
  const named = toolNamed(table, written.name);
  if ('code' in named) return named;
  const { tool } = named;
  if (typeof written.args !== 'string') return { ...named, args: written.args };
  const text = written.args.trim();
  const read = text === '' && tool.params.length === 0 ? { value: {} } : readArgumentsObject(text);
  if (typeof read === 'string') {
    const shown = preview(written.args, 200) || '(nothing)';
    return { code: 'invalid_arguments', problem: `The arguments of ${tool.name} are ${read}: ${shown}` };
  }
  return { tool, args: read.value, lenient: [...named.lenient, ...(read.loose ? (['arguments'] as const) : [])] };
}

/** The first call that the server read out of the reply. */
export function findNativeCall({ content, toolCalls }: RawReply, tools: ToolTable): FoundCall | Problem {
  const [call, ...more] = toolCalls;
  if (!call) return { code: 'missing_action', problem: 'Your reply has no tool call.' };
  const read = readCall({ name: call.name, args: call.arguments }, tools);
  const thought = content ?? '';
  return 'code' in read ? read : { ...read, thought, start: thought.length, end: thought.length, more: more.length };
}

/** Finds the tool that a reply names, or says which there are. */
export function toolNamed(table: ToolTable, name: string): Pick<FoundCall, 'tool' | 'lenient'> | Problem {
  const exact = findTool(table, name);
  if (exact) return { tool: exact, lenient: [] };
  const meant = findTool(table, withoutDirt(name));
  if (meant) return { tool: meant, lenient: ['name'] };
  const names = [...table.keys()].join(', ');
  return { code: 'unknown_tool', problem: `There is no tool "${preview(name, 60)}"; the tools are ${names}.` };
}

/** `functions.bash:0`, `bash<|channel|>commentary`, `"Bash"`, `bash()`: the name that was meant. */
function withoutDirt(name: string): string {
  const [bare = ''] = name.slice(0, 300).split(/<[|｜/]|[\n(]/);
  return bare
    .replace(/^[\s"'`*]+|[\s"'`*]+$/g, '')
    .replace(/^(?:functions?|tools?|default_api|multi_tool_use)[.:/]/, '')
    .replace(/[:#]\d{1,6}$/, '')
    .toLowerCase();
}

/** What may stand behind an object without being a part of it: tags, tokens and fences that a server let through. */
const DIRT = /^(?:\s|<\/?[\w:]{1,40}>|<[|｜][^<>\n]{1,60}[|｜]>|`|\})*$/;

function readArgumentsObject(text: string): { value: Record<string, unknown>; loose?: true } | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = /^`{3,}\w{0,20}\s/.exec(text)?.[0].length ?? 0;
    const object = text[at] === '{' ? objectAt(text, at) : null;
    return object && DIRT.test(text.slice(object.end)) ? { value: object.value, loose: true } : 'not valid JSON';
  }
  if (isObject(value)) return { value };
  // Some servers encode what is encoded already.
  const inner =
    typeof value === 'string' && value.trimStart().startsWith('{') ? readArgumentsObject(value.trim()) : null;
  return inner === null || typeof inner === 'string' ? 'not a JSON object' : { value: inner.value, loose: true };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
