import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import { type ChatRequest, isPointsmanError, type ModelProfile, PointsmanError } from '../contract';
import type { FreshAnswer } from './answer';
import { bodyOf } from './body';
import { classify, type ErrorContext } from './errors';
import { Gate, type Places } from './gate';
import { wholeBodyFetch } from './http';
import { estimatePromptTokens } from './price';
import { PromptIds } from './prompt-ids';
import { readAnswer } from './reply';
import { TokenAsking } from './sampled';

export interface CallOptions {
  /** Aborting closes the connection; `complete` then rejects with the signal's own reason. */
  readonly signal?: AbortSignal;
  /** Sent along as `X-Client-Request-Id` and `Idempotency-Key`: the same for every attempt at the same call. */
  readonly requestId: string;
}

export interface ChatModel {
  readonly name: string;
  readonly profile: ModelProfile;
  /**
   * One answer, streamed or not: nothing is retried here but a request whose wish for tokens (`keepTokens`) was refused.
   * Rejects with a `ModelError` (see `classify`).
   */
  complete(request: ChatRequest, options: CallOptions): Promise<FreshAnswer>;
}

/** Name of the profile, and the environment that holds its key. */
export interface LineOwner {
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where one rollout asks it: its address is the profile's by then. */
  readonly session?: CallSession;
  /** Where other hosts ask it too: then all of them share the profile's `concurrency`. */
  readonly places?: Places;
}

/** What sets one rollout's calls apart from others' to the same gateway. */
export interface CallSession {
  /** All sessions below it share the profile's `concurrency`, and what was learned of the server. */
  readonly gateway: string;
  /** Instead of the key that the profile's variable holds. */
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
}

const OPENAI_URL = 'https://api.openai.com/v1';
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What calls to one server share. */
interface Server {
  readonly gate: Gate;
  readonly asking: TokenAsking;
  readonly promptIds: PromptIds;
}
interface Line extends Server {
  readonly client: OpenAI;
}
const lines = new Map<string, Line>();
/** Of gateways: each rollout there is a client of its own, of which there is no end. */
const gateways = new Map<string, Server>();

/**
 * A model behind an OpenAI-compatible endpoint. Throws `InvalidInput` where the variable of `apiKeyEnv` is unset or a
 * `rehearsal` profile has no address. Profiles of one name share a client and its `concurrency`, so this is cheap to
 * call for every request.
 */
export function createChatModel(profile: ModelProfile, at: LineOwner): ChatModel {
  const { client, enter, asking, promptIds, context: about } = lineFor(profile, at);
  return {
    name: at.name,
    profile,
    async complete(request, { signal, requestId }) {
      // Estimated where it is asked for: it takes as long as writing the whole prompt.
      const prompt = {
        get tokens() {
          return estimatePromptTokens(request);
        },
        window: profile.contextTokens,
      };
      const leave = await enter(signal);
      try {
        for (;;) {
          const asked = asking.next(profile);
          const { stream } = asked.profile;
          const context: ErrorContext = { ...about, prompt, stream };
          const body = { ...bodyOf(asked.profile, request), ...asked.fields };
          const started = performance.now();
          try {
            const response = await client.chat.completions
              .create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming, {
                headers: {
                  ...at.session?.headers,
                  'X-Client-Request-Id': requestId,
                  'Idempotency-Key': requestId,
                  ...connectionOf(stream),
                },
                signal,
              })
              .asResponse();
            const text = await response.text();
            const latencyMs = Math.round(performance.now() - started);
            const { headers } = response;
            const answer = asking.learn(
              profile,
              asked,
              readAnswer(text, { profile, context, requestId, latencyMs, headers }),
            );
            return await promptIds.complete(client, body, answer, { headers: at.session?.headers, signal });
          } catch (error) {
            if (signal?.aborted) throw signal.reason;
            const known = classify(error, context);
            const rejected = isPointsmanError(known) && known.code === 'ModelRejected';
            if (rejected && asking.refusedBy(known.message, profile, asked)) continue;
            if (!rejected) asking.failed(profile, asked);
            throw known;
          }
        }
      } finally {
        leave();
      }
    },
  };
}

/** llama.cpp closes a connection after a stream and does not say so: the next call on it would be lost. */
function connectionOf(stream: boolean): Record<string, string> {
  return stream ? { Connection: 'close' } : {};
}

interface OpenLine extends Omit<Line, 'gate'> {
  /** Waits until one more request may be under way, and returns the function that says that it is over. */
  enter(signal?: AbortSignal): Promise<() => void>;
  readonly context: ErrorContext;
}

/** The client of a profile, its gate, and what its errors are told with. Throws as `createChatModel` does. */
export function lineFor(profile: ModelProfile, at: LineOwner): OpenLine {
  const apiKey = keyOf(profile, at);
  const secrets = profile.apiKeyEnv === undefined && at.session?.key === undefined ? [] : [apiKey];
  const { gate, ...line } = lineOf(profile, at, apiKey);
  return {
    ...line,
    context: { profile: at.name, secrets },
    async enter(signal) {
      const leave = await gate.enter(signal);
      if (!at.places) return leave;
      const server = JSON.stringify([at.name, at.session?.gateway ?? addressOf(profile, at)]);
      const giveBack = await at.places.take(server, profile.concurrency, signal).catch((error: unknown) => {
        leave();
        throw error;
      });
      return () => {
        giveBack();
        leave();
      };
    },
  };
}

function keyOf(profile: ModelProfile, at: LineOwner): string {
  if (at.session?.key !== undefined) return at.session.key;
  if (profile.apiKeyEnv === undefined) return 'no-key';
  const key = at.env[profile.apiKeyEnv]?.trim();
  if (key) return key;
  throw new PointsmanError(
    'InvalidInput',
    `profile "${at.name}": environment variable ${profile.apiKeyEnv} is not set`,
    `Set ${profile.apiKeyEnv} where the worker starts, or remove apiKeyEnv if the server needs no key.`,
  );
}

function addressOf(profile: ModelProfile, at: LineOwner): string {
  if (profile.baseUrl !== undefined) return profile.baseUrl;
  if (profile.provider === 'openai') return OPENAI_URL;
  if (profile.provider === 'person') {
    throw new PointsmanError(
      'InvalidInput',
      `profile "${at.name}": provider is person, and only turns of rollouts can be a person's`,
      'Name a profile of a model here.',
    );
  }
  const url = at.env.POINTSMAN_REHEARSAL_URL;
  if (url) return url;
  throw new PointsmanError(
    'InvalidInput',
    `profile "${at.name}": provider is rehearsal, but neither baseUrl nor POINTSMAN_REHEARSAL_URL says where it runs`,
    'Start the rehearsal server and set POINTSMAN_REHEARSAL_URL to the address that it prints.',
  );
}

/** Everything is passed explicitly, because the client would otherwise read OPENAI_* variables meant for others. */
function lineOf(profile: ModelProfile, at: LineOwner, apiKey: string): Line {
  const baseURL = addressOf(profile, at);
  const timeout = Math.min(Math.ceil(profile.timeoutSeconds * 1000), LONGEST_TIMER_MS);
  if (at.session) {
    const id = JSON.stringify([at.name, at.session.gateway, profile.concurrency]);
    const server = gateways.get(id) ?? newServer(profile);
    gateways.set(id, server);
    return { ...server, client: clientOf(baseURL, timeout, apiKey) };
  }
  const keyDigest = createHash('sha256').update(apiKey).digest('hex');
  const id = JSON.stringify([at.name, baseURL, timeout, profile.concurrency, keyDigest]);
  const known = lines.get(id);
  if (known) return known;
  const line = { ...newServer(profile), client: clientOf(baseURL, timeout, apiKey) };
  lines.set(id, line);
  return line;
}

function newServer(profile: ModelProfile): Server {
  return { gate: new Gate(profile.concurrency), asking: new TokenAsking(), promptIds: new PromptIds() };
}

function clientOf(baseURL: string, timeout: number, apiKey: string): OpenAI {
  return new OpenAI({
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL,
    timeout,
    maxRetries: 0,
    // The client's own log would print prompts and headers.
    logLevel: 'off',
    fetch: wholeBodyFetch,
  });
}
