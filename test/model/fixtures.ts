import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ChatRequest, ModelProfile } from '../../src/contract';
import { type ChatAnswer, createChatModel } from '../../src/model';
import type { Fault } from '../../src/model/rehearsal/faults';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { type Rehearsal, startRehearsal } from '../../src/model/rehearsal/server';
import { isEventStream } from '../../src/model/stream';

export const CANARY = 'canary-9f8e7d6c5b4a';

export const TWO_TURNS: ScriptInput = {
  models: {
    student: {
      turns: [
        { thought: 'Look.', tool: 'bash', args: { command: 'ls' } },
        { thought: 'Edit.', tool: 'bash', args: { command: 'touch a' } },
      ],
    },
  },
};

export function ask(text = 'CONV-ID: c1 do it'): ChatRequest {
  return { messages: [{ role: 'user', content: text }] };
}

export function profileFor(url: string, more: Partial<Record<keyof ModelProfile, unknown>> = {}): ModelProfile {
  return ModelProfile.parse({ baseUrl: url, model: 'student', apiKeyEnv: 'CANARY_KEY', timeoutSeconds: 5, ...more });
}

export function modelAt(url: string, more: Partial<Record<keyof ModelProfile, unknown>> = {}) {
  return createChatModel(profileFor(url, more), { name: 'student', env: { CANARY_KEY: CANARY } });
}

/** A server whose only model is under `fault`. */
export async function faulty(fault: Partial<Fault> & { kind: Fault['kind'] }): Promise<Rehearsal> {
  const student = { ...TWO_TURNS.models.student!, faults: [fault] };
  return startRehearsal({ script: { models: { student } } });
}

export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error('expected a rejection');
}

/** What a server of the world answers: text as it stands, anything else as JSON. */
export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** A server that answers so, whatever it is asked, while `work` goes on; tells what it was asked. */
export async function answering<Result>(
  answer: Answer,
  work: (url: string, asked: readonly Record<string, unknown>[]) => Promise<Result>,
): Promise<Result> {
  const asked: Record<string, unknown>[] = [];
  const { status = 200, body, headers } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body !== 'string' ? 'application/json' : isEventStream(body) ? 'text/event-stream' : 'text/plain';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    asked.push(JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as Record<string, unknown>);
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
}

/** What becomes of a call that is answered so: the answer, or the error. */
export function outcomeOf(
  answer: Answer,
  more: Partial<Record<keyof ModelProfile, unknown>> = {},
  request = ask(),
): Promise<ChatAnswer | Error> {
  return answering(answer, (url) =>
    modelAt(url, more)
      .complete(request, { requestId: 'r1' })
      .catch((error: Error) => error),
  );
}
