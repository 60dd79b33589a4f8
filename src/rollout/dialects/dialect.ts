import type { Action, ChatMessage, ChatTool, FormatError, Lenience, RawReply, Turn, View } from '../../contract';
import { cutEnd, isWellFormed } from '../clip';
import { splitReasoning } from '../reasoning';
import { readArguments, TOOLS, type ToolTable } from '../tools';
import { type FoundCall, findNativeCall, type Problem } from './found-call';
import { CALL_BEGINS, findTextCall } from './text-calls';

type ParsedReply =
  | {
      readonly ok: true;
      readonly thought: string;
      readonly action: Action;
      /** What the model thought before it spoke, where the server or the text keeps it apart. */
      readonly reasoning?: string;
      /** What was read although it is not as the format has it. */
      readonly lenient?: readonly Lenience[];
      /** Rendering this in the same dialect would not read back as the same thought and action. */
      readonly unfaithful?: true;
    }
  | { readonly ok: false; readonly error: FormatError };

/** How a reply is read, beyond its format. */
interface Reading {
  readonly tools?: ToolTable;
  /** What becomes of several actions in one reply. */
  readonly actions?: View['actions'];
}

/** What rendering needs of a turn. */
type Said = Pick<Turn, 'turn' | 'thought' | 'action'>;

export interface RenderedTurn {
  readonly message: Extract<ChatMessage, { role: 'assistant' }>;
  /** False when the format's reference reader would see another thought or action than the turn holds. */
  readonly faithful: boolean;
}

/** One format in which models act. Everything is pure and nothing throws, whatever the model wrote. */
export interface Dialect {
  readonly name: string;
  /** Text for the system prompt's `{{tool_docs}}`. */
  documentation(tools: ToolTable): string;
  /** The request's `tools` field, for formats that have it. */
  toolParameter(tools: ToolTable): ChatTool[] | undefined;
  renderTurn(said: Said): RenderedTurn;
  renderObservation(turn: number, text: string): ChatMessage;
  parse(reply: RawReply, reading?: Reading): ParsedReply;
}

/** The parts that differ between formats; `defineDialect` adds what they share. */
export interface Format extends Pick<Dialect, 'name' | 'documentation' | 'toolParameter' | 'renderObservation'> {
  /** What an action is called in errors. */
  readonly unit: string;
  /** Ends every format error: how a reply must look, with an example. */
  readonly howTo: string;
  /** Where an action begins in the text, besides the forms that are read everywhere. */
  readonly begins?: RegExp;
  write(said: Said): RenderedTurn['message'];
  /** Finds the first action in a reply, whose reasoning has been split off and whose size has been checked. */
  find(reply: RawReply, tools: ToolTable): FoundCall | Problem;
  /** Whether readers of this format other than ours would be misled, although ours is not. */
  misleads(action: Action): boolean;
}

type Call = Pick<FoundCall, 'tool' | 'args' | 'lenient'> & { readonly thought: string };

/** Longer replies are not read: no tool call of use is that long, and reading must stay quick. */
const MAX_REPLY_CHARS = 1_000_000;

export function defineDialect(format: Format): Dialect {
  const begins = format.begins ? new RegExp(`${format.begins.source}|${CALL_BEGINS.source}`, 'g') : CALL_BEGINS;

  function readSaid(reply: RawReply, reading: Reading): Call | Problem {
    const tools = reading.tools ?? TOOLS;
    const content = reply.content ?? '';
    const found = find(format, reply, tools);
    if ('code' in found) return cutOff(reply, found);
    const first = reading.actions === 'first' && found.more > 0;
    if (found.more > 0 && !first) {
      return {
        code: 'multiple_actions',
        problem: `Your reply has ${found.more + 1} ${format.unit}s; none was run. Make one at a time.`,
      };
    }
    const read = readArguments(found.tool, found.args);
    if (!read.ok) return { code: read.code, problem: read.problem };
    const before = withoutSeparator(content.slice(0, found.start));
    const after = first ? '' : splitReasoning(content.slice(found.end), begins).said;
    const lenient = [
      ...found.lenient,
      ...(read.dropped ? (['extra_arguments'] as const) : []),
      ...(first ? (['first_of_several'] as const) : []),
    ];
    const thought = withoutTokens(found.thought ?? joinThought(before, after));
    return { tool: found.tool, args: read.args, thought, lenient };
  }

  function readReply(reply: RawReply, reading: Reading): { call: Call | Problem; reasoning: string } {
    const tooLong = checkSize(reply);
    if (tooLong) return { call: tooLong, reasoning: '' };
    const spoken = splitReasoning(reply.content ?? '', begins);
    const reasoning = [reply.reasoning ?? '', spoken.reasoning].filter((part) => part !== '').join('\n\n');
    const silent = spoken.said.trim() === '' && reply.toolCalls.length === 0;
    if (spoken.unended || silent) return { call: nothingSaid(reply, reasoning, spoken.unended), reasoning };
    const call = readSaid({ ...reply, content: reply.content === null ? null : spoken.said }, reading);
    if (!spoken.unopened || !('code' in call)) return { call, reasoning };
    // The mark may have been a part of what was said.
    const whole = readSaid(reply, reading);
    return 'code' in whole ? { call, reasoning } : { call: whole, reasoning: reply.reasoning ?? '' };
  }

  const readsBack = (said: Said, message: RenderedTurn['message'], tools: ToolTable): boolean => {
    const reply = rawReply(message);
    if (!isWellFormed(reply.content ?? '') || format.misleads(said.action)) return false;
    const { call } = readReply(reply, { tools });
    return !('code' in call) && call.thought === said.thought && sameCall(call, said.action);
  };
  return {
    ...format,
    renderTurn(said) {
      const message = format.write(said);
      return {
        message,
        // Only where it is asked for: each prompt writes all turns, and to read one takes longer than to write it.
        get faithful() {
          return readsBack(said, message, TOOLS);
        },
      };
    },
    parse(reply, reading = {}) {
      const { call, reasoning } = readReply(reply, reading);
      if ('code' in call) return failed(call, format.howTo);
      const { tool, args, thought, lenient } = call;
      const blocked = tool.blocked?.(args);
      if (blocked !== undefined) return failed({ code: 'blocked_command', problem: blocked }, format.howTo);
      const action = { tool: tool.name, args };
      const faithful = readsBack(
        { turn: 0, thought, action },
        format.write({ turn: 0, thought, action }),
        reading.tools ?? TOOLS,
      );
      return {
        ok: true,
        thought,
        action,
        ...(reasoning === '' ? {} : { reasoning }),
        ...(lenient.length === 0 ? {} : { lenient }),
        ...(faithful ? {} : { unfaithful: true }),
      };
    },
  };
}

/** The action in the format's own form; else as the call that the server read, or in a form of other models. */
function find(format: Format, reply: RawReply, tools: ToolTable): FoundCall | Problem {
  const found = format.find(reply, tools);
  if (!('code' in found) || found.code !== 'missing_action') return found;
  if (reply.toolCalls.length > 0) {
    const native = findNativeCall(reply, tools);
    return 'code' in native ? native : { ...native, lenient: ['native_call', ...native.lenient] };
  }
  return findTextCall(reply.content ?? '', tools, reply.finishReason === 'length') ?? found;
}

/** What the server would have returned, had the model written `message`. */
export function rawReply(message: RenderedTurn['message']): RawReply {
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: f }) => ({ id, ...f }));
  return { content: message.content, toolCalls, finishReason: 'stop' };
}

/** A thought with what the model wrote after its call, if anything. */
function joinThought(before: string, after: string): string {
  const rest = after.trim();
  return rest === '' ? before : [before, rest].filter((part) => part !== '').join('\n\n');
}

/** Text before a call, without the line ends that only separate the two. */
function withoutSeparator(before: string): string {
  return before.replace(/\n{1,2}$/, '');
}

/** Tokens that end a turn are none of its text: some servers let them through. */
function withoutTokens(thought: string): string {
  const at = Math.max(0, thought.length - 300);
  return (
    thought.slice(0, at) +
    thought.slice(at).replace(/(?:\s{0,9}(?:<[|｜][a-z_▁]{1,30}[|｜]>|<\/s>|<end_of_turn>|<turn\|>)){1,9}\s{0,9}$/, '')
  );
}

function checkSize(reply: RawReply): Problem | undefined {
  const content = reply.content ?? '';
  const size = reply.toolCalls.reduce((sum, call) => sum + call.arguments.length + call.name.length, content.length);
  if (size <= MAX_REPLY_CHARS) return undefined;
  return { code: 'reply_too_long', problem: `Your reply had ${size} characters and was not read.` };
}

function nothingSaid(reply: RawReply, reasoning: string, unended: boolean): Problem {
  if (reasoning === '') return { code: 'empty_reply', problem: 'Your reply was empty.' };
  if (reply.finishReason === 'length') {
    return {
      code: 'reply_too_long',
      problem: 'Your reply was all reasoning, which used up the output limit (maxOutputTokens). Think less, then act.',
    };
  }
  return unended
    ? { code: 'unclosed_reasoning', problem: 'The reasoning was not closed, so nothing after it was read.' }
    : { code: 'empty_reply', problem: 'Your reply was all reasoning: nothing was said after it.' };
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
