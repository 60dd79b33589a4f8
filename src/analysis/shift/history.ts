import type { ChatMessage, Transcript, View } from '../../contract';
import type { Prompts } from '../../rollout/prompts';
import { renderRequest } from '../../rollout/render';

/** A trajectory's history as text: the history at turn t is the opening and the first t turns. */
export interface HistoryText {
  /** System prompt and problem statement. */
  readonly opening: string;
  /** Each turn: what the model said and did, and what it saw of it. */
  readonly turns: readonly string[];
}

/** Messages of one turn in every dialect: the model's, and the observation's. */
const PER_TURN = 2;

/**
 * The whole history in one view, whoever acted: the state that a policy's next action depends on (OEC, section 4.3). `view`
 * shows full histories.
 */
export function historyText(transcript: Transcript, view: View, prompts: Prompts, mostTurns: number): HistoryText {
  const steps = transcript.steps.slice(0, mostTurns);
  const { messages } = renderRequest({ ...transcript, steps }, view, prompts);
  const opening = messages.length - steps.length * PER_TURN;
  const text = (from: number, to: number) => messages.slice(from, to).map(messageText).join('\n\n');
  return {
    opening: text(0, opening),
    turns: steps.map((_, at) => text(opening + at * PER_TURN, opening + (at + 1) * PER_TURN)),
  };
}

function messageText(message: ChatMessage): string {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const called = calls.map(({ function: { name, arguments: given } }) => `${name}(${given})`);
  return [`[${message.role}]`, message.content ?? '', ...called].filter((part) => part !== '').join('\n');
}

/** A token takes three UTF-8 bytes at least, in nearly all text: English and code take four. */
const BYTES_PER_TOKEN = 3;

/**
 * The history at every turn, each cut from the front to what `mostTokens` surely hold: the end is what the next action answers
 * to.
 */
export function historiesByTurn({ opening, turns }: HistoryText, mostTokens: number): string[] {
  const mostBytes = mostTokens * BYTES_PER_TOKEN;
  let history: Uint8Array = new TextEncoder().encode(opening);
  return turns.map((turn) => {
    history = lastBytes(joined(history, new TextEncoder().encode(`\n\n${turn}`)), mostBytes);
    return new TextDecoder().decode(history);
  });
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** The end of the text, from the beginning of a character on. */
function lastBytes(text: Uint8Array, most: number): Uint8Array {
  let from = Math.max(0, text.length - most);
  while (from > 0 && from < text.length && (text[from]! & 0xc0) === 0x80) from += 1;
  return text.subarray(from);
}
