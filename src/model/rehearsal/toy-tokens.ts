import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { IncomingMessage } from './matching';
import type { Reply } from './render';

/**
 * Which server's way of giving tokens a scripted model has. `sglang-meta` is SGLang before it knew `return_token_ids`,
 * `strict` a server that refuses fields that it does not know.
 */
export const ToyTokens = z.strictObject({
  like: z.enum(['vllm', 'sglang', 'sglang-meta', 'llama-cpp', 'strict']),
  /** Turns, from 1, whose last log-probability is lost behind a parser. */
  loses: z.array(z.int().min(1)).default([]),
  /** The chat template takes the thoughts of earlier turns back, so that a prompt does not begin with the one before. */
  stripsThoughts: z.boolean().default(false),
  /** Its ids stand for other words than those of the other models of the script. */
  foreign: z.boolean().default(false),
});
export type ToyTokens = z.infer<typeof ToyTokens>;

/** What an answer was sampled with, as far as there is a model. */
export interface Toy {
  readonly prompt: readonly number[];
  readonly answer: readonly number[];
  readonly logprobs: readonly number[];
}

/** Ids below are of the markers. */
const FIRST_WORD = 1_000_000;
const WORDS = 1 << 22;
const END = 1;
const CALL = 2;
const TOOLS = 3;
const ROLES: Readonly<Record<string, number>> = { system: 10, user: 11, assistant: 12, tool: 13 };

/**
 * Ids of a made-up vocabulary: a prompt with one more turn begins with the prompt before and the answer to it. `nth` is the
 * number of the answer: with it no two answers have the same log-probabilities, as those of a real server have not.
 */
export function toyTokens(
  messages: readonly IncomingMessage[],
  tools: unknown,
  reply: Reply,
  { nth, stripsThoughts = false }: { readonly nth: number; readonly stripsThoughts?: boolean },
): Toy {
  const prompt = toyPrompt(messages, tools, stripsThoughts);
  const answer = [...said(reply.content ?? '', reply.toolCalls), END];
  const logprobs = answer.map(
    (id, i) => -((id % 97) / 64) - ((nth * 31 + i * 7) % 10_007) / 2 ** 20 - (nth + 1) / 2 ** 10,
  );
  return { prompt, answer, logprobs };
}

/** Of a prompt alone. */
export function toyPrompt(messages: readonly IncomingMessage[], tools: unknown, stripsThoughts: boolean): number[] {
  const prompt = tools === undefined ? [] : [TOOLS, ...words(JSON.stringify(tools)), END];
  for (const { role, content, tool_calls } of messages) {
    const calls = callsIn(tool_calls);
    const text = stripsThoughts && calls.length > 0 ? '' : textOf(content);
    prompt.push(ROLES[String(role)] ?? END, ...said(text, calls), END);
  }
  prompt.push(ROLES.assistant!);
  return prompt;
}

/** Names what was sent, in a log of what was. */
export function digestOfTokens({ prompt, answer, logprobs }: Toy): string {
  return createHash('sha256')
    .update(JSON.stringify([prompt, answer, logprobs]))
    .digest('hex');
}

/** Fields of a request that ask for tokens. */
type Asked = Readonly<Record<string, unknown>>;
const ASKS = ['return_token_ids', 'return_prompt_token_ids', 'return_meta_info'];

/** In the words of the server that is played, why it refuses to answer; undefined where it does not. */
export function refusalOf({ like }: ToyTokens, asked: Asked): string | undefined {
  const known = like === 'sglang' ? ASKS : like === 'sglang-meta' ? ASKS.slice(1) : [];
  const unstreamed = asked.stream === true ? known.find((field) => asked[field] === true) : undefined;
  if (unstreamed !== undefined)
    return `${unstreamed} is not supported with streaming on /v1/chat/completions. Please set stream=false when using ${unstreamed}=true.`;
  if (like === 'llama-cpp' && asked.stream === true && asked.logprobs === true && Array.isArray(asked.tools))
    return 'logprobs is not supported with tools + stream';
  const unknown = like === 'strict' ? ASKS.filter((field) => field in asked) : [];
  return unknown.length > 0 ? `Unrecognized request arguments supplied: ${unknown.join(', ')}` : undefined;
}

/** A completion with what the server that is played gives of the tokens, as far as it was asked to. */
export function withTokens(
  completion: Readonly<Record<string, unknown>>,
  toy: Toy,
  { like, loses }: ToyTokens,
  { turn, asked }: { readonly turn: number; readonly asked: Asked },
): Record<string, unknown> {
  const [choice] = completion.choices as [Record<string, unknown>];
  const kept = loses.includes(turn) ? toy.logprobs.slice(0, -1) : toy.logprobs;
  const content = kept.map((logprob, i) => {
    const entry = { token: `t${toy.answer[i]}`, logprob, bytes: null, top_logprobs: [] };
    return like === 'llama-cpp' ? { id: toy.answer[i], ...entry } : entry;
  });
  const given = (fields: Record<string, unknown>, top: Record<string, unknown> = {}) => ({
    ...completion,
    ...top,
    usage: {
      ...(completion.usage as object),
      prompt_tokens: toy.prompt.length,
      completion_tokens: toy.answer.length,
      total_tokens: toy.prompt.length + toy.answer.length,
    },
    choices: [{ ...choice, ...fields }],
  });
  const logprobs = asked.logprobs === true ? { content } : null;
  switch (like) {
    case 'vllm': {
      if (asked.return_token_ids !== true) return given({ logprobs });
      return given({ logprobs, token_ids: toy.answer }, { prompt_token_ids: toy.prompt });
    }
    case 'sglang': {
      const ids = asked.return_token_ids === true ? { prompt_token_ids: toy.prompt, token_ids: toy.answer } : {};
      return given({ logprobs, ...ids });
    }
    case 'sglang-meta': {
      const output = kept.map((logprob, i) => [logprob, toy.answer[i], null]);
      const meta = asked.return_meta_info === true ? { meta_info: { output_token_logprobs: output } } : {};
      const prompt = asked.return_prompt_token_ids === true ? { prompt_token_ids: toy.prompt } : {};
      return given({ logprobs: null, ...prompt, ...meta });
    }
    case 'llama-cpp':
      // The token that ends the answer is not among them, and without a number of alternatives there are none at all.
      return given(
        Number(asked.top_logprobs) > 0 ? { logprobs: { content: content.slice(0, toy.answer.length - 1) } } : {},
      );
    case 'strict':
      return given({ logprobs });
    default:
      return like satisfies never;
  }
}

interface Called {
  readonly name: string;
  readonly arguments: string;
}

function said(text: string, calls: readonly Called[]): number[] {
  return [...words(text), ...calls.flatMap((call) => [CALL, ...words(call.name), ...words(plain(call.arguments))])];
}

function words(text: string): number[] {
  vocabulary ??= newVocabulary();
  const { ids, spelt } = vocabulary;
  return (text.match(/\s*\S{1,7}/g) ?? []).map((word) => {
    const id = ids.get(word) ?? idOf(word);
    ids.set(word, id);
    spelt.set(id, word);
    return id;
  });
}

function idOf(word: string): number {
  return FIRST_WORD + (createHash('sha256').update(word).digest().readUInt32BE(0) % WORDS);
}

/**
 * Words that this process has given an id: the vocabulary is all words there are, and an id says nothing of its own. Made by
 * the first of them, because a cache takes all its room at once. A prompt says most words of the one before again: they are
 * not hashed anew.
 */
let vocabulary: ReturnType<typeof newVocabulary> | undefined;

function newVocabulary() {
  return {
    ids: new LRUCache<string, number>({ max: 100_000 }),
    spelt: new LRUCache<number, string>({ max: 1_000_000 }),
  };
}

/**
 * What a model that is given ids says of those from `from` on: their words, and log-probabilities that differ by model, place
 * and id. Of no id that it never met does it know the word.
 */
export function toyScores(
  model: string,
  ids: readonly number[],
  from: number,
  { foreign = false }: { readonly foreign?: boolean } = {},
): { readonly id: number; readonly logprob: number; readonly text: string }[] {
  const own = createHash('sha256').update(model).digest().readUInt8(0);
  return ids.slice(from).map((id, i) => {
    const text = id < FIRST_WORD ? `<|${id}|>` : (vocabulary?.spelt.get(id) ?? '');
    const logprob = -((id % 89) / 32) - ((own + from + i) % 1_009) / 2 ** 12 - 1 / 2 ** 10;
    return { id, logprob, text: foreign ? [...text].reverse().join('') : text };
  });
}

/** POST /v1/completions with `prompt_logprobs`, as vLLM answers it; servers that do not know the field leave it out. */
export function toyCompletion(model: string, tokens: ToyTokens, ids: readonly number[], asked: Asked) {
  const scores = toyScores(model, ids, 0, tokens).map(({ id, logprob, text }, i) =>
    i === 0 ? null : { [String(id)]: { logprob, rank: 1, decoded_token: text } },
  );
  const scored = tokens.like === 'vllm' && typeof asked.prompt_logprobs === 'number';
  const choice = { index: 0, text: ' ok', logprobs: null, finish_reason: 'length' };
  return {
    object: 'text_completion',
    model: `rehearsal/${model}`,
    choices: [scored ? { ...choice, prompt_logprobs: scores, prompt_token_ids: null } : choice],
    usage: { prompt_tokens: ids.length, completion_tokens: 1, total_tokens: ids.length + 1 },
  };
}

/** POST /generate with `return_logprob`, as SGLang answers it: the first of the ids has no log-probability. */
export function toyGenerated(model: string, tokens: ToyTokens, ids: readonly number[], asked: Asked) {
  const from = Math.max(0, Number(asked.logprob_start_len ?? -1));
  const scores = toyScores(model, ids, from, tokens).map(({ id, logprob, text }, i) => [
    i === 0 ? null : logprob,
    id,
    asked.return_text_in_logprobs === true ? text : null,
  ]);
  const meta_info = { prompt_tokens: ids.length, completion_tokens: 0 };
  return {
    text: '',
    meta_info: asked.return_logprob === true ? { ...meta_info, input_token_logprobs: scores } : meta_info,
  };
}

function callsIn(calls: unknown): Called[] {
  return (Array.isArray(calls) ? calls : []).map((call: { function?: Partial<Called> } | null) => ({
    name: String(call?.function?.name),
    arguments: String(call?.function?.arguments),
  }));
}

/** A harness may write the same arguments otherwise. */
function plain(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args));
  } catch {
    return args;
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : content === null || content === undefined
      ? ''
      : JSON.stringify(content);
}
