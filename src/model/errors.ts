import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { type ErrorCode, isPointsmanError, PointsmanError } from '../contract';
import { overflowOf, type PromptSize } from './overflow';
import { quotable } from './redact';
import { remedyFor } from './remedies';

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
  /** What was asked, for a guess at what a server means that nobody has met, and for one that counts no tokens. */
  readonly prompt?: PromptSize;
  /** Whether a stream was asked for. */
  readonly stream?: boolean;
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
  if (error instanceof APIError && typeof error.status === 'number') return statusError(error, context);
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

/** What a server said of a call that failed: by its status, or inside of a 200. */
interface Refusal {
  readonly status: number;
  readonly codes: readonly unknown[];
  readonly text: string;
  readonly headers?: Pick<Headers, 'get'>;
}

function statusError(error: APIError, context: ErrorContext): ModelError {
  const { code, type, headers } = error;
  const text = `${error.message}${upstreamWords(error.error)}`;
  return refused({ status: error.status as number, codes: [code, type], text, headers }, context);
}

function refused({ status, codes, text, headers }: Refusal, context: ErrorContext): ModelError {
  const say = (words: string) => `profile "${context.profile}": ${quotable(words, context.secrets)}`;
  const overflow = overflowOf({ status, codes, text }, context.prompt);
  if (overflow === 'known') return new ModelError('ContextWindowExceeded', say(text), OVERFLOW_HINT, false);
  if (overflow === 'guessed') {
    const { tokens, window } = context.prompt!;
    const why = `taken for an overflow, which is a guess: no server that we know says this, the prompt has about ${tokens} tokens, and contextTokens is ${window}`;
    return new ModelError('ContextWindowExceeded', `${say(text)} (${why})`, OVERFLOW_HINT, false);
  }
  if (TEMPLATE.test(text.slice(0, 20_000))) return new ModelError('ModelRejected', say(text), TEMPLATE_HINT, false);
  const wait = retryAfterMs(headers, context.now);
  if (status === 429) {
    const broke = codes.some((code) => typeof code === 'string' && OUT_OF_CREDIT.has(code));
    const hint = broke ? 'The account has no credit left: top it up; the call waits.' : 'The call is retried later.';
    return new ModelError('RateLimited', say(text), hint, true, broke ? Math.max(wait ?? 0, CREDIT_WAIT_MS) : wait);
  }
  if (status === 501 || status === 505) {
    const hint =
      'The server cannot do this at all: use a profile of a server that can, or start it with what it names.';
    return new ModelError('ModelRejected', say(text), hint, false);
  }
  if (status >= 500 || status === 408 || status === 409 || status === 425) {
    const hint = 'Trouble of the provider: the call is made again.';
    return new ModelError('ModelServerError', say(text), hint, true, wait);
  }
  return new ModelError('ModelRejected', say(text), rejectionHint(status, codes, text, context), false);
}

/** A gateway's own words are "Provider returned error"; what the upstream said is beside them. */
function upstreamWords(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('metadata' in error)) return '';
  const { metadata } = error;
  if (typeof metadata !== 'object' || metadata === null) return '';
  const told = Object.entries(metadata).filter(([key]) => ['raw', 'provider_name', 'reasons'].includes(key));
  const words = told.map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return words.length === 0 ? '' : ` (${words.join(': ')})`;
}

/**
 * The error that a server wrote into a 200: gateways report an upstream's failure so, and streams have no other place for
 * it. The status inside decides; where there is none, the words do.
 */
export function errorInside(error: unknown, context: ErrorContext, headers?: Pick<Headers, 'get'>): ModelError {
  const fields =
    typeof error === 'object' && error !== null ? new Map<string, unknown>(Object.entries(error)) : undefined;
  const codes = ['code', 'type', 'status', 'status_code', 'error_code', 'http_status'].map((key) => fields?.get(key));
  const message = fields?.get('message') ?? fields?.get('msg') ?? error;
  const words = `${typeof message === 'string' ? message : JSON.stringify(message)}${upstreamWords(error)}`;
  const known = codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code <= 599);
  const status =
    known ??
    statusInWords(`${codes.filter((code) => typeof code === 'string').join(' ')} ${words}`, codes, context.prompt);
  const told = `the answer (status 200) holds an error${known === undefined ? '' : ` ${known}`}`;
  return refused({ status, codes, text: `${told}: ${words}`, headers }, context);
}

/** What a status would have said, had the server sent one. What nobody can tell is worth another attempt. */
function statusInWords(words: string, codes: readonly unknown[], prompt?: PromptSize): number {
  if (overflowOf({ status: 400, codes, text: words })) return 400;
  const said = WORDS_OF_STATUSES.find(([, says]) => says.test(words.slice(0, 20_000)));
  return said?.[0] ?? (overflowOf({ status: 400, codes, text: words }, prompt) ? 400 : 502);
}

const WORDS_OF_STATUSES: readonly (readonly [number, RegExp])[] = [
  [429, /insufficient_quota|rate.?limit|too many requests|quota|throttl/i],
  [401, /unauthori[sz]ed|authenticat|no auth|(api|access|secret)[ _-]?(key|token)|credentials|log ?in required/i],
  [402, /insufficient[ _](credits?|funds?|balance)|payment|billing|out of credits?|more credits|arrears/i],
  [403, /forbidden|permission|access denied|not (allowed|authori[sz]ed)|moderation|flagged/i],
  [
    404,
    /(model|deployment|route|endpoint)\b.{0,80}\b(not found|not exist|no longer|unknown)|not_found|no (endpoints|allowed providers)|unknown model/i,
  ],
  [503, /overloaded|unavailable|try again|timed? ?out|internal|capacity|busy|upstream|bad gateway/i],
  [
    400,
    /content_(filter|policy)|invalid|bad request|unsupported|not supported|validation|is required|must be|unrecogni[sz]ed/i,
  ],
];

const OVERFLOW_HINT =
  'Lower contextTokens of the profile or shorten what the model is shown (view.history, observationChars).';

/** What a chat template says of a conversation that it cannot write: the same conversation fails again, whatever the status. */
const TEMPLATE =
  /jinja|minja|raise_exception|template ?(syntax ?)?error|chat[ _]template|roles? must (strictly )?alternate|(must|should) alternate between|system (role|message|prompt)s? (is |are )?(not supported|unsupported)|only (the )?(system, )?user,? and assistant roles|after the optional system message|unexpected (message )?role|expected last role|no user query found|(first|last) message (must|should) be|only supports single tool[- ]calls?|not the same number of function calls|unable to generate parser for this template|(apply|render)\w* (the )?(chat )?template|template rendering/i;

const TEMPLATE_HINT =
  'The chat template of the model cannot write this conversation: set another view.dialect in the profile (backticks and xml need no tool messages), or start the server with another template.';

function rejectionHint(status: number, codes: readonly unknown[], text: string, { stream }: ErrorContext): string {
  if (status === 401) return 'Check the variable that apiKeyEnv of the profile names: it is missing, wrong or expired.';
  if (status === 402) return 'The account cannot pay for this call: add credit, then start again.';
  if (status === 403)
    return 'The key is valid but may not use this model: check the rights of the key and the project.';
  if (status === 404 && !/support tool/i.test(text))
    return 'Check model and baseUrl of the profile; the server lists its models at GET /v1/models.';
  if (status === 413) return 'The request is larger than the server takes: shorten what the model is shown.';
  if (status >= 300 && status < 400) return 'The server redirects: put the address that it names into baseUrl.';
  const words = `${codes.filter((code) => typeof code === 'string').join(' ')} ${text}`;
  const remedy = remedyFor(words, stream);
  if (remedy) return remedy.hint;
  return 'These are the words of the server. What a request holds is set in the profile; extraBody adds to it or takes out.';
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
