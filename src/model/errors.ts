import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { type ErrorCode, isPointsmanError, PointsmanError } from '../contract';
import { quotable } from './redact';

/** What went wrong at a model endpoint, and whether and when the same request may be sent again. */
export class ModelError extends PointsmanError {
  constructor(
    code: ErrorCode,
    message: string,
    hint: string,
    readonly retryable: boolean,
    /** Milliseconds that the server asked to wait; undefined leaves it to the retry policy. */
    readonly retryAfterMs?: number,
  ) {
    super(code, message, hint);
  }
}

export interface ErrorContext {
  /** Name of the model profile, for the message. */
  readonly profile: string;
  /** Values that must never appear in a message. */
  readonly secrets?: readonly string[];
  readonly now?: number;
}

const OUT_OF_CREDIT = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'insufficient_balance']);
const CREDIT_WAIT_MS = 5 * 60_000;

/**
 * Reads any failure of a call as a `ModelError`. Aborts and errors that already have a code come back as they are. The
 * original is not kept as `cause`: its message has not been redacted.
 */
export function classify(error: unknown, context: ErrorContext): Error {
  if (isPointsmanError(error)) return error;
  if (error instanceof APIUserAbortError) return error;
  // A DOMException is made by the platform, whose Error need not be ours.
  if ((error as Error | undefined)?.name === 'AbortError') return error as Error;
  const say = (text: string) => `profile "${context.profile}": ${quotable(text, context.secrets)}`;
  if (error instanceof APIConnectionTimeoutError) {
    const hint = 'Raise timeoutSeconds of the profile if the model needs longer than that for one answer.';
    return new ModelError('ModelTimeout', say('no answer within the time limit'), hint, true);
  }
  if (error instanceof APIConnectionError) return connectionError(error, say);
  if (error instanceof APIError && typeof error.status === 'number') return statusError(error, context, say);
  const text = error instanceof Error ? error.message : String(error);
  return new ModelError('Unavailable', say(`the call failed unexpectedly: ${text}`), '', true);
}

/** An answer that arrived and cannot be used. Retryable: the next one is usually sound. */
export function malformed(context: ErrorContext, what: string, body = ''): ModelError {
  const shown = body === '' ? '' : `: ${quotable(body, context.secrets, 300)}`;
  const hint = 'Check that baseUrl of the profile is the root of an OpenAI-compatible API (usually ending in /v1).';
  return new ModelError('ModelMalformed', `profile "${context.profile}": ${what}${shown}`, hint, true);
}

/** Set by our own fetch when the connection closes in the middle of an answer or the answer has no end. */
export const BAD_BODY = 'POINTSMAN_BAD_BODY';

function connectionError(error: APIConnectionError, say: (text: string) => string): ModelError {
  const cause = error.cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const text = cause instanceof Error ? cause.message || code : error.message;
  if (code === BAD_BODY) return new ModelError('ModelMalformed', say(text), '', true);
  const hint = 'Check baseUrl of the profile and that the server runs; the call is made again until it answers.';
  return new ModelError('ModelUnreachable', say(`cannot reach the model: ${text}`), hint, true);
}

function statusError(error: APIError, context: ErrorContext, say: (text: string) => string): ModelError {
  const status = error.status as number;
  const codes = [error.code, error.type];
  const text = error.message;
  if (isContextOverflow(status, codes, text)) {
    const hint =
      'Lower contextTokens of the profile or shorten what the model is shown (view.history, observationChars).';
    return new ModelError('ContextWindowExceeded', say(text), hint, false);
  }
  const wait = retryAfterMs(error.headers, context.now);
  if (status === 429) {
    const broke = codes.some((code) => typeof code === 'string' && OUT_OF_CREDIT.has(code));
    const hint = broke ? 'The account has no credit left: top it up; the call waits.' : 'The call is retried later.';
    return new ModelError('RateLimited', say(text), hint, true, broke ? Math.max(wait ?? 0, CREDIT_WAIT_MS) : wait);
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    return new ModelError(
      'ModelServerError',
      say(text),
      'Trouble of the provider: the call is made again.',
      true,
      wait,
    );
  }
  return new ModelError('ModelRejected', say(text), rejectionHint(status), false);
}

function rejectionHint(status: number): string {
  if (status === 401) return 'Check the variable that apiKeyEnv of the profile names: it is missing, wrong or expired.';
  if (status === 402) return 'The account cannot pay for this call: add credit, then start again.';
  if (status === 403)
    return 'The key is valid but may not use this model: check the rights of the key and the project.';
  if (status === 404) return 'Check model and baseUrl of the profile; the server lists its models at GET /v1/models.';
  if (status === 413) return 'The request is larger than the server takes: shorten what the model is shown.';
  if (status >= 300 && status < 400) return 'The server redirects: put the address that it names into baseUrl.';
  return 'The server refuses a field of the request: check temperature, maxOutputTokens and extraBody of the profile.';
}

/** Codes that providers give when the prompt does not fit the model's window. */
const CODES = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'prompt_too_long',
  'model_context_window_exceeded',
]);

/** Their wordings: OpenAI, Azure, Anthropic, Gemini, Mistral, Bedrock, Groq, DeepSeek, vLLM, SGLang, TGI, llama.cpp, LM Studio. */
const WORDINGS: readonly RegExp[] = [
  /maximum context (length|limit|size|window)/,
  /context[ _](length|window|size|limit)[^.]{0,40}exceed/,
  /exceed\w{0,20}[^.]{0,60}context[ _]?(length|window|size|limit)/,
  /context (window|length) (is )?(full|overflow)/,
  /context overflow|not (large|big) enough to (hold|fit)/,
  /(prompt|input|request|messages?)( tokens?)? (is|are|was) too (long|large)/,
  /prompt is longer than|longer than the model'?s (maximum )?(context|input|sequence)/,
  /input (tokens?|length|token count)[^.]{0,60}exceed/,
  /exceeds? the (maximum|limit of|allowed)[^.]{0,40}\btokens?\b/,
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/,
  /(prompt|input) (token )?length[^.]{0,60}(exceed|larger than|greater than|longer than)/,
  /requested tokens? \(\d+\) exceed/,
  /too many (input |prompt )?tokens/,
  /please reduce the length of the (messages|prompt|input)/,
];

/** Complaints about one field's length, or about the answer's length, are plain rejections. */
const OTHER_LENGTHS =
  /string_above_max_length|invalid '?user'?|max_(completion_)?tokens is too large|tokens per (min|day|hour)|rate limit/;

/**
 * Whether a rejected request was rejected for its length. Read from statuses 400, 413, 422 and 500 (older llama.cpp
 * answers 500); `text` may be the whole body.
 */
export function isContextOverflow(status: number, codes: readonly unknown[], text: string): boolean {
  if (![400, 413, 422, 500].includes(status)) return false;
  if (codes.some((code) => typeof code === 'string' && CODES.has(code.toLowerCase()))) return true;
  const lower = text.slice(0, 20_000).toLowerCase();
  if (OTHER_LENGTHS.test(lower)) return false;
  return [...CODES].some((code) => lower.includes(code)) || WORDINGS.some((wording) => wording.test(lower));
}

/** Longer waits are cut: asking again after a quarter of an hour is cheap, and some servers send days. */
const LONGEST_MS = 15 * 60_000;

/**
 * How long the server asks us to wait, in milliseconds: `retry-after-ms`, then `retry-after` in seconds or as an HTTP
 * date. Undefined when it says nothing usable, or names a moment that has passed.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'> | undefined, now = Date.now()): number | undefined {
  const wait = asked(headers?.get('retry-after-ms'), headers?.get('retry-after'), now);
  return wait !== undefined && wait > 0 ? Math.min(Math.ceil(wait), LONGEST_MS) : undefined;
}

function asked(ms: string | null | undefined, after: string | null | undefined, now: number): number | undefined {
  const inMs = decimal(ms);
  if (inMs !== undefined) return inMs;
  const inSeconds = decimal(after);
  if (inSeconds !== undefined) return inSeconds * 1000;
  // V8 reads a bare word with a digit as a year, so only what starts like a weekday is taken for a date.
  const date = after && /^[A-Za-z]{3}/.test(after.trim()) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

function decimal(text: string | null | undefined): number | undefined {
  const trimmed = text?.trim();
  return trimmed && /^-?\d+(\.\d+)?s?$/.test(trimmed) ? Number.parseFloat(trimmed) : undefined;
}
