import { objectsIn } from '../json';
import { findTool, type ToolTable } from '../tools';
import { type FoundCall, type Problem, readCall, toolNamed, type WrittenCall } from './found-call';
import { findFunctionTags } from './function-tags';

/** One form in which a family of models writes calls when no server reads them. */
interface Form {
  /** Finds every call: the groups `name`, `end` (missing where the reply broke off) and `args`, or `body` with `values`. */
  readonly call: RegExp;
  /** The values in a `body`: the groups `key` and `value`. */
  readonly values?: RegExp;
}

/** What a server's tool parser would have read, had it been started with one. A row a form; the first that fits reads. */
const FORMS: Readonly<Record<string, Form>> = {
  'Kimi K2': {
    call: /<\|tool_call_begin\|>\s*(?<name>[^<\s]{1,200})\s*<\|tool_call_argument_begin\|>(?<args>[\s\S]*?)(?:(?<end><\|tool_call_end\|>)|$)/g,
  },
  DeepSeek: {
    call: /<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?<name>[^<\s]{1,200})\s{0,5}(?:<｜tool▁sep｜>|```json\n)(?<args>[\s\S]*?)(?:(?<end><｜tool▁call▁end｜>)|$)/g,
  },
  'gpt-oss': {
    call: /<\|channel\|>commentary to=(?<name>[^<\s]{1,200})[^<]{0,40}(?:<\|constrain\|>json)?<\|message\|>(?<args>[\s\S]*?)(?:(?<end><\|call\|>)|$)/g,
  },
  GLM: {
    call: /<tool_call>\s{0,5}(?<name>[\w.:-]{1,200})\s{0,5}(?<body><arg_key>[\s\S]*?)(?:(?<end><\/tool_call>)|$)/g,
    values: /<arg_key>(?<key>[^<]{0,200})<\/arg_key>\s*<arg_value>(?<value>[\s\S]*?)<\/arg_value>/g,
  },
  'MiniMax, Claude': {
    call: /<(?:\w{1,20}:)?invoke name="(?<name>[^"<>\n]{1,200})">(?<body>[\s\S]*?)(?:(?<end><\/(?:\w{1,20}:)?invoke>)|$)/g,
    values: /<(?:\w{1,20}:)?parameter name="(?<key>[^"<>\n]{1,200})">(?<value>[\s\S]*?)<\/(?:\w{1,20}:)?parameter>/g,
  },
  Mistral: {
    call: /\[TOOL_CALLS\]\s{0,5}(?<name>[\w.:-]{1,200})(?:\[CALL_ID\]\w{0,40})?(?:\[ARGS\])?(?<args>\s{0,5}\{[\s\S]*?)(?=\[TOOL_CALLS\]|$)(?<end>)/g,
  },
};

/** Where text begins to be a call in one of these forms: what follows are values, whatever they hold. */
export const CALL_BEGINS =
  /<tool_call>|<function=|<(?:\w{1,20}:)?invoke name=|\[TOOL_CALLS\]|<\|tool_call_begin\|>|<｜tool▁call▁begin｜>|<\|channel\|>commentary to=|<\|python_tag\|>/g;

/**
 * The first call that is written as text, whatever dialect was asked for; undefined where there is none. Nothing is guessed
 * at: a call names a tool that exists and is whole.
 */
export function findTextCall(content: string, table: ToolTable, cut: boolean): FoundCall | Problem | undefined {
  if (/<function=[^<>\n]{0,200}>/.test(content)) return asText(findFunctionTags(content, table, cut));
  for (const form of Object.values(FORMS)) {
    const calls = [...content.matchAll(form.call)];
    const [first] = calls;
    if (!first?.groups) continue;
    const { name = '', end } = first.groups;
    if (end === undefined && cut) return { code: 'invalid_arguments', problem: 'The call is not complete.' };
    const read = readCall({ name, args: argumentsOf(form, first.groups) }, table);
    if ('code' in read) return read;
    const place = withSection(content, first.index, first.index + first[0].length);
    return asText({ ...read, ...place, more: calls.length - 1 });
  }
  return findJsonCall(content, table);
}

/** What some of these forms put around all calls of a reply. */
const SECTION = {
  begins:
    /(?:<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>|<(?:\w{1,20}:)?(?:tool_call|function_calls)>)\s{0,5}$/,
  ends: /^\s{0,5}(?:<\|tool_calls_section_end\|>|<｜tool▁calls▁end｜>|<\/(?:\w{1,20}:)?(?:tool_call|function_calls)>)/,
};

/** A call with the section that is around it alone: neither is a part of the thought. */
function withSection(content: string, start: number, end: number): { readonly start: number; readonly end: number } {
  const before = SECTION.begins.exec(content.slice(Math.max(0, start - 100), start))?.[0] ?? '';
  const after = SECTION.ends.exec(content.slice(end, end + 100))?.[0] ?? '';
  return { start: start - before.length, end: end + after.length };
}

function argumentsOf({ values }: Form, { args = '', body = '' }: Record<string, string>): WrittenCall['args'] {
  if (!values) return args;
  const given = [...body.matchAll(values)].map(({ groups }) => [groups!.key!.trim(), unframed(groups!.value!)]);
  return Object.fromEntries(given);
}

/** A value without the line ends that only set it off. */
function unframed(value: string): string {
  return value.replace(/^\n/, '').replace(/\n$/, '');
}

const NAMES = ['name', 'tool', 'function', 'tool_name'] as const;
const ARGUMENTS = ['arguments', 'parameters', 'args', 'input', 'tool_input'] as const;

/** `{"name": …, "arguments": …}`, bare, in a fence or in the tags of Hermes, Qwen, Llama and Mistral. */
function findJsonCall(content: string, table: ToolTable): FoundCall | Problem | undefined {
  const objects = objectsIn(content).found.flatMap((object) => {
    const call = callIn(object.value, table);
    return call ? [{ ...call, ...object }] : [];
  });
  // Any object may have a name: it is a call where a tool has that name, or where the text says that it is one.
  const known = objects.filter(({ name }) => !('code' in toolNamed(table, name)));
  const calls = known.length > 0 || content.search(CALL_BEGINS) < 0 ? known : objects;
  const [first] = calls;
  if (!first) return undefined;
  const read = readCall(first, table);
  if ('code' in read) return read;
  const before = /(?:<tool_call>|<\|python_tag\|>|\[TOOL_CALLS\]|\[|`|json|\s){1,20}$/.exec(
    content.slice(Math.max(0, first.start - 100), first.start),
  )?.[0];
  const after = /^(?:<\/tool_call>|\]|`|;|\s){1,20}/.exec(content.slice(first.end, first.end + 100))?.[0];
  const place = { start: first.start - (before ?? '').length, end: first.end + (after ?? '').length };
  return asText({ ...read, ...place, more: calls.length - 1 });
}

function callIn(object: Record<string, unknown>, table: ToolTable): WrittenCall | undefined {
  // The OpenAI shape has both inside of `function`.
  const within = object.function;
  if (typeof within === 'object' && within !== null) return callIn(within as Record<string, unknown>, table);
  const name = NAMES.map((key) => object[key]).find((value) => typeof value === 'string');
  const args = ARGUMENTS.map((key) => object[key]).find((value) => value !== undefined);
  if (typeof name !== 'string') return undefined;
  if (typeof args === 'string' || (typeof args === 'object' && args !== null && !Array.isArray(args))) {
    return { name, args: args as WrittenCall['args'] };
  }
  return args === undefined && findTool(table, name)?.params.length === 0 ? { name, args: {} } : undefined;
}

function asText(found: FoundCall | Problem): FoundCall | Problem {
  return 'code' in found ? found : { ...found, lenient: ['call_as_text', ...found.lenient] };
}
