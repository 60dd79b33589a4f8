import { type ChatTokenizer, TemplateFailed } from './chat-tokenizer';
import type { Conversation, ConversationTurn } from './conversation';

/** Where in a rendered conversation the loss is: characters `start` to `end`, UTF-16 units. */
interface TrainedSpan {
  readonly turn: ConversationTurn;
  readonly start: number;
  readonly end: number;
}

export interface RenderedText {
  readonly text: string;
  /** In the order of the turns; they do not overlap. */
  readonly spans: readonly TrainedSpan[];
}

/** Why a conversation cannot be masked under a template or a tokenizer. */
export class MaskProblem extends Error {
  override readonly name = 'MaskProblem';
  constructor(
    readonly reason: 'template_breaks_prefix' | 'tokens_not_aligned',
    detail: string,
  ) {
    super(detail);
  }
}

/**
 * The conversation under a chat template, and the spans of its trained turns: from where the model takes over (the end of
 * the generation prompt) to the end of its turn, the token that ends it included and the white space behind it not.
 *
 * Works for every template that renders the beginning of a conversation as the beginning of what it renders of the whole;
 * that is tested at each trained turn, and a `MaskProblem` says where it does not hold. Templates that take something back
 * (reasoning of earlier turns) are of that kind: a model asked turn by turn never saw the text that they would train.
 */
export function renderWithMask(conversation: Conversation, tokenizer: ChatTokenizer): RenderedText {
  const { messages, tools, turns } = conversation;
  const render = (end: number, generationPrompt: boolean): string => {
    try {
      return tokenizer.render(messages.slice(0, end), tools, generationPrompt);
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error;
      throw new MaskProblem(
        'template_breaks_prefix',
        `the template refuses the first ${end} messages: ${error.message}`,
      );
    }
  };
  const text = render(messages.length, false);
  const spans = turns
    .filter((turn) => turn.trained)
    .map((turn) => {
      const prompt = render(turn.message, true);
      const upTo = turn.message === messages.length - 1 ? text : render(turn.message + 1, false);
      if (!upTo.startsWith(prompt))
        throw broken(turn, 'its generation prompt is no beginning of the turn', prompt, upTo);
      if (!text.startsWith(upTo)) throw broken(turn, 'it renders the turn otherwise once more follows', upTo, text);
      const said = (messages[turn.message]?.content ?? '').trim();
      if (!upTo.slice(prompt.length).includes(said)) {
        throw broken(turn, 'it does not show all that the turn says', said, upTo.slice(prompt.length));
      }
      return { turn, start: prompt.length, end: endOfTurn(upTo, prompt.length, tokenizer) };
    });
  return { text, spans };
}

/** Behind the last added token of the turn, where only white space follows it; else the end of what was rendered. */
function endOfTurn(text: string, from: number, { added }: ChatTokenizer): number {
  let end = text.length;
  while (end > from && /\s/.test(text[end - 1]!)) end -= 1;
  for (const token of added.values()) if (text.endsWith(token, end) && end - token.length >= from) return end;
  return text.length;
}

function broken(turn: ConversationTurn, how: string, expected: string, found: string): MaskProblem {
  let at = 0;
  while (at < expected.length && expected[at] === found[at]) at += 1;
  const part = (text: string) => JSON.stringify(text.slice(at, at + 40));
  return new MaskProblem(
    'template_breaks_prefix',
    `turn ${turn.turn}: ${how} (at character ${at}: ${part(expected)} became ${part(found)})`,
  );
}
