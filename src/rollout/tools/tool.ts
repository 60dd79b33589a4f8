import type { z } from 'zod';
import type { ChatTool, FormatErrorCode } from '../../contract/step';
import { isWellFormed, preview } from '../clip';

/** One argument of a tool, as models are told about it. */
export interface Param {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'integers';
  readonly required: boolean;
  readonly description: string;
  readonly values?: readonly string[];
  /** In the XML format the value stands on lines of its own. */
  readonly ownLines?: boolean;
}

/** A tool that models can call. A new tool is one file and one line in `tools/index.ts`. */
export interface Tool {
  readonly name: string;
  /** Names that models trained on other scaffolds use for it. */
  readonly aliases: readonly string[];
  /** What the `tools` field of a request says. */
  readonly description: string;
  /** What prompts that document tools in text say. */
  readonly manual: string;
  readonly params: readonly Param[];
  /** Checks what `params` describes; `readArguments` runs it. */
  readonly args: z.ZodType<Record<string, unknown>>;
  /** How the call is written as a shell-like line: the text itself, or a program with words. */
  readonly line:
    | { readonly raw: string }
    | { readonly positional: readonly string[]; readonly options: readonly string[] };
  /** How a call is carried out in the sandbox. */
  readonly does: ToolWork;
  /** Why a valid call is refused all the same, or undefined. */
  readonly blocked?: (args: Record<string, unknown>) => string | undefined;
}

type ToolWork =
  /** A command of the sandbox's shell, as `bash` runs one. */
  | { readonly kind: 'command'; command(args: Readonly<Record<string, unknown>>): string }
  /** An edit of one file that the host plans, as `str_replace_editor` makes them. */
  | { readonly kind: 'edit' }
  /** The end of the run, or a review before it. */
  | { readonly kind: 'submit' };

export type ToolTable = ReadonlyMap<string, Tool>;

/** A tool by its name or one of its aliases. */
export function findTool(tools: ToolTable, name: string): Tool | undefined {
  const exact = tools.get(name);
  if (exact) return exact;
  for (const tool of tools.values()) if (tool.aliases.includes(name)) return tool;
  return undefined;
}

/** The OpenAI function schema, in the shape SWE-agent sends: no `strict`, no `additionalProperties`; `properties` always. */
export function functionSchema(tool: Tool): ChatTool {
  const properties = Object.fromEntries(
    tool.params.map((param) => [
      param.name,
      {
        type: param.type === 'integers' ? 'array' : param.type,
        description: param.description,
        ...(param.values ? { enum: [...param.values] } : {}),
        ...(param.type === 'integers' ? { items: { type: 'integer' } } : {}),
      },
    ]),
  );
  const required = tool.params.filter((param) => param.required).map((param) => param.name);
  const parameters = { type: 'object', properties, ...(required.length ? { required } : {}) };
  return { type: 'function', function: { name: tool.name, description: tool.description, parameters } };
}

export type ReadArguments =
  | {
      readonly ok: true;
      readonly args: Record<string, unknown>;
      /** Arguments that the tool does not have were left out. */
      readonly dropped?: true;
    }
  | { readonly ok: false; readonly code: FormatErrorCode; readonly problem: string };

/** Arguments that models add to say what they do; none of them changes what is done. */
const REMARKS = new Set(
  'description explanation reason reasoning rationale thought thoughts summary comment note security_risk'.split(' '),
);
/** Arguments of other scaffolds' tools that would change what is done: a call without them is another one. */
const MATTERS = new Set(
  'cwd dir directory workdir working_dir working_directory path env environment stdin input is_input user host background is_background'.split(
    ' ',
  ),
);

/**
 * Checks the arguments of a call. An explicit `null` counts as absent, and integers or lists written as text are read,
 * because text formats have no other way to write them and weak models do the same in JSON. An argument that the tool does
 * not have is left out where it is a remark, or where it neither stands for one that it has nor changes what is done.
 */
export function readArguments(tool: Tool, given: Record<string, unknown>): ReadArguments {
  const args: Record<string, unknown> = {};
  const complete = tool.params.every((param) => given[param.name] !== undefined && given[param.name] !== null);
  let dropped = false;
  for (const [name, value] of Object.entries(given)) {
    const param = tool.params.find((p) => p.name === name);
    if (!param && (REMARKS.has(name) || (complete && !MATTERS.has(name)))) {
      dropped = true;
      continue;
    }
    if (!param)
      return refuse('unexpected_argument', `${tool.name} has no argument "${preview(name, 60)}"; ${known(tool)}.`);
    if (value !== null && value !== undefined) args[name] = coerce(param, value);
  }
  for (const param of tool.params) {
    if (param.required && args[param.name] === undefined) {
      return refuse('missing_argument', `${tool.name} needs the argument "${param.name}"; ${known(tool)}.`);
    }
  }
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === 'string' && !isWellFormed(value)) {
      return refuse('invalid_arguments', `"${name}" holds half of a surrogate pair, which cannot be written as UTF-8.`);
    }
  }
  const checked = tool.args.safeParse(args);
  if (checked.success) return { ok: true, args: checked.data, ...(dropped ? { dropped } : {}) };
  const issue = checked.error.issues[0];
  const at = issue?.path.map(String).join('.') ?? '';
  const found = preview(JSON.stringify(args[String(issue?.path[0])]) ?? 'nothing', 80);
  return refuse(
    'invalid_arguments',
    `${tool.name}: "${at}" is wrong: ${issue?.message ?? 'invalid'} (found ${found}).`,
  );
}

function refuse(code: FormatErrorCode, problem: string): ReadArguments {
  return { ok: false, code, problem };
}

function known(tool: Tool): string {
  if (tool.params.length === 0) return 'it takes no arguments';
  return `its arguments are ${tool.params.map((p) => p.name + (p.required ? ' (required)' : '')).join(', ')}`;
}

function coerce(param: Param, value: unknown): unknown {
  if (typeof value !== 'string' || param.type === 'string') return value;
  const text = value.trim();
  if (param.type === 'integer') return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : value;
  const bare = text
    .replace(/^[[(]/, '')
    .replace(/[\])]$/, '')
    .trim();
  return /^[+-]?\d{1,15}(?:[\s,]+[+-]?\d{1,15})*$/.test(bare) ? bare.split(/[\s,]+/).map(Number) : value;
}
