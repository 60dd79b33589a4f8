import type {
  Action,
  ChatMessage,
  ChatTool,
  DialectName,
  FormatError,
  FormatErrorCode,
  RawReply,
  Turn,
} from '../../contract';
import { cutEnd, isWellFormed, preview } from '../clip';
import { findTool, readArguments, TOOLS, type Tool, type ToolTable } from '../tools';

type ParsedReply =
  | {
      readonly ok: true;
      readonly thought: string;
      readonly action: Action;
      /** Rendering this in the same dialect would not read back as the same thought and action. */
      readonly unfaithful?: true;
    }
  | { readonly ok: false; readonly error: FormatError };

/** What rendering needs of a turn. */
type Said = Pick<Turn, 'turn' | 'thought' | 'action'>;

export interface RenderedTurn {
  readonly message: Extract<ChatMessage, { role: 'assistant' }>;
  /** False when the format's reference reader would see another thought or action than the turn holds. */
  readonly faithful: boolean;
}

/** One format in which models act. Everything is pure and nothing throws, whatever the model wrote. */
export interface Dialect {
  readonly name: DialectName;
  /** Text for the system prompt's `{{tool_docs}}`. */
  documentation(tools: ToolTable): string;
  /** The request's `tools` field, for formats that have it. */
  toolParameter(tools: ToolTable): ChatTool[] | undefined;
  renderTurn(said: Said): RenderedTurn;
  renderObservation(turn: number, text: string): ChatMessage;
  parse(reply: RawReply, tools?: ToolTable): ParsedReply;
}

/** The parts that differ between formats; `defineDialect` adds what they share. */
export interface Format extends Pick<Dialect, 'name' | 'documentation' | 'toolParameter' | 'renderObservation'> {
  /** Ends every format error: how a reply must look. */
  readonly howTo: string;
  write(said: Said): RenderedTurn['message'];
  /** Finds the one call in a reply. The size and emptiness of the reply have been checked. */
  read(reply: RawReply, tools: ToolTable): Call | Problem;
  /** Whether readers of this format other than ours would be misled, although ours is not. */
  misleads(action: Action): boolean;
}

interface Call {
  readonly thought: string;
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
}
export interface Problem {
  readonly code: FormatErrorCode;
  readonly problem: string;
}

/** Longer replies are not read: no tool call of use is that long, and reading must stay quick. */
const MAX_REPLY_CHARS = 1_000_000;

export function defineDialect(format: Format): Dialect {
  const readCall = (reply: RawReply, tools: ToolTable): Call | Problem => {
    const call = checkSize(reply) ?? format.read(reply, tools);
    if ('code' in call) return cutOff(reply, call);
    const read = readArguments(call.tool, call.args);
    return read.ok ? { ...call, args: read.args } : { code: read.code, problem: read.problem };
  };
  const readsBack = (said: Said, message: RenderedTurn['message'], tools: ToolTable): boolean => {
    const reply = rawReply(message);
    if (!isWellFormed(reply.content ?? '') || format.misleads(said.action)) return false;
    const call = readCall(reply, tools);
    return !('code' in call) && call.thought === said.thought && sameCall(call, said.action);
  };
  return {
    ...format,
    renderTurn(said) {
      const message = format.write(said);
      return { message, faithful: readsBack(said, message, TOOLS) };
    },
    parse(reply, tools = TOOLS) {
      const call = readCall(reply, tools);
      if ('code' in call) return failed(call, format.howTo);
      const blocked = call.tool.blocked?.(call.args);
      if (blocked !== undefined) return failed({ code: 'blocked_command', problem: blocked }, format.howTo);
      const said = { turn: 0, thought: call.thought, action: { tool: call.tool.name, args: call.args } };
      const faithful = readsBack(said, format.write(said), tools);
      return { ok: true, thought: said.thought, action: said.action, ...(faithful ? {} : { unfaithful: true }) };
    },
  };
}

/** Finds the tool that a reply names, or says which there are. */
export function toolNamed(tools: ToolTable, name: string): Tool | Problem {
  const names = [...tools.keys()].join(', ');
  return (
    findTool(tools, name) ?? {
      code: 'unknown_tool',
      problem: `There is no tool "${preview(name, 60)}"; the tools are ${names}.`,
    }
  );
}

/** What the server would have returned, had the model written `message`. */
export function rawReply(message: RenderedTurn['message']): RawReply {
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: f }) => ({ id, ...f }));
  return { content: message.content, toolCalls, finishReason: 'stop' };
}

/** A thought with what the model wrote after its call, if anything. */
export function joinThought(before: string, after: string): string {
  const rest = after.trim();
  return rest === '' ? before : [before, rest].filter((part) => part !== '').join('\n\n');
}

/** Text before a call, without the line ends that only separate the two. */
export function withoutSeparator(before: string): string {
  return before.replace(/\n{1,2}$/, '');
}

function checkSize(reply: RawReply): Problem | undefined {
  const content = reply.content ?? '';
  const size = reply.toolCalls.reduce((sum, call) => sum + call.arguments.length + call.name.length, content.length);
  if (size > MAX_REPLY_CHARS) {
    return { code: 'reply_too_long', problem: `Your reply had ${size} characters and was not read.` };
  }
  if (content.trim() === '' && reply.toolCalls.length === 0) {
    return { code: 'empty_reply', problem: 'Your reply was empty.' };
  }
  return undefined;
}

/** A reply that the output limit cut has no format problem: the model has to be shorter. */
function cutOff(reply: RawReply, problem: Problem): Problem {
  if (reply.finishReason !== 'length' || problem.code === 'reply_too_long') return problem;
  return {
    code: 'reply_too_long',
    problem: 'Your reply reached the output limit before it was complete. Do less in one call.',
  };
}

function failed({ code, problem }: Problem, howTo: string): ParsedReply {
  const hint = code === 'blocked_command' ? '' : `\n\n${howTo}`;
  return { ok: false, error: { code, observation: `${cutEnd(problem, 600)}${hint}` } };
}

function sameCall(call: Call, action: Action): boolean {
  const names = Object.keys(action.args);
  return (
    call.tool.name === action.tool &&
    names.length === Object.keys(call.args).length &&
    names.every((name) => JSON.stringify(call.args[name]) === JSON.stringify(action.args[name]))
  );
}
