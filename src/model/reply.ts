import type { ModelProfile, RawReply, Usage } from '../contract';
import type { ChatAnswer } from './answer';
import { type ErrorContext, ModelError, malformed } from './errors';
import { costOf, type Tokens } from './price';
import { quotable } from './redact';

type Json = Record<string, unknown>;

/** What else of the call the answer is completed with. */
export interface CallFacts {
  readonly profile: ModelProfile;
  readonly context: ErrorContext;
  readonly requestId: string;
  readonly latencyMs: number;
  /** Prompt tokens to assume where the server reports none. */
  readonly promptTokens: number;
}

/**
 * Reads the body of an answer that came with a 2xx status. Whatever can be understood becomes a reply, even an empty
 * one: judging it is the dialect's work. Throws `ModelMalformed` (retryable) where there is no reply at all, and the
 * error that a gateway wrapped into a 200.
 */
export function readAnswer(text: string, facts: CallFacts): ChatAnswer {
  const body = parse(text, facts.context);
  if (body.error !== undefined && body.error !== null) throw wrappedError(body.error, facts.context);
  const choice = asObject(Array.isArray(body.choices) ? body.choices[0] : undefined);
  if (!choice) throw malformed(facts.context, 'the answer has no choices', text);
  const message = asObject(choice.message);
  if (!message && typeof choice.text !== 'string') throw malformed(facts.context, 'the answer has no message', text);
  const reasoning = reasoningOf(message ?? {});
  const reply: RawReply = {
    content: contentOf(message?.content ?? choice.text ?? message?.refusal),
    toolCalls: toolCallsOf(message ?? {}, facts.requestId),
    finishReason: typeof choice.finish_reason === 'string' ? choice.finish_reason : null,
    ...(reasoning === '' ? {} : { reasoning }),
  };
  const tokens = tokensOf(body.usage);
  const counted = tokens ?? { promptTokens: facts.promptTokens, cachedTokens: 0, completionTokens: sizeOf(reply) };
  const { costUsd, priced } = costOf(counted, facts.profile.price);
  const usage: Usage = { ...counted, costUsd };
  const tokenIds = choice.token_ids;
  return {
    reply,
    usage,
    priced,
    ...(tokens ? {} : { estimated: true }),
    responseId: typeof body.id === 'string' ? body.id : null,
    model: typeof body.model === 'string' && body.model !== '' ? body.model : facts.profile.model,
    latencyMs: facts.latencyMs,
    ...(Array.isArray(tokenIds) && tokenIds.every(Number.isInteger) ? { tokenIds: tokenIds as number[] } : {}),
    ...(asObject(choice.logprobs) ? { logprobs: choice.logprobs } : {}),
  };
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

/** Gateways (OpenRouter among them) report an upstream's failure as a 200 that holds `error`. */
function wrappedError(error: unknown, context: ErrorContext): ModelError {
  const code = Number(asObject(error)?.code);
  const text = quotable(JSON.stringify(error), context.secrets);
  const message = `profile "${context.profile}": the gateway answered with an error: ${text}`;
  if (code === 429) return new ModelError('RateLimited', message, 'The call is retried later.', true);
  if (code >= 500)
    return new ModelError('ModelServerError', message, 'Trouble of the provider: the call is repeated.', true);
  return new ModelError('ModelMalformed', message, '', true);
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
      id: typeof call.id === 'string' && call.id !== '' ? wellFormed(call.id) : `call_${requestId}_${index}`,
      name: typeof fn.name === 'string' ? wellFormed(fn.name) : '',
      arguments: argumentsOf(fn.arguments),
    };
  });
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
