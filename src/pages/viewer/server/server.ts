import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isPointsmanError, jsonAt, PersonAct, type PersonActed, PointsmanError, parseInput } from '../../../contract';
import { REPOSITORY } from '../../../home';
import { isOwnHost } from '../../../own-host';
import { type Bundle, viewerDocument } from '../document';
import type { ForkNode, RunEvents, RunList, RunPage } from '../payload';

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly title: string;
  /** What a browser has to show once; drawn anew unless told, so that a link may outlive a server. */
  readonly token?: string;
}

export interface Serving {
  /** With the token, which a browser keeps as a cookie. A place in the viewer is written behind it, from `#`. */
  readonly url: string;
  close(): Promise<void>;
}

interface Reply {
  readonly type: string;
  readonly body: string | Buffer;
  /** The body never changes: the browser need not ask again. */
  readonly lasting?: boolean;
  /** The browser is to keep it, and to go to the page itself. */
  readonly cookie?: string;
}

/** Where a person's turn is posted to, the only thing that changes anything. */
const ACT = '/api/act';
const MOST_BYTES = 1_000_000;

const MOVED = 'The viewer is at /.\n';

/** In the same time wherever they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** For everything but the page itself: a blob that a browser is sent to must stay text, whatever is in it. */
const INERT = "default-src 'none'; sandbox; frame-ancestors 'none'";

/**
 * Serves the viewer. It reads, and makes turns that wait for a person where its own page asks for it; it answers nobody but a browser on its own address that was given the link: other
 * accounts of the machine reach the address too. Throws where the port is taken.
 */
export async function serveViewer(
  source: ViewerSource,
  { port, host, title, token = randomBytes(18).toString('base64url') }: ServeOptions,
): Promise<Serving> {
  const document = viewerDocument(viewerBundle(), title, 'server');
  const server = createServer((request, response) => {
    answer(source, document, { host, token }, request)
      .then((reply) => send(request, response, 200, reply))
      .catch((error: unknown) => refuse(request, response, error));
  });
  await listening(server, port, host);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/?token=${token}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  source: ViewerSource,
  document: string,
  { host, token }: { readonly host: string; readonly token: string },
  request: IncomingMessage,
): Promise<Reply> {
  const { method, headers, url = '/', socket } = request;
  if (!isOwnHost(headers.host, host)) {
    throw new Refusal(421, 'This server answers to its own address only. Open the link that `pointsman view` printed.');
  }
  const acts = method === 'POST' && url.startsWith(`${ACT}?`);
  if (!acts && method !== 'GET' && method !== 'HEAD')
    throw new Refusal(405, 'There is nothing to change here: GET only.');
  if (!url.startsWith('/')) throw new Refusal(404, 'There is nothing here. The viewer is at /.');
  const { pathname, searchParams } = new URL(`http://viewer.invalid${url}`);
  // Cookies of an address are shared by all of its ports.
  const cookie = `pointsman-${socket.localPort}=${token}`;
  const given = searchParams.get('token');
  if (given !== null && isSame(given, token)) return { type: 'text/html; charset=utf-8', body: MOVED, cookie };
  if (!(headers.cookie ?? '').split('; ').some((each) => isSame(each, cookie))) {
    throw new Refusal(403, 'This is for who started it. Open the link that `pointsman view` printed, with its token.');
  }
  const id = searchParams.get('id') ?? '';
  if (acts) {
    assertOwnPage(headers);
    return json(await source.act(id, await actIn(request)));
  }
  if (pathname === '/') return { type: 'text/html; charset=utf-8', body: document };
  const blob = /^\/blob\/([0-9a-f]{64})$/.exec(pathname)?.[1];
  if (blob) return { type: 'text/plain; charset=utf-8', body: await source.blob(blob), lasting: true };
  switch (pathname) {
    case '/api/runs':
      return json(await source.list());
    case '/api/run':
      return json(await source.run(id));
    case '/api/forks':
      return json(await source.forks(id));
    case '/api/events':
      return json(await source.events(id));
    case '/api/search':
      return json(await source.search(id, searchParams.get('text') ?? ''));
    default:
      throw new Refusal(404, 'There is nothing here. The viewer is at /.');
  }
}

/** A page of another port is of the same site, so that the cookie comes with what it sends; its origin is another. */
function assertOwnPage({ origin, host, 'content-type': type }: IncomingMessage['headers']): void {
  if (origin !== `http://${host}`) throw new Refusal(403, 'Only the page of this server acts here.');
  if (type !== 'application/json') throw new Refusal(415, 'What is done is JSON (Content-Type: application/json).');
}

/** What was posted, of a length that was said: more than that is never read. */
async function actIn(request: IncomingMessage): Promise<PersonAct> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= MOST_BYTES)) throw new Refusal(413, `What is done in a turn has ${MOST_BYTES} bytes at most.`);
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const line = Buffer.concat(chunks).toString('utf8');
  return parseInput(PersonAct, jsonAt({ line, where: 'act' }, 'It is one JSON object.'), 'act');
}

function json(value: unknown): Reply {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  { type, body, lasting, cookie }: Reply,
): void {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const unchanged = status === 200 && !cookie && request.headers['if-none-match'] === tag;
  if (cookie) {
    // Not `Strict`: a link in a report is to open.
    response.setHeader('Set-Cookie', `${cookie}; HttpOnly; SameSite=Lax; Path=/`);
    response.setHeader('Location', '/');
  }
  response.writeHead(unchanged ? 304 : cookie ? 303 : status, {
    'Content-Type': type,
    'Cache-Control': lasting ? 'private, max-age=31536000, immutable' : 'no-cache',
    ETag: tag,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // The page's own policy is in the page, by hash; a header can add what a page cannot say of itself.
    'Content-Security-Policy': type.startsWith('text/html') ? "frame-ancestors 'none'" : INERT,
    ...(unchanged ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  });
  response.end(unchanged || request.method === 'HEAD' ? undefined : body);
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const known = isPointsmanError(error) ? error : undefined;
  const status = error instanceof Refusal ? error.status : known ? (STATUS[known.code] ?? 400) : 500;
  const message = error instanceof Error ? error.message : String(error);
  const body = JSON.stringify({ error: { code: known?.code ?? 'Failed', message, hint: known?.hint ?? '' } });
  send(request, response, status, { type: 'application/json; charset=utf-8', body });
}

const STATUS: Readonly<Partial<Record<PointsmanError['code'], number>>> = {
  InvalidInput: 400,
  NotFound: 404,
  Unavailable: 503,
};

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        error.code === 'EADDRINUSE'
          ? new PointsmanError('InvalidInput', `--port: ${port} is taken`, 'Without --port a free one is found.')
          : error,
      ),
    );
    server.listen(port, host, () => done());
  });
}

/** The page's script and style, as `bin/build.cjs` made them of `client/`. */
export function viewerBundle(): Bundle {
  const text = (name: string) => readFileSync(join(REPOSITORY, 'dist', 'pages', 'viewer', 'client', name), 'utf8');
  return { script: text('viewer.js'), style: text('style.css') };
}

/** Where a viewer's data comes from. Everything is read when it is asked for, so that what runs is seen as it is. */
export interface ViewerSource {
  list(): Promise<RunList>;
  /** Throws `NotFound`. */
  run(id: string): Promise<RunPage>;
  /** Runs of the same problem that share steps with it; null where there are none. */
  forks(id: string): Promise<ForkNode | null>;
  events(id: string): Promise<RunEvents>;
  /** Turns in whose whole text the words occur. */
  search(id: string, words: string): Promise<number[]>;
  /** Throws `NotFound`. */
  blob(sha256: string): Promise<Buffer>;
  /** Makes a turn that waits for a person. Throws why it was refused. */
  act(id: string, act: PersonAct): Promise<PersonActed>;
}
