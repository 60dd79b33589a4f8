import { type ChatTokenizer, TemplateFailed } from './chat-tokenizer';
import type { Conversation, ConversationTurn } from './conversation';
import { type MaskOptions, MaskProblem, renderWithMask } from './mask';

/** Labels of tokens without loss, in every trainer of the PyTorch world. */
export const IGNORED = -100;

export interface TokenizedConversation {
  readonly ids: number[];
  /** The id itself where the loss is, else −100. */
  readonly labels: number[];
  /** Tokens of each trained turn: `start` to `end`. */
  readonly spans: readonly { readonly turn: ConversationTurn; readonly start: number; readonly end: number }[];
}

/**
 * Ids as the tokenizer gives for the whole text, which is what trainers feed, and labels on the trained turns. A token that
 * reaches over the beginning of a turn belongs to the turn. Throws `MaskProblem`.
 */
export function tokenize(
  conversation: Conversation,
  tokenizer: ChatTokenizer,
  options?: MaskOptions,
): TokenizedConversation {
  const { text, spans } = renderWithMask(conversation, tokenizer, options);
  const ids = tokenizer.encode(text);
  const chunks = chunksOf(text, ids, tokenizer);
  const aligned = spans.map(({ turn, start, end }) => ({
    turn,
    start: tokenAt(start, 'start', chunks, tokenizer),
    end: tokenAt(end, 'end', chunks, tokenizer),
  }));
  const labels = new Array<number>(ids.length).fill(IGNORED);
  for (const { start, end } of aligned) for (let i = start; i < end; i += 1) labels[i] = ids[i]!;
  return { ids, labels, spans: aligned };
}

/** Tokens of a conversation: exact with a tokenizer, else an estimate by another model family's vocabulary. */
export function countOf(conversation: Conversation, tokenizer?: ChatTokenizer): number {
  if (!tokenizer) return estimateOf(conversation);
  try {
    return tokenizer.encode(tokenizer.render(conversation.messages, conversation.tools)).length;
  } catch (error) {
    // A template that refuses the row leaves its length to be judged all the same.
    if (error instanceof TemplateFailed) return estimateOf(conversation);
    throw error;
  }
}

/** Header and end of a message in ChatML. */
const TOKENS_A_MESSAGE = 5;
const PLAIN = { disallowedSpecial: new Set<string>() };

/** The estimator's time grows with the square of a word: what nobody would call one is cut. */
const LONGEST_WORD = /\S{200}/g;

/** Loaded when it is used: its vocabulary takes a tenth of a worker's start, and most runs ask nothing of it. */
let estimator: typeof import('gpt-tokenizer/encoding/cl100k_base') | undefined;

function estimate(text: string): number {
  estimator ??= require('gpt-tokenizer/encoding/cl100k_base') as NonNullable<typeof estimator>;
  return estimator.countTokens(text.replace(LONGEST_WORD, '$& '), PLAIN);
}

function estimateOf({ messages, tools }: Conversation): number {
  let tokens = tools?.length ? estimate(JSON.stringify(tools)) : 0;
  for (const message of messages) {
    tokens += TOKENS_A_MESSAGE + estimate(message.content ?? '');
    if (message.role === 'assistant' && message.tool_calls) {
      tokens += estimate(JSON.stringify(message.tool_calls.map((call) => call.function)));
    }
  }
  return tokens;
}

/** A stretch of text between added tokens, or such a token, with its tokens. */
interface Chunk {
  readonly start: number;
  readonly text: string;
  readonly first: number;
  readonly ids: readonly number[];
}

/** Added tokens stand in the text as they stand among the ids: so the two are cut at the same places. */
function chunksOf(text: string, ids: readonly number[], { added }: ChatTokenizer): Chunk[] {
  const chunks: Chunk[] = [];
  let at = 0;
  let first = 0;
  const close = (end: number, last: number) => {
    if (end > at || last > first)
      chunks.push({ start: at, text: text.slice(at, end), first, ids: ids.slice(first, last) });
  };
  ids.forEach((id, i) => {
    const token = added.get(id);
    if (token === undefined) return;
    const found = text.indexOf(token, at);
    if (found < 0) throw new MaskProblem('tokens_not_aligned', `the added token ${token} is not in the text`);
    close(found, i);
    chunks.push({ start: found, text: token, first: i, ids: [id] });
    at = found + token.length;
    first = i + 1;
  });
  close(text.length, ids.length);
  return chunks;
}

/** Characters before a cut that can be tokenized otherwise because of what follows. */
const MAX_REACH = 64;

/** The first token of what begins at `cut`, or the one behind what ends there. */
function tokenAt(cut: number, side: 'start' | 'end', chunks: readonly Chunk[], tokenizer: ChatTokenizer): number {
  const chunk = chunkAt(cut, side, chunks);
  const inside = cut - chunk.start;
  if (inside === 0) return chunk.first;
  if (inside === chunk.text.length) return chunk.first + chunk.ids.length;
  const before = tokenizer.encode(chunk.text.slice(0, inside));
  let same = 0;
  while (same < before.length && before[same] === chunk.ids[same]) same += 1;
  if (same === before.length) return chunk.first + same;
  // From here on the tokens are others than without what follows: the cut is `reach` characters on.
  const ids = chunk.ids.slice(same);
  const rest = tokenizer.decode(ids);
  const reach = rest.length - (chunk.text.length - inside);
  if (reach < 0 || reach > MAX_REACH || !rest.endsWith(chunk.text.slice(inside))) {
    const near = JSON.stringify(chunk.text.slice(Math.max(0, inside - 20), inside + 20));
    throw new MaskProblem('tokens_not_aligned', `no token boundary can be found near ${near}`);
  }
  const length = (tokens: number) => tokenizer.decode(ids.slice(0, tokens)).length;
  let tokens = 0;
  if (side === 'end') while (length(tokens) < reach) tokens += 1;
  else while (length(tokens + 1) <= reach) tokens += 1;
  return chunk.first + same + tokens;
}

/** The last chunk that begins at or before a start, or before an end; binary, because there are thousands. */
function chunkAt(cut: number, side: 'start' | 'end', chunks: readonly Chunk[]): Chunk {
  let low = 0;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const { start } = chunks[middle]!;
    if (side === 'start' ? start <= cut : start < cut) low = middle;
    else high = middle - 1;
  }
  return chunks[low]!;
}
