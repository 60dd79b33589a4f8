/**
 * An answer that came as server-sent events, put together: the body that the same server would have sent in one piece, so
 * that one reader reads both.
 */
export type Assembled =
  | { readonly kind: 'answer'; readonly body: Json }
  /** The error that an event held. */
  | { readonly kind: 'error'; readonly error: unknown }
  /** What is wrong with the stream itself. */
  | { readonly kind: 'broken'; readonly what: string };

type Json = Record<string, unknown>;

/** Whether a body is a stream of events, whatever its headers say. */
export function isEventStream(text: string): boolean {
  return /^\uFEFF?\s*(data|event|id|retry)?:/.test(text.slice(0, 1_000));
}

/** The line after which nothing of an answer comes, with the line end before it. */
export const END_OF_STREAM = /[\n\r]data: ?\[DONE\]/;

/**
 * Reads all events. Comments (keep-alives) are skipped. A stream is whole when it said `[DONE]` or why the model stopped;
 * one that just ends is broken: half an answer must not be run.
 */
export function assembleStream(text: string): Assembled {
  const answer = new Answer();
  let done = false;
  for (const { kind, value } of eventsOf(text)) {
    if (value === DONE) {
      done = true;
      break;
    }
    if (value === undefined) return { kind: 'broken', what: 'an event of the stream is not a JSON object' };
    const error = errorOf(value, kind);
    if (error !== undefined) return { kind: 'error', error };
    answer.add(value);
  }
  if (answer.isEmpty && !done) return { kind: 'broken', what: 'the stream holds no answer' };
  if (!done && !answer.hasStopped) return { kind: 'broken', what: 'the stream ended in the middle of the answer' };
  return { kind: 'answer', body: answer.body() };
}

const DONE = '[DONE]';

interface StreamEvent {
  /** What stood in `event:`; empty as a rule. */
  readonly kind: string;
  /** Undefined for what is no JSON object. */
  readonly value: Json | typeof DONE | undefined;
}

function* eventsOf(text: string): Generator<StreamEvent> {
  let kind = '';
  let data: string[] = [];
  for (const line of `${text.replace(/^\uFEFF/, '')}\n\n`.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data.length > 0) yield { kind, value: parsed(data.join('\n')) };
      kind = '';
      data = [];
    } else if (line.startsWith('event:')) kind = line.slice('event:'.length).trim();
    else if (line.startsWith('data:')) {
      const own = line.slice('data:'.length).trim();
      // Several servers leave out the blank line between two events: what is whole by itself is one.
      const whole = data.length === 0 ? parsed(own) : undefined;
      if (whole !== undefined) yield { kind, value: whole };
      else if (own !== '') data.push(own);
    }
  }
}

function errorOf(event: Json, kind: string): unknown {
  if (event.error !== undefined && event.error !== null) return event.error;
  return kind === 'error' || event.type === 'error' ? event : undefined;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** The first choice as it grows. */
class Answer {
  private readonly top: Json = {};
  private readonly choice: Json = {};
  private readonly content: unknown[] = [];
  private readonly reasoning: unknown[] = [];
  private readonly details: unknown[] = [];
  private readonly tokenIds: unknown[] = [];
  private readonly logprobs: unknown[] = [];
  private readonly calls: Call[] = [];
  /** Where a call of the server's index is among `calls`. */
  private readonly places = new Map<number, number>();
  private refusal = '';
  private choices = 0;

  add(event: Json): void {
    for (const key of ['id', 'model', 'usage', 'prompt_token_ids']) {
      if (event[key] !== undefined && event[key] !== null) this.top[key] = event[key];
    }
    const groq = asObject(event.x_groq)?.usage;
    if (groq !== undefined && groq !== null) this.top.usage = groq;
    const choices = Array.isArray(event.choices) ? event.choices.map(asObject) : [];
    for (const choice of choices) if (choice && (choice.index ?? 0) === 0) this.grow(choice);
  }

  get isEmpty(): boolean {
    return this.choices === 0;
  }

  get hasStopped(): boolean {
    return this.choice.finish_reason !== undefined;
  }

  body(): Json {
    const message = {
      role: 'assistant',
      content: this.content.length === 0 ? null : joined(this.content),
      reasoning: joined(this.reasoning),
      reasoning_details: this.details,
      ...(this.refusal === '' ? {} : { refusal: this.refusal }),
      tool_calls: this.calls.map(({ id, name, arguments: args }) => ({ id, function: { name, arguments: args } })),
    };
    const choice = {
      ...this.choice,
      message,
      ...(this.tokenIds.length === 0 ? {} : { token_ids: this.tokenIds }),
      ...(this.logprobs.length === 0 ? {} : { logprobs: { content: this.logprobs } }),
    };
    return { ...this.top, choices: this.choices === 0 ? [] : [choice] };
  }

  private grow(choice: Json): void {
    this.choices++;
    for (const [key, value] of Object.entries(choice)) {
      if (value === null || value === undefined) continue;
      if (!['delta', 'message', 'text', 'logprobs', 'token_ids', 'index'].includes(key)) this.choice[key] = value;
    }
    if (Array.isArray(choice.token_ids)) this.tokenIds.push(...choice.token_ids);
    const logprobs = asObject(choice.logprobs)?.content;
    if (Array.isArray(logprobs)) this.logprobs.push(...logprobs);
    if (typeof choice.text === 'string') this.content.push(choice.text);
    const said = asObject(choice.delta) ?? asObject(choice.message);
    if (!said) return;
    if (said.content !== null && said.content !== undefined) this.content.push(said.content);
    const thought = said.reasoning_content ?? said.reasoning ?? said.thinking;
    if (thought !== null && thought !== undefined) this.reasoning.push(thought);
    if (Array.isArray(said.reasoning_details)) this.details.push(...said.reasoning_details);
    if (typeof said.refusal === 'string') this.refusal += said.refusal;
    for (const call of Array.isArray(said.tool_calls) ? said.tool_calls.map(asObject) : []) if (call) this.call(call);
    const legacy = asObject(said.function_call);
    if (legacy) this.call({ index: 0, function: legacy });
  }

  /** Parts of one call have its index. Servers that count none, or number all of them 0, begin a new one with a new id. */
  private call(part: Json): void {
    const fn = asObject(part.function) ?? part;
    const id = typeof part.id === 'string' ? part.id : '';
    const name = typeof fn.name === 'string' ? fn.name : '';
    const index = typeof part.index === 'number' ? part.index : undefined;
    const at = index === undefined ? this.calls.length - 1 : this.places.get(index);
    const found = at === undefined ? undefined : this.calls[at];
    const other = found && id !== '' && found.id !== '' && id !== found.id;
    const begins = !found || other || (index === undefined && id === '' && name !== '');
    if (begins && index !== undefined) this.places.set(index, this.calls.length);
    if (begins) this.calls.push({ id: '', name: '', arguments: '' });
    const call = begins ? this.calls.at(-1)! : found;
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    if (typeof fn.arguments === 'string') call.arguments += fn.arguments;
    else if (fn.arguments !== null && fn.arguments !== undefined) call.arguments = JSON.stringify(fn.arguments);
  }
}

/** Text where all of it is text, else the parts in order: the reader of answers knows them. */
function joined(pieces: readonly unknown[]): unknown {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces.flat();
}

function parsed(data: string): Json | typeof DONE | undefined {
  if (data === DONE) return DONE;
  if (!data.startsWith('{')) return undefined;
  try {
    return asObject(JSON.parse(data));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
