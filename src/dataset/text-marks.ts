import type { ChatMessage } from '../contract/step';
import { isWellFormed } from '../rollout/clip';

/**
 * What readers of a row should know of its texts. `lone_surrogates`: halves of surrogate pairs, which no UTF-8 holds, became
 * U+FFFD. `nul`: texts hold NUL characters; they are valid and stay.
 */
export type TextMark = 'lone_surrogates' | 'nul';

/** `message` with text that can be written as UTF-8; what was found is added to `marks`. */
export function wellFormedMessage(message: ChatMessage, marks: Set<TextMark>): ChatMessage {
  if (message.role !== 'assistant') return { ...message, content: wellFormed(message.content, marks) };
  const content = message.content === null ? null : wellFormed(message.content, marks);
  if (!message.tool_calls) return { ...message, content };
  const tool_calls = message.tool_calls.map((call) => ({
    ...call,
    function: { ...call.function, arguments: wellFormedJson(call.function.arguments, marks) },
  }));
  return { ...message, content, tool_calls };
}

export function wellFormed(text: string, marks: Set<TextMark>): string {
  if (text.includes('\0')) marks.add('nul');
  if (isWellFormed(text)) return text;
  marks.add('lone_surrogates');
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** JSON text whose strings can be written as UTF-8 too: `JSON.stringify` keeps half a pair as an escape. */
export function wellFormedJson(json: string, marks: Set<TextMark>): string {
  if (!/\\ud[89a-f]/i.test(json)) return json;
  const clean = (_: string, value: unknown) => (typeof value === 'string' ? wellFormed(value, marks) : value);
  return JSON.stringify(JSON.parse(json), clean);
}
