import { createHash } from 'node:crypto';
import type { ModelProfile, RawReply, Usage } from '../contract';
import type { FreshAnswer } from './answer';
import { type ErrorContext, errorInside, ModelError, malformed } from './errors';
import { costOf, type Tokens } from './price';
import { quotable } from './redact';
import { readTokens } from './sampled';
import { assembleStream, isEventStream } from './stream';

type Json = Record<string, unknown>;

/** What else of the call the answer is completed with. */
export interface CallFacts {
  readonly profile: ModelProfile;
  readonly context: ErrorContext;
  readonly requestId: string;
  readonly latencyMs: number;
  /** Of the response: an error inside of a 200 may name a wait there. */
  readonly headers?: Pick<Headers, 'get'>;
}

/**
 * Reads the body of an answer that came with a 2xx status, in one piece or as a stream of events, whichever was asked for.
 * Whatever can be understood becomes a reply, even an empty one: judging it is the dialect's work. Throws `ModelMalformed`
 * (retryable) where there is no reply at all, `ModelServerError` (retryable) where the server broke off in the middle,
 * `ModelRejected` where a filter or the model refused, and the error that a gateway wrapped into a 200.
 */
export function readAnswer(text: string, facts: CallFacts): FreshAnswer {
  const { context, headers } = facts;
  const body = bodyIn(text, facts);
  const error = errorIn(body);
  if (error !== undefined) throw errorInside(error, context, headers);
  const choice = asObject(Array.isArray(body.choices) ? body.choices[0] : undefined);
  if (!choice) throw malformed(context, 'the answer has no choices', text);
  if (isThere(choice.error)) throw errorInside(choice.error, context, headers);
  const message = asObject(choice.message);
  if (!message && typeof choice.text !== 'string') throw malformed(context, 'the answer has no message', text);
  const finishReason = finishReasonOf(choice.finish_reason);
  refuseUnfinished(finishReason, choice, context);
  const reasoning = reasoningOf(message ?? {});
  const reply: RawReply = {
    content: contentOf(message?.content ?? choice.text),
    toolCalls: toolCallsOf(message ?? {}, facts.requestId),
    finishReason,
    ...(reasoning === '' ? {} : { reasoning }),
  };
  refuseRefusal(reply, message?.refusal, context);
  const tokens = tokensOf(body.usage);
  const counted = tokens ?? {
    promptTokens: context.prompt?.tokens ?? 0,
    cachedTokens: 0,
    completionTokens: sizeOf(reply),
  };
  const { costUsd, priced } = costOf(counted, facts.profile.price);
  const usage: Usage = { ...counted, costUsd };
  return {
    reply,
    usage,
    priced,
    ...(tokens ? {} : { estimated: true }),
    ...(isEventStream(text) ? { streamed: true } : {}),
    responseId: typeof body.id === 'string' ? body.id : null,
    model: typeof body.model === 'string' && body.model !== '' ? body.model : facts.profile.model,
    latencyMs: facts.latencyMs,
    ...(facts.profile.keepTokens ? keptTokens(body, choice, tokens) : tokensBeside(choice)),
  };
}

function keptTokens(body: Json, choice: Json, counted: Tokens | undefined): Pick<FreshAnswer, 'tokens' | 'sampled'> {
  const { tokens, dropped } = readTokens(body, choice, counted);
  return { ...(tokens ? { tokens } : {}), sampled: dropped.length > 0 ? { dropped: [...dropped] } : {} };
}

/** What a profile asks for in `extraBody` alone, as it comes. */
function tokensBeside({ token_ids, logprobs }: Json): Pick<FreshAnswer, 'tokenIds' | 'logprobs'> {
  return {
    ...(Array.isArray(token_ids) && token_ids.every(Number.isInteger) ? { tokenIds: token_ids as number[] } : {}),
    ...(asObject(logprobs) ? { logprobs } : {}),
  };
}

function bodyIn(text: string, { context, headers }: CallFacts): Json {
  if (!isEventStream(text)) return parse(text, context);
  const stream = assembleStream(text);
  if (stream.kind === 'error') throw errorInside(stream.error, context, headers);
  if (stream.kind === 'broken') throw malformed(context, stream.what, text.slice(-300));
  return stream.body;
}

function parse(text: string, context: ErrorContext): Json {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    const what = /^\s*</.test(text) ? 'a web page instead of an answer' : 'the answer is not JSON';
    throw malformed(context, text.trim() === '' ? 'the answer is empty' : what, text);
  }
  const body = asObject(parsed);
  if (!body) throw malformed(context, 'the answer is not an object', text);
  return body;
}

/** Where servers put an error into a body that came with a 200. Beside an answer only `error` is one. */
export function errorIn(body: Readonly<Record<string, unknown>>): unknown {
  if (isThere(body.error)) return body.error;
  if (Array.isArray(body.choices) && body.choices.length > 0) return undefined;
  if (Array.isArray(body.errors) && body.errors.length > 0) return body.errors[0];
  if (isThere(body.detail)) return body.detail;
  const base = asObject(body.base_resp);
  if (base && count(base.status_code) > 0) return { code: base.status_code, message: base.status_msg ?? base };
  const message = body.message ?? body.error_msg ?? body.msg;
  return typeof message === 'string' && message !== '' ? { ...body, message } : undefined;
}

/** Servers that always send the field leave it null, false or empty where there is no error. */
function isThere(error: unknown): boolean {
  if (error === undefined || error === null || error === false || error === '') return false;
  return typeof error !== 'object' || Object.keys(error).length > 0;
}

/** In the words of the protocol, which dialects read; a word that is nobody's stays as it is. */
function finishReasonOf(reason: unknown): string | null {
  if (typeof reason !== 'string' || reason === '') return null;
  return FINISH_REASONS[reason.toLowerCase()] ?? wellFormed(reason);
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_length: 'length',
  max_output_tokens: 'length',
  model_context_window_exceeded: 'length',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
};

/** The upstream failed, or threw the request out, in the middle of the answer. */
const BROKEN_OFF = /^(error|abort(ed)?|cancel(l?ed)?|failed|insufficient_system_resource|network_error)$/i;

/** OpenAI's word, Anthropic's, Zhipu's, and those of Gemini, which come through as they are. */
const FILTERED =
  /content_?filter|refus(al|ed)|^sensitive$|^(image_)?(safety|recitation|prohibited_content)$|^(blocklist|spii|guardrail_intervened|content_policy(_violation)?)$/i;

/** Half an answer of a broken upstream is no turn, and what a filter left of one is none either. */
function refuseUnfinished(finishReason: string | null, choice: Json, context: ErrorContext): void {
  if (finishReason === null) return;
  const say = (what: string) => `profile "${context.profile}": ${quotable(what, context.secrets)}`;
  if (BROKEN_OFF.test(finishReason)) {
    const what = `the server broke off in the middle of the answer (finish_reason: ${finishReason})`;
    throw new ModelError('ModelServerError', say(what), 'Trouble of the provider: the call is made again.', true);
  }
  if (!FILTERED.test(finishReason)) return;
  const message = asObject(choice.message);
  const told = [choice.native_finish_reason, message?.refusal, filteredOf(choice)].filter(
    (word) => typeof word === 'string' && word !== '' && word !== finishReason,
  );
  const what = [`the provider refuses this conversation (finish_reason: ${finishReason})`, ...told].join(': ');
  throw new ModelError('ModelRejected', say(what), REFUSED_HINT, false);
}

/** A refusal in the model's own words, instead of an answer. */
function refuseRefusal({ content, toolCalls }: RawReply, refusal: unknown, context: ErrorContext): void {
  if (typeof refusal !== 'string' || refusal.trim() === '' || content || toolCalls.length > 0) return;
  const what = `profile "${context.profile}": the model refuses: ${quotable(refusal, context.secrets)}`;
  throw new ModelError('ModelRejected', what, REFUSED_HINT, false);
}

const REFUSED_HINT =
  'What the conversation says is refused, not how it is sent: another model, or another problem, may pass.';

/** Azure's filters say which of them it was. */
function filteredOf({ content_filter_results, content_filter_result }: Json): string {
  const results = asObject(content_filter_results) ?? asObject(content_filter_result) ?? {};
  const filtered = Object.entries(results).filter(([, result]) => asObject(result)?.filtered === true);
  return filtered.map(([category, result]) => `${category} ${asObject(result)?.severity ?? ''}`.trim()).join(', ');
}

function contentOf(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return wellFormed(content);
  // Some servers answer with parts, as requests may have them.
  if (Array.isArray(content)) {
    return wellFormed(content.map((part) => (isThinking(part) ? '' : textOf(part))).join(''));
  }
  return wellFormed(JSON.stringify(content));
}

/** Reasoning that the server keeps apart from the answer, by whichever name it has there; empty where there is none. */
function reasoningOf(message: Json): string {
  const named = [message.reasoning_content, message.reasoning, message.thinking]
    .map((each) => textOf(each))
    .find((text) => text !== '');
  if (named !== undefined) return wellFormed(named);
  const parts = Array.isArray(message.content) ? message.content.filter(isThinking) : [];
  const details = Array.isArray(message.reasoning_details) ? message.reasoning_details : [];
  return wellFormed(textOf(parts.length > 0 ? parts : details));
}

function isThinking(part: unknown): boolean {
  return ['thinking', 'reasoning'].includes(String(asObject(part)?.type));
}

/** Text of a part or of a list of parts. Real ones nest three deep (Mistral); more is nobody's text. */
function textOf(part: unknown, depth = 0): string {
  if (typeof part === 'string') return part;
  if (depth > 4) return '';
  if (Array.isArray(part)) return part.map((each) => textOf(each, depth + 1)).join('');
  const { text, thinking, reasoning, summary } = asObject(part) ?? {};
  return textOf(text ?? thinking ?? reasoning ?? summary ?? '', depth + 1);
}

function toolCallsOf(message: Json, requestId: string): RawReply['toolCalls'] {
  const calls = Array.isArray(message.tool_calls)
    ? message.tool_calls
    : asObject(message.tool_calls)
      ? [message.tool_calls]
      : [];
  const legacy = asObject(message.function_call);
  const all = calls.length === 0 && legacy ? [{ function: legacy }] : calls;
  return all.map((raw, index) => {
    const call = asObject(raw) ?? {};
    const fn = asObject(call.function) ?? call;
    return {
      // An observation must be able to name the call, so one without an id is given one that a retry gives again.
      id: typeof call.id === 'string' && call.id !== '' ? wellFormed(call.id) : madeUpId(requestId, index),
      name: typeof fn.name === 'string' ? wellFormed(fn.name) : '',
      arguments: argumentsOf(fn.arguments),
    };
  });
}

/** Nine letters and digits, which is what the strictest servers take. */
function madeUpId(requestId: string, index: number): string {
  return createHash('sha256').update(`${requestId} ${index}`).digest('hex').slice(0, 9);
}

function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return wellFormed(value);
  return value === undefined || value === null ? '' : wellFormed(JSON.stringify(value));
}

function tokensOf(raw: unknown): Tokens | undefined {
  const usage = asObject(raw);
  const promptTokens = count(usage?.prompt_tokens);
  const completionTokens = count(usage?.completion_tokens);
  if (!usage || (promptTokens === 0 && completionTokens === 0)) return undefined;
  const cached = count(asObject(usage.prompt_tokens_details)?.cached_tokens ?? usage.prompt_cache_hit_tokens);
  return { promptTokens, cachedTokens: Math.min(cached, promptTokens), completionTokens };
}

function sizeOf(reply: RawReply): number {
  const calls = reply.toolCalls.map((call) => call.name + call.arguments).join('');
  return Math.ceil(Buffer.byteLength(`${reply.reasoning ?? ''}${reply.content ?? ''}${calls}`) / 3);
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Half a surrogate pair cannot be written as UTF-8: it would change, and with it the hash, on its way to the store. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
