import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { type ErrorCode, isPointsmanError, PointsmanError } from '../contract';
import { isContextOverflow } from './overflow';
import { quotable } from './redact';
import { retryAfterMs } from './retryAfter';

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
    const hint = broke ? 'The account has no credit left: top it up; the call waits.' : 'The call waits and goes on.';
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
