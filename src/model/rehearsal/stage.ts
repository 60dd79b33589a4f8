import { createWriteStream, openSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isPointsmanError, parseInput } from '../../contract';
import { callIdOf, completionOf, conversationOf, promptTokens, replyTokens } from './completion';
import { embeddingsOf } from './embedding';
import { Fault, FaultRules } from './faults';
import type { IncomingMessage as ChatMessage, RequestBody } from './matching';
import { Policy } from './policy';
import { errorBody, isAnswered, overflowBody, sendFault, sendJson, sendSound } from './respond';
import type { ScriptedModel } from './script';
import { type LogLine, Tally } from './stats';
import { digestOfTokens, refusalOf, toyCompletion, toyGenerated, toyPrompt, toyTokens, withTokens } from './toy-tokens';

/** What POST /control takes: new faults and a new latency for one model, or for all; `reset` forgets the counts. */
const Control = z.strictObject({
  model: z.string().optional(),
  faults: z.array(Fault).optional(),
  latencyMs: z.number().min(0).optional(),
  reset: z.boolean().optional(),
});
type Control = z.infer<typeof Control>;

interface Actor {
  readonly name: string;
  readonly model: ScriptedModel;
  readonly policy: Policy;
  readonly faults: FaultRules;
  latencyMs: number;
}

/** The scripted models and what they are doing: answers one request after another, remembering none of them. */
export class Stage {
  readonly tally = new Tally();
  private readonly actors: Map<string, Actor>;
  private readonly log;
  /** Answers with tokens so far. */
  private sampled = 0;

  constructor(models: Record<string, ScriptedModel>, log: string | undefined) {
    this.actors = new Map(
      Object.entries(models).map(([name, model]) => {
        const faults = new FaultRules(model.faults);
        return [name, { name, model, policy: new Policy(model), faults, latencyMs: model.latencyMs }];
      }),
    );
    this.log = log === undefined ? undefined : createWriteStream(log, { fd: openSync(log, 'a') });
  }

  /** Answers the request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.route(request, response);
    } catch (error) {
      const bad = isPointsmanError(error) || error instanceof SyntaxError;
      const body = errorBody(
        error instanceof Error ? error.message : String(error),
        bad ? 'invalid_request_error' : 'server_error',
      );
      if (!response.headersSent) sendJson(response, bad ? 400 : 500, body);
    }
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://rehearsal').pathname.replace(/^\/v1(?=\/)/, '');
    const route = `${request.method} ${path}`;
    if (route === 'GET /stats') return sendJson(response, 200, this.tally.stats);
    if (route === 'GET /models') {
      const data = [...this.actors.keys()].map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'pointsman-rehearsal',
      }));
      return sendJson(response, 200, { object: 'list', data });
    }
    const text = await bodyOf(request);
    if (route === 'POST /chat/completions') return await this.chat(JSON.parse(text), text, request, response);
    if (route === 'POST /apply-template' || route === 'POST /tokenize')
      return await this.promptIds(route, JSON.parse(text), response);
    if (route === 'POST /completions' || route === 'POST /generate')
      return await this.score(route, JSON.parse(text), request, response);
    if (route === 'POST /embeddings') return sendJson(response, 200, embeddingsOf(JSON.parse(text)));
    if (route === 'POST /control') {
      this.control(parseInput<Control>(Control as unknown as z.ZodType<Control>, JSON.parse(text), 'control'));
      return sendJson(response, 200, { ok: true });
    }
    sendJson(response, 404, errorBody(`no such route: ${route}`, 'invalid_request_error'));
  }

  async close(): Promise<void> {
    if (this.log) await new Promise<void>((resolve) => this.log!.end(resolve));
  }

  /** llama.cpp's own paths: what a prompt is as text, and a text as ids. The text of a made-up template is the request. */
  private async promptIds(route: string, body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const tokens = [...this.actors.values()].find(({ model }) => model.tokens?.like === 'llama-cpp')?.model.tokens;
    if (!tokens) return sendJson(response, 404, errorBody(`no such route: ${route}`, 'invalid_request_error'));
    const { messages, tools } = body;
    if (route === 'POST /apply-template')
      return sendJson(response, 200, { prompt: JSON.stringify({ messages, tools }) });
    const asked = JSON.parse(String(body.content)) as { messages: ChatMessage[]; tools?: unknown };
    sendJson(response, 200, { tokens: toyPrompt(asked.messages, asked.tools, tokens.stripsThoughts) });
  }

  /** Says of given ids how likely they are, where the server that is played does. SGLang's own path names no model: it has one. */
  private async score(
    route: string,
    body: Record<string, unknown>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const native = route === 'POST /generate';
    const actor = native
      ? [...this.actors.values()].find(({ model }) => model.tokens?.like.startsWith('sglang'))
      : this.actors.get(String(body.model).replace(/^rehearsal\//, ''));
    const tokens = actor?.model.tokens;
    const ids = native ? body.input_ids : body.prompt;
    if (!actor || !tokens)
      return sendJson(response, 404, errorBody(`no such route: ${route}`, 'invalid_request_error'));
    if (!Array.isArray(ids)) return sendJson(response, 400, errorBody('ids must be a list', 'invalid_request_error'));
    this.tally.began();
    response.once('close', () => this.tally.ended(response.writableFinished));
    const made = native ? toyGenerated : toyCompletion;
    const completion = { ...made(actor.name, tokens, ids, body) };
    const fault = actor.faults.pick('scores', 1, body as RequestBody);
    const wait = fault?.latencyMs ?? actor.latencyMs;
    if (wait > 0) await delay(wait);
    if (response.destroyed) return;
    const { contextTokens } = actor.model;
    if (contextTokens !== undefined && ids.length > contextTokens) return sendJson(response, 400, overflowBody('vllm'));
    this.tally.note({
      at: new Date().toISOString(),
      model: actor.name,
      conversation: 'scores',
      k: 1,
      bytes: 0,
      tIn: ids.length,
      tOut: isAnswered(fault) ? 1 : 0,
      fault: fault?.kind ?? null,
    });
    const sound = { completion, streamed: false, withUsage: false };
    if (fault) return sendFault(response, fault, sound, request.headers);
    sendSound(response, sound);
  }

  private async chat(
    body: RequestBody,
    text: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const actor = this.actors.get(String(body.model).replace(/^rehearsal\//, ''));
    if (!actor) {
      const known = [...this.actors.keys()].join(', ');
      const message = `The model ${JSON.stringify(body.model)} does not exist; the script has: ${known}`;
      return sendJson(response, 404, errorBody(message, 'invalid_request_error', 'model_not_found'));
    }
    if (!Array.isArray(body.messages)) {
      return sendJson(response, 400, errorBody('messages must be an array', 'invalid_request_error'));
    }
    const messages = body.messages as ChatMessage[];
    this.tally.began();
    response.once('close', () => this.tally.ended(response.writableFinished));
    const conversation = conversationOf(messages);
    const cue = actor.policy.next(messages);
    const tokens = promptTokens(messages, body.tools);
    const reply = actor.policy.reply(cue, callIdOf(conversation, actor.name, cue.position));
    const { tokens: toys } = actor.model;
    const refusal = toys && refusalOf(toys, body as Record<string, unknown>);
    if (refusal !== undefined) return sendJson(response, 400, errorBody(refusal, 'invalid_request_error'));
    const toy =
      toys && toyTokens(messages, body.tools, reply, { nth: this.sampled++, stripsThoughts: toys.stripsThoughts });
    const plain = completionOf(actor.name, reply, tokens);
    const asked = { turn: cue.position + 1, asked: body as Record<string, unknown> };
    const sound = {
      completion: toy ? withTokens(plain, toy, toys, asked) : plain,
      streamed: body.stream === true,
      withUsage: asksForUsage(body.stream_options),
    };
    const tooLong = actor.model.contextTokens !== undefined && tokens.prompt > actor.model.contextTokens;
    const fault = tooLong ? undefined : actor.faults.pick(conversation, cue.position + 1, body);
    const line: LogLine = {
      at: new Date().toISOString(),
      model: actor.name,
      conversation,
      k: cue.position + 1,
      bytes: Buffer.byteLength(text),
      tIn: tokens.prompt,
      tOut: !tooLong && isAnswered(fault) ? replyTokens(reply) : 0,
      fault: tooLong ? 'contextTokens' : (fault?.kind ?? null),
      ...(toy ? { tokens: digestOfTokens(toy) } : {}),
    };
    const wait = fault?.latencyMs ?? actor.latencyMs;
    if (wait > 0) await delay(wait);
    if (response.destroyed) return this.note({ ...line, tOut: 0, fault: 'abandoned' });
    this.note(line);
    if (tooLong) return sendJson(response, 400, overflowBody());
    if (fault) return sendFault(response, fault, sound, request.headers);
    sendSound(response, sound);
  }

  private control({ model, faults, latencyMs, reset }: Control): void {
    for (const actor of this.actors.values()) {
      if (model !== undefined && model !== actor.name) continue;
      if (faults) actor.faults.set(faults);
      if (latencyMs !== undefined) actor.latencyMs = latencyMs;
    }
    if (reset) this.tally.reset();
  }

  private note(line: LogLine): void {
    this.tally.note(line);
    this.log?.write(`${JSON.stringify(line)}\n`);
  }
}

function asksForUsage(options: unknown): boolean {
  return (
    typeof options === 'object' && options !== null && 'include_usage' in options && options.include_usage === true
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
