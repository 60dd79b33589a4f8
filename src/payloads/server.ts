import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { isPointsmanError } from '../contract';
import { isOwnHost } from '../own-host';
import type { PayloadCipher } from './cipher';

export interface CodecServing {
  /** With the secret in its path: whoever has the address can read what the server keeps. */
  readonly url: string;
  close(): Promise<void>;
}

interface CodecOptions {
  readonly port: number;
  /** Part of the path; other accounts of this machine reach the port too. */
  readonly secret: string;
  /** Origin of the Temporal UI whose pages may ask, like `http://127.0.0.1:8233`. */
  readonly ui: string | undefined;
}

/** What the UI asks for on one page is below it; who sends more wants to fill memory. */
const MOST_BYTES = 64 << 20;

/**
 * Encrypts and decrypts payloads for the Temporal UI and CLI, by their protocol: `POST …/encode` and `…/decode` with
 * `{"payloads": […]}`. On this machine alone. Throws what listening throws, where the port is taken.
 */
export async function serveCodec(cipher: PayloadCipher, { port, secret, ui }: CodecOptions): Promise<CodecServing> {
  const server = createServer((request, response) => {
    answer(cipher, secret, ui, request, response).catch((error: unknown) => {
      const known = isPointsmanError(error);
      response.writeHead(known ? 400 : 500, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ message: known ? `${error.message} ${error.hint}` : 'The payloads cannot be read.' }),
      );
    });
  });
  await new Promise<void>((done, failed) => server.once('error', failed).listen(port, '127.0.0.1', done));
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/${secret}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  cipher: PayloadCipher,
  secret: string,
  ui: string | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method, url = '/' } = request;
  const { origin } = headers;
  const refuse = (status: number) => void response.writeHead(status).end();
  if (!isOwnHost(headers.host, '127.0.0.1')) return refuse(421);
  // A browser names the page that asks; programs name none.
  if (origin !== undefined && origin !== ui) return refuse(403);
  if (origin !== undefined) {
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-headers', 'authorization, content-type, x-namespace');
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('vary', 'origin');
  }
  // The UI asks with options in the query, of which none is ours.
  const [given = '', verb = ''] = url.slice(1).split('?', 1)[0]!.split('/');
  if (!isSame(given, secret)) return refuse(404);
  if (method === 'OPTIONS') return refuse(204);
  if (method !== 'POST' || (verb !== 'encode' && verb !== 'decode')) return refuse(404);
  if (Number(headers['content-length'] ?? MOST_BYTES + 1) > MOST_BYTES) return refuse(413);
  const { payloads = [] } = JSON.parse(await text(request)) as { payloads?: object[] };
  const asked = payloads.map((each) => temporal.api.common.v1.Payload.fromObject(each) as Payload);
  const changed = await cipher[verb](asked);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ payloads: changed.map(inJson) }));
}

/** As protobuf writes JSON: bytes in base64. */
function inJson({ metadata, data }: Payload): object {
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  const names = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)] as const);
  return { metadata: Object.fromEntries(names), data: base64(data) };
}

function isSame(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
