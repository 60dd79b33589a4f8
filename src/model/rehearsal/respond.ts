import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { broken, eventOf, eventsOf, FINGERPRINT } from './completion';
import { BrokenMessage, type Fault, retryHeaders } from './faults';

/** Every response says that no model is behind it. */
const HONEST = { 'x-pointsman-rehearsal': '1' } as const;

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...HONEST,
    ...headers,
  });
  response.end(text);
}

/** A sound completion, in one piece or as a stream. */
export interface Sound {
  readonly completion: Record<string, unknown>;
  readonly streamed: boolean;
  /** Whether a stream ends with the usage. */
  readonly withUsage: boolean;
}

const EVENTS = 'text/event-stream; charset=utf-8';

export function sendSound(response: ServerResponse, { completion, streamed, withUsage }: Sound): void {
  if (!streamed) {
    sendJson(response, 200, completion);
    return;
  }
  response.writeHead(200, { 'content-type': EVENTS, 'cache-control': 'no-cache', ...HONEST });
  for (const event of eventsOf(completion, withUsage)) response.write(event);
  response.end();
}

export function errorBody(message: string, type: string, code: string | null = null): unknown {
  return { error: { message: `[rehearsal] ${message}`, type, code, param: null }, system_fingerprint: FINGERPRINT };
}

/** Whether an answer of the model reaches the caller under this fault (and a real provider would bill it). */
export function isAnswered(fault: Fault | undefined): boolean {
  return fault === undefined || ['slow', 'emptyReply', 'malformedToolCalls', 'unaskedStream'].includes(fault.kind);
}

/** Answers as the fault says instead of with what is `sound`. `slow` must have been waited for by the caller. */
export function sendFault(response: ServerResponse, fault: Fault, sound: Sound, headers: IncomingHttpHeaders): void {
  const { completion, streamed, withUsage } = sound;
  const text = streamed ? eventsOf(completion, withUsage).join('') : JSON.stringify(completion);
  const type = streamed ? EVENTS : 'application/json';
  const cut = text.slice(0, Math.floor(text.length / 2));
  switch (fault.kind) {
    case 'rateLimit': {
      const body = errorBody(fault.message ?? 'Rate limit reached', 'requests', fault.code ?? 'rate_limit_exceeded');
      sendJson(response, fault.status ?? 429, body, retryHeaders(fault));
      return;
    }
    case 'serverError': {
      const body = errorBody(fault.message ?? 'The server had an error', 'server_error', fault.code);
      sendJson(response, fault.status ?? 500, body, retryHeaders(fault));
      return;
    }
    case 'rejected': {
      const message = fault.message?.replace('{authorization}', headers.authorization ?? '') ?? 'Invalid request';
      sendJson(response, fault.status ?? 400, errorBody(message, 'invalid_request_error', fault.code));
      return;
    }
    case 'contextExceeded':
      sendJson(response, 400, overflowBody(fault.variant));
      return;
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'halfBody':
    case 'stall':
      response.writeHead(200, {
        'content-type': type,
        'content-length': Buffer.byteLength(text),
        ...HONEST,
      });
      response.write(cut, () => {
        if (fault.kind === 'halfBody') response.destroy();
      });
      return;
    case 'malformedJson':
      response.writeHead(200, { 'content-type': type, ...HONEST }).end(cut);
      return;
    case 'malformedToolCalls':
      sendJson(response, 200, broken(completion, BrokenMessage.catch('null_message').parse(fault.variant)));
      return;
    case 'emptyReply': {
      const choices = [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
      sendSound(response, { ...sound, completion: { ...completion, choices } });
      return;
    }
    case 'htmlPage':
      response
        .writeHead(fault.status ?? 200, { 'content-type': 'text/html', ...HONEST })
        .end(
          '<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>[rehearsal] Bad gateway</h1></body></html>',
        );
      return;
    case 'slow':
      sendSound(response, sound);
      return;
    case 'answer':
      sendAnswer(response, fault);
      return;
    case 'unaskedStream':
      sendSound(response, { ...sound, streamed: true });
      return;
    case 'streamError': {
      const events = eventsOf(completion, withUsage);
      response.writeHead(200, { 'content-type': EVENTS, ...HONEST });
      response.write(events.slice(0, Math.floor(events.length / 2)).join(''));
      response.end(
        eventOf(fault.body ?? errorBody(fault.message ?? 'The upstream is gone', 'server_error', fault.code)),
      );
      return;
    }
    default:
      fault.kind satisfies never;
  }
}

function sendAnswer(response: ServerResponse, { status, body }: Fault): void {
  if (typeof body !== 'string') {
    sendJson(response, status ?? 200, body ?? {});
    return;
  }
  const type = /^(:|data:|event:)/.test(body) ? EVENTS : 'text/plain; charset=utf-8';
  response.writeHead(status ?? 200, { 'content-type': type, ...HONEST }).end(body);
}

export function overflowBody(variant = 'openai'): unknown {
  if (variant === 'vllm') {
    const message = "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.";
    return { object: 'error', message: `[rehearsal] ${message}`, type: 'BadRequestError', param: null, code: 400 };
  }
  if (variant === 'anthropic') {
    const message = '[rehearsal] prompt is too long: 210000 tokens > 200000 maximum';
    return { type: 'error', error: { type: 'invalid_request_error', message } };
  }
  return errorBody('The input is longer than the model takes.', 'invalid_request_error', 'context_length_exceeded');
}
