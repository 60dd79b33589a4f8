import { objectsIn } from '../json';
import { findTool, type ToolTable } from '../tools';
import {
  type FoundCall,
  isObject,
  NAMESPACE,
  type Problem,
  readCall,
  toolNamed,
  WRAPPER,
  type WrittenCall,
} from './found-call';
import { findFunctionTags } from './function-tags';
import { namedArguments } from './named-arguments';

/** One form in which a family of models writes calls when no server reads them. */
interface Form {
  /** Finds every call: the groups `name`, `end` (missing where the reply broke off) and `args`, or `body` with `values`. */
  readonly call: RegExp;
  /** The values in a `body`: the groups `key`, `value` and `end`. */
  readonly values?: RegExp;
}

/** What a server's tool parser would have read, had it been started with one. A row a form; the first that fits reads. */
const FORMS: Readonly<Record<string, Form>> = {
  'Kimi K2': {
    call: /<\|tool_call_begin\|>\s*(?<name>[^<\s]{1,200})\s*<\|tool_call_argument_begin\|>(?<args>[\s\S]*?)(?:(?<end><\|tool_call_end\|>)|$)/g,
  },
  'Kimi K3': {
    call: /<\|open\|>call tool="(?<name>[^"<>\n]{1,200})"[^<\n]{0,60}<\|sep\|>(?<body>[\s\S]*?)(?:(?<end><\|close\|>call<\|sep\|>)|$)/g,
    values:
      /<\|open\|>argument key="(?<key>[^"<>\n]{1,200})"[^<\n]{0,60}<\|sep\|>(?<value>[\s\S]*?)(?:(?<end><\|close\|>argument<\|sep\|>)|$)/g,
  },
  DeepSeek: {
    call: /<[|｜]tool[▁_]call[▁_]begin[|｜]>(?:function<[|｜]tool[▁_]sep[|｜]>)?(?!function<)(?<name>[^<\s]{1,200})\s{0,5}(?:<[|｜]tool[▁_]sep[|｜]>|```json\n)(?<args>[\s\S]*?)(?:(?<end><[|｜]tool[▁_]call[▁_]end[|｜]>)|$)/g,
  },
  'gpt-oss': {
    call: /(?:<\|start\|>assistant|<\|channel\|>\w{1,20}|(?<![^\n])) ?to=(?<name>[^<\s]{1,200})[^<\n]{0,40}(?:<\|channel\|>\w{1,20}[^<\n]{0,20})?(?:<\|constrain\|>\w{0,10})?<\|message\|>(?<args>[\s\S]*?)(?:(?<end><\|call\|>)|$)/g,
  },
  'GLM, with values': {
    call: /<tool_call>\s{0,5}(?<name>[\w.:-]{1,200})\s{0,5}(?<body><arg_key>[\s\S]*?)(?:(?<end><\/tool_call>)|$)/g,
    values: /<arg_key>(?<key>[^<]{0,200})<\/arg_key>\s*<arg_value>(?<value>[\s\S]*?)(?:(?<end><\/arg_value>)|$)/g,
  },
  'Hunyuan, GLM before': {
    call: /<tool_call>\s{0,5}(?<name>[\w.:-]{1,200})\s{0,5}(?<args>(?:```json\s{1,5})?\{[\s\S]*?)(?:(?<end><\/tool_call>)|$)/g,
  },
  'MiniMax M3': {
    call: /\]<\]minimax\[>\[<invoke name="(?<name>[^"<>\n]{1,200})">(?<body>[\s\S]*?)(?:(?<end>\]<\]minimax\[>\[<\/invoke>)|$)/g,
    values: /\]<\]minimax\[>\[<(?<key>\w{1,100})>(?<value>[\s\S]*?)(?:(?<end>\]<\]minimax\[>\[<\/\k<key>>)|$)/g,
  },
  'MiniMax M2, DeepSeek since V3.2, Step, Claude': {
    call: new RegExp(
      String.raw`<${NAMESPACE}invoke name="(?<name>[^"<>\n]{1,200})">(?<body>[\s\S]*?)(?:(?<end></${NAMESPACE}invoke>)|$)`,
      'g',
    ),
    values: new RegExp(
      String.raw`<${NAMESPACE}parameter name="(?<key>[^"<>\n]{1,200})"(?: string="\w{1,5}")?>(?<value>[\s\S]*?)(?:(?<end></${NAMESPACE}parameter>)|$)`,
      'g',
    ),
  },
  Mistral: {
    call: /\[TOOL_CALLS\]\s{0,5}(?<name>[\w.:-]{1,200})(?:\[CALL_ID\]\w{0,40})?(?:\[ARGS\])?(?<args>\s{0,5}\{[\s\S]*?)(?=\[TOOL_CALLS\]|$)(?<end>)/g,
  },
  'Functionary, its tokens': {
    call: /(?:<\|from\|>assistant\s{0,5})?<\|recipient\|>\s{0,5}(?!all\b)(?<name>[\w.]{1,200})\s{0,5}<\|content\|>(?<args>[\s\S]*?)(?<end><\|stop\|>|(?=<\|from\|>)|$)/g,
  },
  'Functionary, its marks': {
    call: /(?<![^\n])>>>(?!all\b)(?<name>[\w.]{1,200})\n(?<args>\s{0,5}\{[\s\S]*?)(?=\n>>>|$)(?<end>)/g,
  },
  'ReAct, before there were tools': {
    call: /(?<![^\n])(?:Action|✿FUNCTION✿): ?(?<name>[\w.:-]{1,200})\s{0,5}\n(?:Action Input|✿ARGS✿):(?<args>[\s\S]*?)(?=\nObservation:|\n✿RESULT✿|$)(?<end>)/g,
  },
};

const INCOMPLETE: Problem = { code: 'invalid_arguments', problem: 'The call is not complete.' };

/** Where text begins to be a call in one of these forms: what follows are values, whatever they hold. */
export const CALL_BEGINS = new RegExp(
  String.raw`<function=|<${NAMESPACE}invoke name=|\[TOOL_CALLS\]|<\|open\|>tools<|to=[\w.:]{1,60}<\||<[|｜]?${NAMESPACE}(?:start_function|tool|TOOL)[_▁]?(?:call|CALL)`,
  'g',
);

/**
 * The first call that is written as text, whatever dialect was asked for; undefined where there is none. Nothing is guessed
 * at: a call names a tool that exists and is whole.
 */
export function findTextCall(content: string, table: ToolTable, cut: boolean): FoundCall | Problem | undefined {
  if (/<function=[^<>\n]{0,200}>/.test(content)) return asText(findFunctionTags(content, table, cut));
  for (const form of [...Object.values(FORMS), toolTags(table)]) {
    const calls = [...content.matchAll(form.call)];
    const [first] = calls;
    if (!first?.groups) continue;
    const { name = '', end } = first.groups;
    const args = argumentsOf(form, first.groups, table);
    if (args === undefined || (end === undefined && cut)) return INCOMPLETE;
    const read = readCall({ name, args }, table);
    if ('code' in read) return read;
    const place = withWrappers(content, first.index, first.index + first[0].length);
    return asText({ ...read, ...place, more: calls.length - 1 });
  }
  return findJsonCall(content, table) ?? findPythonCall(content, table);
}

/** `<bash><command>ls</command></bash>`, or `<bash>ls</bash>`, as Cline and those who have read its prompts write it. */
function toolTags(table: ToolTable): Form {
  const words = (all: readonly string[]) => all.filter((name) => /^\w+$/.test(name)).join('|');
  const names = words([...table.keys()]);
  const keys = words([...table.values()].flatMap(({ params }) => params.map(({ name }) => name)));
  return {
    call: new RegExp(
      String.raw`(?:(?<![^\n])|(?<=>))<(?<name>${names})>(?<body>[\s\S]*?)(?:(?<end></\k<name>>)|$)`,
      'g',
    ),
    values: new RegExp(String.raw`<(?<key>${keys})>(?<value>[\s\S]*?)(?:(?<end></\k<key>>)|$)`, 'g'),
  };
}

const WRAPPED = new RegExp(
  `(?:${WRAPPER}|\\]<\\]minimax\\[>\\[|\\[TOOL_CALLS\\]|[[(]|\`{3,}\\w{0,10}|print(?=\\()|\\s){1,20}$`,
  'i',
);
const UNWRAPPED = new RegExp(`^(?:${WRAPPER}|\\]<\\]minimax\\[>\\[|[\\]);]|\`{3,}|\\s){1,20}`, 'i');

/** A call with what stands around it only to set it off: neither is a part of the thought. */
function withWrappers(content: string, start: number, end: number): { readonly start: number; readonly end: number } {
  const before = WRAPPED.exec(content.slice(Math.max(0, start - 200), start))?.[0] ?? '';
  const after = UNWRAPPED.exec(content.slice(end, end + 200))?.[0] ?? '';
  return { start: start - before.length, end: end + after.length };
}

function argumentsOf(
  { values }: Form,
  { name = '', args = '', body = '' }: Record<string, string>,
  table: ToolTable,
): WrittenCall['args'] | undefined {
  if (!values) return args;
  const given = [...body.matchAll(values)].map((each) => each.groups!);
  if (given.some(({ end }) => end === undefined)) return undefined;
  const bare = body.trim();
  if (given.length === 0 && /^\{\s*"/.test(bare)) return bare;
  // One value that no name stands before is that of the only parameter.
  const [only, ...others] = findTool(table, name)?.params ?? [];
  if (given.length === 0 && bare !== '' && only && others.length === 0) return { [only.name]: unframed(body) };
  return Object.fromEntries(given.map(({ key = '', value = '' }) => [key.trim(), unframed(value)]));
}

/** A value without the line ends that only set it off. */
function unframed(value: string): string {
  return value.replace(/^\n/, '').replace(/\n$/, '');
}

const NAMES = ['name', 'tool', 'function', 'tool_name'] as const;
const ARGUMENTS = ['arguments', 'parameters', 'args', 'input', 'tool_input'] as const;

/** `{"name": …, "arguments": …}`, bare, in a fence or in tags, as Hermes, Qwen, Llama, Granite, Command and others write it. */
function findJsonCall(content: string, table: ToolTable): FoundCall | Problem | undefined {
  const written = objectsIn(content).found.flatMap(({ value, start, end }) =>
    callsIn(value, table).map((call) => ({ ...call, start, end })),
  );
  // Any object may have a name: it is a call where a tool has that name, or where the text says that it is one.
  const known = written.filter(({ name }) => !('code' in toolNamed(table, name)));
  const calls = known.length > 0 || content.search(CALL_BEGINS) < 0 ? known : written;
  const [first] = calls;
  if (!first) return undefined;
  const read = readCall(first, table);
  if ('code' in read) return read;
  return asText({ ...read, ...withWrappers(content, first.start, first.end), more: calls.length - 1 });
}

function callsIn(object: Record<string, unknown>, table: ToolTable): WrittenCall[] {
  // The OpenAI shape has them in a list, and both parts inside of `function`.
  if (Array.isArray(object.tool_calls)) return object.tool_calls.filter(isObject).flatMap((one) => callsIn(one, table));
  if (isObject(object.function)) return callsIn(object.function, table);
  const [only = '', ...others] = Object.keys(object);
  const within = object[only];
  // Apertus: the name is the key.
  if (others.length === 0 && findTool(table, only) && isObject(within)) return [{ name: only, args: within }];
  const name = NAMES.map((key) => object[key]).find((value) => typeof value === 'string');
  if (name === undefined) return [];
  const args = ARGUMENTS.map((key) => object[key]).find((value) => value !== undefined);
  if (typeof args === 'string' || isObject(args)) return [{ name, args }];
  return args === undefined && findTool(table, name)?.params.length === 0 ? [{ name, args: {} }] : [];
}

/**
 * `bash(command="ls")` as Llama 4, Gemma 3, LFM 2 and OLMo 3 write it, and `call:bash{command:<|"|>ls<|"|>}` of Gemma 4: at the
 * start of a line or behind a bracket or tag, of a tool that there is, with nothing but literals in it.
 */
function findPythonCall(content: string, table: ToolTable): FoundCall | Problem | undefined {
  const calls: FoundCall[] = [];
  const begins = /(?:(?<![^\n])|(?<=[>[,;(]))[ \t]{0,8}(?:call:)?(?<name>(?:\w{1,20}\.)?\w{1,80})(?<open>[({])/g;
  for (let hit = begins.exec(content); hit !== null; hit = begins.exec(content)) {
    const named = toolNamed(table, hit.groups!.name!);
    if ('code' in named) continue;
    const given = namedArguments(content, begins.lastIndex, hit.groups!.open === '(' ? ')' : '}');
    // A sentence may begin with a call and go on.
    if (!given || /^[ \t]*\w/.test(content.slice(given.end, given.end + 20))) continue;
    const { params } = named.tool;
    const placed = given.placed.flatMap((value, i) => (params[i] ? [[params[i].name, value] as const] : []));
    if (placed.length < given.placed.length) continue;
    const place = withWrappers(content, hit.index, given.end);
    calls.push({ ...named, ...place, args: { ...Object.fromEntries(placed), ...given.named }, more: 0 });
    begins.lastIndex = given.end;
  }
  const [first, ...more] = calls;
  return first && asText({ ...first, more: more.length });
}

function asText(found: FoundCall | Problem): FoundCall | Problem {
  return 'code' in found ? found : { ...found, lenient: ['call_as_text', ...found.lenient] };
}
