import { createHash, randomUUID } from 'node:crypto';
import type { BrokenMessage } from './faults';
import type { IncomingMessage } from './matching';
import type { Reply } from './render';

export const FINGERPRINT = 'pointsman-rehearsal';

export interface PromptTokens {
  readonly prompt: number;
  readonly cached: number;
}

/** A token per four characters. What stood in the request before the last assistant message counts as cached. */
export function promptTokens(messages: readonly IncomingMessage[], tools: unknown): PromptTokens {
  let chars = tools === undefined ? 0 : JSON.stringify(tools).length;
  let cached = 0;
  for (const message of messages) {
    if (message.role === 'assistant') cached = chars;
    chars += JSON.stringify(message).length;
  }
  return { prompt: Math.ceil(chars / 4), cached: Math.floor(cached / 4) };
}

export function replyTokens({ content, toolCalls }: Reply): number {
  const chars =
    (content ?? '').length + toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return Math.max(1, Math.ceil(chars / 4));
}

/**
 * The name of a conversation: what follows `CONV-ID:` in its first user message, else a hash of that message. The same
 * for every request of a run, whoever plays.
 */
export function conversationOf(messages: readonly IncomingMessage[]): string {
  const first = messages.find((message) => message.role === 'user')?.content;
  const text = typeof first === 'string' ? first : JSON.stringify(first ?? '');
  const named = /CONV-ID:\s*([\w.:/@-]+)/.exec(text)?.[1];
  return named ?? createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** The same for the same place in the same conversation, so that two runs of one script give equal transcripts. */
export function callIdOf(conversation: string, model: string, position: number): string {
  return `call_${createHash('sha256').update(`${conversation}\n${model}\n${position}`).digest('hex').slice(0, 16)}`;
}

export function completionOf(model: string, reply: Reply, tokens: PromptTokens): Record<string, unknown> {
  const completion = replyTokens(reply);
  const calls = reply.toolCalls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  const message = { role: 'assistant', content: reply.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return {
    id: `rehearsal-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: `rehearsal/${model}`,
    system_fingerprint: FINGERPRINT,
    choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop', logprobs: null }],
    usage: {
      prompt_tokens: tokens.prompt,
      completion_tokens: completion,
      total_tokens: tokens.prompt + completion,
      prompt_tokens_details: { cached_tokens: tokens.cached },
    },
  };
}

/** A sound completion spoiled in one way. */
export function broken(sound: Record<string, unknown>, how: BrokenMessage): Record<string, unknown> {
  const withMessage = (message: unknown) => ({ ...sound, choices: [{ index: 0, message, finish_reason: 'stop' }] });
  const withCall = (call: unknown) => withMessage({ role: 'assistant', content: null, tool_calls: [call] });
  switch (how) {
    case 'null_message':
      return withMessage(null);
    case 'no_choices':
      return { ...sound, choices: [] };
    case 'null_arguments':
      return withCall({ id: 'call_1', type: 'function', function: { name: 'bash', arguments: null } });
    case 'object_arguments':
      return withCall({ id: 'call_1', type: 'function', function: { name: 'bash', arguments: { command: 'ls' } } });
    case 'missing_function':
      return withCall({ type: 'function' });
    case 'tool_calls_object':
      return withMessage({
        role: 'assistant',
        content: null,
        tool_calls: { function: { name: 'bash', arguments: '{}' } },
      });
    case 'string_choice':
      return { ...sound, choices: ['hello'] };
    case 'content_parts':
      return withMessage({
        role: 'assistant',
        content: [
          { type: 'text', text: 'in ' },
          { type: 'text', text: 'parts' },
        ],
      });
    case 'missing_usage':
      return { ...sound, usage: undefined };
    case 'lone_surrogate':
      return withMessage({ role: 'assistant', content: 'half a pair: \uD83D!' });
    default:
      return how satisfies never;
  }
}

/** Characters of content or arguments in one event. */
const PIECE = 12;

/**
 * A completion as the events of a stream, `[DONE]` at the end; usage only where it was asked for. Tokens come as vLLM sends
 * them: the prompt's with the first event, the answer's with the events that they are in.
 */
export function eventsOf(completion: Record<string, unknown>, withUsage: boolean): string[] {
  const { choices, usage, prompt_token_ids, ...top } = completion;
  const [{ message, finish_reason, token_ids, logprobs }] = choices as [Streamed];
  const deltas: object[] = [
    ...piecesOf(message.content ?? '').map((content) => ({ content })),
    ...(message.tool_calls ?? []).flatMap(({ id, type, function: { name, arguments: args } }, index) => [
      { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] },
      ...piecesOf(args).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
  const chunk = (choice: object, more: object = {}) =>
    eventOf({
      ...top,
      ...more,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, finish_reason: null, ...choice }],
    });
  const ids = token_ids ?? [];
  const content = logprobs?.content ?? [];
  const share = Math.ceil(Math.max(ids.length, content.length) / (deltas.length + 1));
  const tokensOf = (i: number) => ({
    ...(token_ids ? { token_ids: ids.slice(i * share, (i + 1) * share) } : {}),
    ...(logprobs ? { logprobs: { content: content.slice(i * share, (i + 1) * share) } } : {}),
  });
  const prompt = prompt_token_ids === undefined ? {} : { prompt_token_ids };
  return [
    // What a server says to keep a connection open.
    ': rehearsal\n\n',
    chunk({ delta: { role: 'assistant', content: null } }, prompt),
    ...deltas.map((delta, i) => chunk({ delta, ...tokensOf(i) })),
    chunk({ delta: {}, finish_reason, ...tokensOf(deltas.length) }),
    ...(withUsage ? [eventOf({ ...top, choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ];
}

interface Streamed {
  readonly message: Said;
  readonly finish_reason: string;
  readonly token_ids?: readonly number[];
  readonly logprobs?: { readonly content: readonly unknown[] } | null;
}

interface Said {
  readonly content: string | null;
  readonly tool_calls?: readonly { id: string; type: string; function: { name: string; arguments: string } }[];
}

export function eventOf(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function piecesOf(text: string): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, at) =>
    characters.slice(at * PIECE, (at + 1) * PIECE).join(''),
  );
}
