import { z } from 'zod';
import { parseInput } from '../../contract/parse';
import type { ImportedTurn } from '../../contract/rollout';
import { quote } from '../../rollout/shell';
import { findTool, readArguments, TOOLS } from '../../rollout/tools';

/** What is read of a document in ATIF, of any of its versions. */
const Call = z.looseObject({ function_name: z.string(), arguments: z.record(z.string(), z.unknown()).nullish() });
const Step = z.looseObject({
  source: z.string(),
  message: z.unknown(),
  model_name: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(Call).nullish(),
  observation: z.looseObject({ results: z.array(z.looseObject({ content: z.unknown() })) }).nullish(),
  metrics: z.looseObject({ prompt_tokens: z.int().nullish(), completion_tokens: z.int().nullish() }).nullish(),
  is_copied_context: z.boolean().nullish(),
});
type Step = z.infer<typeof Step>;
const Document = z.looseObject({
  agent: z.looseObject({ name: z.string(), version: z.string().nullish(), model_name: z.string().nullish() }),
  steps: z.array(Step),
});

export interface Continued {
  /** Name and version. */
  readonly agent: string;
  readonly turns: readonly ImportedTurn[];
}

/**
 * What an agent did that went on from `prior`, as turns in our tools where they have what it did; a call that they have not
 * keeps its name. Steps that repeat the prior context, marked as copied or not, are none of its own. Both are documents in
 * ATIF. Throws `InvalidInput` with the field.
 */
export function continuedTurns(document: unknown, prior: unknown): Continued {
  const { agent, steps } = parseInput(Document, document, 'trajectory.json');
  const before = parseInput(Document, prior, 'trajectory.json of the task').steps.filter(isAgents);
  const said = steps.filter(isAgents);
  const repeated = before.length > 0 && before.every((step, at) => said[at] !== undefined && sameCalls(step, said[at]));
  const own = (repeated ? said.slice(before.length) : said).filter((step) => step.is_copied_context !== true);
  const model = agent.model_name ?? agent.name;
  return {
    agent: [agent.name, agent.version].filter(Boolean).join(' '),
    turns: own.flatMap((step, at) => turnsOf(step, model, at === own.length - 1)),
  };
}

const isAgents = ({ source }: Step) => source === 'agent';

function sameCalls(one: Step, other: Step): boolean {
  const calls = ({ tool_calls }: Step) =>
    JSON.stringify((tool_calls ?? []).map((call) => [call.function_name, call.arguments ?? {}]));
  return calls(one) === calls(other);
}

/** A step with several calls is as many turns, the thought with the first. Words without a call are the end, or nothing. */
function turnsOf(step: Step, model: string, isLast: boolean): ImportedTurn[] {
  const { tool_calls: calls, observation, metrics, reasoning_content: reasoning } = step;
  const thought = textOf(step.message);
  const made = calls && calls.length > 0 ? calls : isLast ? [{ function_name: 'submit', arguments: {} }] : [];
  const results = observation?.results ?? [];
  return made.map((call, at) => {
    const first = at === 0;
    const shown = made.length === 1 ? results : results.slice(at, at + 1);
    return {
      thought: first ? thought : '',
      ...(first && reasoning ? { reasoning } : {}),
      ...actionOf(call.function_name, call.arguments ?? {}),
      observation: shown.map(({ content }) => textOf(content)).join('\n'),
      model: step.model_name ?? model,
      promptTokens: first ? (metrics?.prompt_tokens ?? 0) : 0,
      completionTokens: first ? (metrics?.completion_tokens ?? 0) : 0,
    };
  });
}

/** Content is a text, or parts of which some are texts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (typeof part === 'object' && part !== null && 'text' in part ? String(part.text) : ''))
    .join('');
}

type Args = Readonly<Record<string, unknown>>;

/** How agents call what our tools do, by the name in lower case. */
const TRANSLATED: Readonly<Record<string, (args: Args) => { tool: string; args: Args } | undefined>> = {
  ...named(
    [
      'bash',
      'shell',
      'execute_bash',
      'run_command',
      'run_shell_command',
      'terminal',
      'local_shell',
      'exec_command',
      'bash_command',
      'container.exec',
    ],
    shell,
  ),
  ...named(['str_replace_based_edit_tool', 'str_replace_editor', 'edit_file'], (args) => ({
    tool: 'str_replace_editor',
    args,
  })),
  ...named(['write', 'write_file', 'create_file'], ({ file_path, path, content, file_text }) => ({
    tool: 'str_replace_editor',
    args: { command: 'create', path: file_path ?? path, file_text: content ?? file_text },
  })),
  ...named(['edit', 'replace'], ({ file_path, path, old_string, new_string, replace_all }) =>
    replace_all === true
      ? undefined
      : {
          tool: 'str_replace_editor',
          args: { command: 'str_replace', path: file_path ?? path, old_str: old_string, new_str: new_string },
        },
  ),
  ...named(['read', 'read_file', 'view'], ({ file_path, path, offset, limit }) => {
    const start = typeof offset === 'number' ? Math.max(1, offset) : 1;
    const range =
      offset === undefined && limit === undefined
        ? {}
        : { view_range: [start, typeof limit === 'number' ? start + limit - 1 : -1] };
    return { tool: 'str_replace_editor', args: { command: 'view', path: file_path ?? path, ...range } };
  }),
  ...named(['submit', 'finish', 'task_complete', 'mark_task_complete', 'complete'], () => ({
    tool: 'submit',
    args: {},
  })),
};

function named<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function shell({ command, cmd, keystrokes }: Args): { tool: string; args: Args } | undefined {
  const given = command ?? cmd ?? keystrokes;
  if (typeof given === 'string') return { tool: 'bash', args: { command: given } };
  if (!Array.isArray(given) || !given.every((word) => typeof word === 'string')) return undefined;
  const [program, flag, script] = given;
  const isScript = /(^|\/)(ba)?sh$/.test(program ?? '') && /^-l?c$/.test(flag ?? '') && given.length === 3;
  return { tool: 'bash', args: { command: isScript ? script : given.map(quote).join(' ') } };
}

/** In our tools where they take it so; else as it was called, which no data set in our formats will hold. */
function actionOf(name: string, args: Args): { tool: string; args: Record<string, unknown> } {
  const translated = TRANSLATED[name.toLowerCase()]?.(args);
  const tool = translated && findTool(TOOLS, translated.tool);
  const read = tool && readArguments(tool, { ...translated.args });
  return tool && read?.ok ? { tool: tool.name, args: read.args } : { tool: name, args: { ...args } };
}
