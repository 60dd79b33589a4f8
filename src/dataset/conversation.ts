import type { Author, ChatMessage, ChatTool, Transcript, View } from '../contract';
import { DIALECTS } from '../rollout/dialects';
import type { Prompts } from '../rollout/prompts';
import { renderRequest } from '../rollout/render';
import { type TextMark, wellFormedMessage } from './text-marks';

/** One assistant message of a conversation: who wrote it, and whether a model is trained on it. */
export interface ConversationTurn {
  /** Index of the message. */
  readonly message: number;
  /** The turn of the rollout, from 1. */
  readonly turn: number;
  readonly author: Author;
  readonly trained: boolean;
  /** False when the dialect's readers would see another thought or action in this message than the turn holds. */
  readonly faithful: boolean;
  /** Hash of the step in the chain; empty where there is none. */
  readonly step: string;
}

/** A trajectory as messages of one view, with the mask as data. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  /** For dialects with a `tools` field in their requests. */
  readonly tools?: readonly ChatTool[];
  readonly turns: readonly ConversationTurn[];
  /** What a view with a history processor shows instead of older observations. Absent where it shows all of them. */
  readonly window?: { readonly observations: number; readonly omitted: ReadonlyMap<number, string> };
  /** What had to be changed in its texts, or may trouble a reader. */
  readonly marks: readonly TextMark[];
}

export interface ConversationOptions {
  readonly view: View;
  readonly prompts: Prompts;
  /** Whose turns are trained. */
  readonly train: readonly Author[];
  /** Hashes of the steps, in their order, as `Transcripts.chain` gives them. */
  readonly hashes?: readonly string[];
}

/**
 * A transcript as the messages that a model of `view` would have exchanged: the prompt of its last turn and that turn. All
 * observations are there whatever the view's history processor, because each turn is trained on the whole
 * history before it (OEC, "Masking"); `promptBefore` gives what the processor would have shown. It ends with an assistant message: what the last
 * command printed was an answer to nobody. Malformed replies and their repair are not in it.
 */
export function renderConversation(transcript: Transcript, options: ConversationOptions): Conversation {
  const { view, prompts, train, hashes = [] } = options;
  const { messages, tools } = renderRequest(transcript, { ...view, history: { kind: 'full' } }, prompts);
  const opening = messages.length - 2 * transcript.steps.length;
  const marks = new Set<TextMark>();
  const shown = transcript.steps.length === 0 ? messages : messages.slice(0, -1);
  const clean = shown.map((message) => wellFormedMessage(message, marks));
  const turns = transcript.steps.map(({ turn }, i) => ({
    message: opening + 2 * i,
    turn: turn.turn,
    author: turn.author,
    trained: train.includes(turn.author),
    faithful: DIALECTS[view.dialect].renderTurn(turn).faithful,
    step: hashes[i] ?? '',
  }));
  const window = windowOf(transcript, view, prompts, clean);
  return {
    messages: clean,
    ...(tools ? { tools } : {}),
    turns,
    ...(window ? { window } : {}),
    marks: [...marks].sort(),
  };
}

/** The messages before a turn as the view's history processor shows them to the model that makes it. */
export function promptBefore(conversation: Conversation, turn: ConversationTurn): ChatMessage[] {
  const before = conversation.messages.slice(0, turn.message);
  const { window } = conversation;
  if (!window) return before;
  const firstShown = turn.message - 2 * window.observations;
  return before.map((message, i) => {
    const omitted = i < firstShown ? window.omitted.get(i) : undefined;
    return omitted === undefined ? message : ({ ...message, content: omitted } as ChatMessage);
  });
}

/**
 * The trained turns of a conversation as conversations that each train one, its last: what a model is shown at that turn, and
 * the turn. `last`: of the last one alone. For templates that render a turn otherwise once more follows.
 */
export function conversationsByTurn(conversation: Conversation, which: 'each' | 'last'): Conversation[] {
  const trained = conversation.turns.filter((turn) => turn.trained);
  const { tools, marks } = conversation;
  return (which === 'last' ? trained.slice(-1) : trained).map((turn) => ({
    messages: [...promptBefore(conversation, turn), conversation.messages[turn.message]!],
    ...(tools ? { tools } : {}),
    turns: conversation.turns
      .filter(({ message }) => message <= turn.message)
      .map((each) => (each === turn ? each : { ...each, trained: false })),
    marks,
  }));
}

/** The texts in place of older observations. Those that every turn is shown are not among them. */
function windowOf(
  transcript: Transcript,
  view: View,
  prompts: Prompts,
  messages: readonly ChatMessage[],
): Conversation['window'] {
  if (view.history.kind === 'full') return undefined;
  const windowed = renderRequest(transcript, view, prompts).messages;
  const omitted = new Map<number, string>();
  messages.forEach(({ role, content }, i) => {
    const instead = windowed[i]?.content;
    if (role !== 'assistant' && typeof instead === 'string' && instead !== content) omitted.set(i, instead);
  });
  return { observations: view.history.n, omitted };
}
