import http from 'node:http';
import https from 'node:https';
import { BAD_BODY } from './errors';
import { END_OF_STREAM, isEventStream } from './stream';

/** No answer of a chat model is this long; without a cap a broken server could fill the worker's memory. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A slow server says nothing for minutes: what stands between would forget a connection without a sign of life. */
const CONNECTION = { keepAlive: true, noDelay: true, keepAliveInitialDelay: 30_000 };
const agents = { 'http:': new http.Agent(CONNECTION), 'https:': new https.Agent(CONNECTION) };

/**
 * The `fetch` that the `openai` client is given. It resolves when the whole body has arrived, so that the client's
 * timeout covers the body and not only the headers, and it has no time limit of its own: Node's fetch gives a silent
 * server up after 300 seconds, which a long answer of a large model easily takes. Aborting closes the socket.
 * Connections are kept and shared by every client of the process.
 */
export async function wholeBodyFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(input instanceof Request ? input.url : input);
  const message = await send(url, init);
  const body = await collect(message, init.signal ?? undefined);
  const status = message.statusCode ?? 0;
  if (status < 200 || status > 599) throw badBody(`the server answered with status ${status}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : printable(value));
  }
  const empty = status === 204 || status === 205 || status === 304;
  return new Response(empty ? null : status < 300 ? body : underErrorKey(body), { status, headers });
}

function send(url: URL, init: RequestInit): Promise<http.IncomingMessage> {
  const secure = url.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(
      url,
      {
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        agent: secure ? agents['https:'] : agents['http:'],
        ...(init.signal ? { signal: init.signal } : {}),
      },
      resolve,
    );
    request.on('error', (error: NodeJS.ErrnoException) => reject(explained(error, init.signal ?? undefined)));
    request.end(typeof init.body === 'string' ? init.body : undefined);
  });
}

/** Bytes of the last chunk that an end of a stream may have begun in. */
const TAIL_BYTES = 16;
/** A server that has said the last of a stream ends it at once, as a rule, and the connection can be used again. */
const ENDS_WITHIN_MS = 500;

async function collect(message: http.IncomingMessage, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let streams = message.headers['content-type']?.includes('text/event-stream') ?? false;
  let tail = '\n';
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) throw badBody(`the answer is longer than ${MAX_BODY_BYTES} bytes`);
      if (chunks.length === 0) streams ||= isEventStream(chunk.subarray(0, 100).toString('latin1'));
      chunks.push(chunk);
      if (!streams) continue;
      const seen = tail + chunk.toString('latin1');
      tail = seen.slice(-TAIL_BYTES);
      // Some servers keep the connection open after it.
      if (END_OF_STREAM.test(seen)) late ??= setTimeout(() => message.destroy(), ENDS_WITHIN_MS);
    }
  } catch (error) {
    if (signal?.aborted) throw aborted();
    if (late) return Buffer.concat(chunks);
    if ((error as NodeJS.ErrnoException).code === BAD_BODY) throw error;
    throw badBody(`the connection closed after ${bytes} bytes, in the middle of the answer`);
  } finally {
    clearTimeout(late);
  }
  return Buffer.concat(chunks);
}

/**
 * The client looks for an error's text under `error` and forgets the rest, but vLLM writes `message` and FastAPI
 * `detail` at the top. Without this a context overflow of theirs would read "400 status code (no body)".
 */
function underErrorKey(body: Buffer): Buffer | string {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    // Gemini writes a list of one.
    const whole: unknown = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed;
    return JSON.stringify(typeof whole === 'object' && whole !== null && 'error' in whole ? whole : { error: whole });
  } catch {
    return body;
  }
}

function explained(error: NodeJS.ErrnoException, signal?: AbortSignal): Error {
  if (signal?.aborted) return aborted();
  if (error.code?.startsWith('HPE_')) return badBody(`what answers does not speak HTTP (${error.message})`);
  return Object.assign(new Error(error.message || error.code || 'connection failed'), { code: error.code });
}

/** The name is how the client tells its own timeout and the caller's abort from other failures. */
function aborted(): Error {
  return Object.assign(new Error('aborted'), { name: 'AbortError' });
}

function badBody(message: string): Error {
  return Object.assign(new Error(message), { code: BAD_BODY });
}

function printable(value: string): string {
  return value.replace(/[^\t\x20-\x7e]/g, '?');
}
