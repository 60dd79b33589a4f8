import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import {
  isPointsmanError,
  jsonAt,
  NemoRun,
  PointsmanError,
  parseInput,
  type TrainerAnswer,
  TrainerRollout,
} from '../contract';
import { isOwnHost } from '../own-host';
import type { Stores } from '../store';
import { nameOfPath, type RunName } from './answer';
import { nemoAnswer, rolloutOfRow, type SampledStep } from './nemo-gym';
import { openApi } from './openapi';
import { OtherBody, type Runs, TooMany } from './runs';

export interface TrainerServerOptions {
  readonly port: number;
  readonly host: string;
  readonly token: string;
  /** Profile of the student of rows that name none. */
  readonly student?: string;
  readonly version: string;
  readonly stores: Pick<Stores, 'transcripts' | 'sampled'>;
}

export interface TrainerServer {
  readonly url: string;
  close(): Promise<void>;
}

const MOST_BYTES = 16_000_000;
/** Seconds after which a trainer that was sent away should come again. */
const RETRY_AFTER = 5;
const MOST_WAIT = 3600;
/** Longer than what clients keep an idle connection for, so that they are who closes it. */
const IDLE_MS = 75_000;
const ALIVE_MS = 30_000;

const Wait = z.coerce.number().min(0).max(MOST_WAIT);
const After = z.coerce.number().int().min(0);

/** Serves trainers. It answers nobody without the token. Throws where the port is taken. */
export async function serveTrainers(runs: Runs, options: TrainerServerOptions): Promise<TrainerServer> {
  const { port, host } = options;
  const server = createServer((request, response) => {
    const left = new AbortController();
    response.once('close', () => left.abort());
    request.socket.setKeepAlive(true, ALIVE_MS);
    new Exchange(runs, options, request, response, left.signal).answer().catch((error: unknown) => {
      if (!left.signal.aborted) refuse(response, error);
    });
  });
  server.keepAliveTimeout = IDLE_MS;
  await listening(server, port, host);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** One request and its answer. */
class Exchange {
  constructor(
    private readonly runs: Runs,
    private readonly options: TrainerServerOptions,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    /** The client is gone. */
    private readonly left: AbortSignal,
  ) {}

  async answer(): Promise<void> {
    const { method, headers, url = '/' } = this.request;
    if (!isOwnHost(headers.host, this.options.host))
      throw new Refusal(421, 'This server answers to its own address only.');
    if (!isSame(headers.authorization ?? '', `Bearer ${this.options.token}`))
      throw new Refusal(
        401,
        'The token is missing or wrong: `Authorization: Bearer TOKEN`, as `pointsman serve` says.',
      );
    const { pathname, searchParams } = new URL(url, 'http://trainers.invalid');
    const what = `${method} ${pathname}`;
    if (what === 'GET /openapi.json') return this.json(200, openApi(this.options.version));
    if (what === 'POST /rollouts') return this.start();
    if (what === 'POST /run') return this.run();
    const [, path = '', steps] = /^\/rollouts\/([^/]+)(\/steps)?$/.exec(pathname) ?? [];
    const name = nameOfPath(decoded(path));
    if (!name) throw new Refusal(404, 'There is nothing here: /openapi.json says what there is.');
    if (method === 'DELETE' && !steps) return this.json(200, await this.runs.cancel(name));
    if (method !== 'GET') throw new Refusal(405, 'A rollout that was started is read (GET) or ended (DELETE) here.');
    if (steps) return this.steps(name, searchParams.get('after') ?? headers['last-event-id']?.toString());
    const wait = parseInput(Wait, searchParams.get('wait') ?? 0, 'wait');
    return this.json(200, await this.runs.wait(name, wait * 1000, this.left));
  }

  private async start(): Promise<void> {
    const { name, created } = await this.runs.start(await this.body(TrainerRollout, 'rollout'));
    this.json(created ? 201 : 200, await this.runs.answer(name));
  }

  /** As NeMo Gym's agents answer: at the end of the rollout. A trainer that left finds it under its name. */
  private async run(): Promise<void> {
    const { student, stores } = this.options;
    const row = await this.body(NemoRun, 'run');
    const rolloutId = row._ng_rollout_id ?? `run-${randomUUID()}`;
    const { name } = await this.runs.start(rolloutOfRow(row, { rolloutId, student }));
    const answer = await this.runs.wait(name, Number.POSITIVE_INFINITY, this.left);
    this.json(200, nemoAnswer(row, answer, await sampledSteps(stores, answer), Math.floor(Date.now() / 1000)));
  }

  private async steps(name: RunName, after: string | undefined): Promise<void> {
    const events = this.runs.steps(name, parseInput(After, after ?? 0, 'after'), this.left);
    const { response } = this;
    // What is wrong with the question is said before the stream begins.
    let next = await events.next();
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    for (; !next.done; next = await events.next()) {
      const { value } = next;
      if (!response.write(`id: ${value.turn}\nevent: step\ndata: ${JSON.stringify(value)}\n\n`))
        await drained(response);
    }
    response.end(`event: end\ndata: ${JSON.stringify(next.value)}\n\n`);
  }

  private async body<T>(schema: z.ZodType<T>, what: string): Promise<T> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw new Refusal(413, `A body has ${MOST_BYTES} bytes at most.`);
      chunks.push(chunk);
    }
    const line = Buffer.concat(chunks).toString('utf8');
    return parseInput(schema, jsonAt({ line, where: what }, 'It is one JSON object.'), what);
  }

  private json(status: number, value: unknown): void {
    sendJson(this.response, status, value);
  }
}

/** The steps of a rollout that has ended, with what they were sampled with. */
async function sampledSteps(
  { transcripts, sampled }: Pick<Stores, 'transcripts' | 'sampled'>,
  { result }: TrainerAnswer,
): Promise<SampledStep[]> {
  if (!result?.head) return [];
  const { steps } = await transcripts.load(result.head);
  return Promise.all(
    steps.map(async (step) => {
      const kept = step.turn.sampled?.tokens;
      return kept ? { ...step, tokens: await sampled.read(kept) } : step;
    }),
  );
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const STATUS: Readonly<Partial<Record<PointsmanError['code'], number>>> = { NotFound: 404, Unavailable: 503 };

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  if (error instanceof OtherBody) return 409;
  if (error instanceof TooMany) return 429;
  return isPointsmanError(error) ? (STATUS[error.code] ?? 400) : 500;
}

function refuse(response: ServerResponse, error: unknown): void {
  const known = isPointsmanError(error) ? error : undefined;
  const status = statusOf(error);
  const message = error instanceof Error ? error.message : String(error);
  // A stream that has begun can only break off: its reader goes on from the last event.
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status === 429 || status === 503) response.setHeader('Retry-After', String(RETRY_AFTER));
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  // What is left of a body that is refused is not read.
  if (status === 413) response.setHeader('Connection', 'close');
  sendJson(response, status, { error: { code: known?.code ?? 'Failed', message, hint: known?.hint ?? '' } });
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    response.once('drain', done);
    response.once('close', done);
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}

/** In the same time wherever they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        error.code === 'EADDRINUSE'
          ? new PointsmanError('InvalidInput', `--port: ${port} is taken`, 'Take another one; 0 takes a free one.')
          : error,
      ),
    );
    server.listen(port, host, () => done());
  });
}
