import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RequestBody } from './matching';

export const BrokenMessage = z.enum([
  'null_message',
  'no_choices',
  'null_arguments',
  'object_arguments',
  'missing_function',
  'tool_calls_object',
  'string_choice',
  'content_parts',
  'missing_usage',
  'lone_surrogate',
]);
export type BrokenMessage = z.infer<typeof BrokenMessage>;

const FaultKind = z.enum([
  /** 429; `retryAfter` says whether and how the server names a wait. */
  'rateLimit',
  /** `status` (500). */
  'serverError',
  /** Any other status with `code` and `message`; `{authorization}` in the message echoes the caller's header. */
  'rejected',
  /** 400 in the words of a real provider: `variant` is openai (default), vllm or anthropic. */
  'contextExceeded',
  /** No answer until the caller goes away. */
  'hang',
  /** The socket is destroyed before a byte is sent. */
  'reset',
  /** Headers announce more than is sent, then the socket closes. */
  'halfBody',
  /** Headers and half of the body, then nothing until the caller goes away. */
  'stall',
  'malformedJson',
  /** A 200 whose choices are not what the protocol says; `variant` is a BrokenMessage. */
  'malformedToolCalls',
  /** A sound answer with neither text nor call. */
  'emptyReply',
  /** A proxy's web page with `status` (200). */
  'htmlPage',
  /** The right answer, `latencyMs` late. */
  'slow',
  /** `body` with `status` (200): text as it stands, anything else as JSON. How a server of the world answers. */
  'answer',
  /** Half of a stream, then an event that holds `body` or an error of ours; a stream was asked for or not. */
  'streamError',
  /** The right answer as a stream that nobody asked for. */
  'unaskedStream',
]);

/** What a request has that some server refuses. */
const Trait = z.enum([
  'null_content',
  'empty_content',
  /** An id of a call that is not nine letters and digits. */
  'other_ids',
  /** A tool without `parameters.properties`. */
  'bare_tools',
  /** A tool whose `parameters.properties` are empty. */
  'empty_properties',
  'tools',
  'streamed',
  'not_streamed',
  'stream_options',
]);
type Trait = z.infer<typeof Trait>;

/** Whom a fault hits: every request that passes all the conditions given. Counting starts when the fault is set. */
export const Fault = z.strictObject({
  kind: FaultKind,
  /** The first n requests. */
  first: z.int().min(1).optional(),
  /** Every n-th request. */
  every: z.int().min(1).optional(),
  /** This share of requests, drawn from `seed` and the request's number. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().default(0),
  /** For so many milliseconds. */
  forMs: z.number().positive().optional(),
  /** The first n attempts at every turn of every conversation. */
  perTurn: z.int().min(1).optional(),
  /** These turns only, counted from 1. */
  turns: z.array(z.int().min(1)).optional(),
  /** Requests that have this only. */
  when: Trait.optional(),
  body: z.unknown().optional(),
  status: z.int().min(200).max(599).optional(),
  retryAfter: z
    .union([
      z.strictObject({ seconds: z.number() }),
      z.strictObject({ dateInSeconds: z.number() }),
      z.strictObject({ ms: z.number() }),
    ])
    .optional(),
  latencyMs: z.number().min(0).optional(),
  variant: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type Fault = z.infer<typeof Fault>;

const REMEMBERED_TURNS = 100_000;

/** The faults of one model and how often each was looked at. In memory: a restarted server counts anew. */
export class FaultRules {
  private rules: { fault: Fault; since: number; seen: number; attempts: Map<string, number> }[] = [];

  constructor(faults: readonly Fault[]) {
    this.set(faults);
  }

  set(faults: readonly Fault[]): void {
    this.rules = faults.map((fault) => ({ fault, since: performance.now(), seen: 0, attempts: new Map() }));
  }

  /** The first fault that hits this request. `turn` counts from 1. */
  pick(conversation: string, turn: number, request: RequestBody = {}): Fault | undefined {
    for (const rule of this.rules) {
      const { fault } = rule;
      if (fault.when && !hasTrait(request, fault.when)) continue;
      if (fault.turns && !fault.turns.includes(turn)) continue;
      rule.seen++;
      const place = `${conversation}#${turn}`;
      const attempt = (rule.attempts.get(place) ?? 0) + 1;
      if (fault.perTurn) {
        if (rule.attempts.size > REMEMBERED_TURNS) rule.attempts.clear();
        rule.attempts.set(place, attempt);
        if (attempt > fault.perTurn) continue;
      }
      if (fault.first !== undefined && rule.seen > fault.first) continue;
      if (fault.every !== undefined && rule.seen % fault.every !== 0) continue;
      if (fault.forMs !== undefined && performance.now() - rule.since > fault.forMs) continue;
      if (fault.probability !== undefined && draw(fault.seed, rule.seen) >= fault.probability) continue;
      return fault;
    }
    return undefined;
  }
}

function hasTrait({ messages, tools, stream, stream_options }: RequestBody, trait: Trait): boolean {
  const said = (Array.isArray(messages) ? messages : []) as {
    role?: string;
    content?: unknown;
    tool_calls?: { id?: string }[];
    tool_call_id?: string;
  }[];
  const offered = (Array.isArray(tools) ? tools : []) as { function?: { parameters?: { properties?: object } } }[];
  switch (trait) {
    case 'null_content':
      return said.some(({ content }) => content === null);
    case 'empty_content':
      return said.some(({ content }) => content === '');
    case 'other_ids': {
      const ids = said.flatMap(({ tool_calls, tool_call_id }) => [
        ...(tool_calls ?? []).map(({ id }) => id),
        tool_call_id,
      ]);
      return ids.some((id) => id !== undefined && !/^[A-Za-z0-9]{9}$/.test(id));
    }
    case 'bare_tools':
      return offered.some((tool) => tool.function?.parameters?.properties === undefined);
    case 'empty_properties':
      return offered.some(({ function: tool }) => Object.keys(tool?.parameters?.properties ?? { a: 1 }).length === 0);
    case 'tools':
      return offered.length > 0;
    case 'streamed':
      return stream === true;
    case 'not_streamed':
      return stream !== true;
    case 'stream_options':
      return stream_options !== undefined;
    default:
      return trait satisfies never;
  }
}

/** In [0, 1), the same for the same seed and number on every machine. */
function draw(seed: number, n: number): number {
  return createHash('sha256').update(`${seed}:${n}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** Headers that name the wait as the fault asks. */
export function retryHeaders(fault: Fault, now = Date.now()): Record<string, string> {
  const wait = fault.retryAfter;
  if (wait === undefined) return {};
  if ('ms' in wait) return { 'retry-after-ms': String(wait.ms) };
  if ('seconds' in wait) return { 'retry-after': String(wait.seconds) };
  return { 'retry-after': new Date(now + wait.dateInSeconds * 1000).toUTCString() };
}
