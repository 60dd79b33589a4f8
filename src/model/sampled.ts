import type { ModelProfile, SampledTokens } from '../contract';
import type { FreshAnswer } from './answer';
import type { Tokens } from './price';

type Json = Readonly<Record<string, unknown>>;

/**
 * What asks for the tokens of an answer: OpenAI's fields, vLLM's and SGLang's name for ids, and what older SGLang has
 * instead. llama.cpp gives ids with the log-probabilities, and those only from `top_logprobs: 1` on (`extraBody`).
 */
const ASKED = {
  logprobs: true,
  top_logprobs: 0,
  return_token_ids: true,
  return_prompt_token_ids: true,
  return_meta_info: true,
} as const;
const FIELDS = Object.keys(ASKED) as (keyof typeof ASKED)[];

/** How servers say that they know no such field, where they do not name it. */
const UNKNOWN_FIELD =
  /(extra|unknown|unrecogni[sz]ed|unexpected|additional|unsupported)\b.{0,40}(inputs?|param|propert|argument|field|key)|not permitted/;

/** A request as it went out: the profile that it was made from, and the fields that ask for tokens. */
interface AskedOnce {
  readonly profile: ModelProfile;
  readonly fields: Json;
  /** Failures that were counted until then. */
  readonly cuts: number;
}

/** Failures in a row after which a stream is tried instead, and after which only that. */
const CUTS_UNTIL_STREAM = 3;
const CUTS_UNTIL_ONLY_STREAMS = 6;

/**
 * How one server is asked for tokens, as far as this process has learned it: fields that it refused are not sent again, and
 * where a stream brings tokens in part or not at all it is asked for the answer in one piece. Calls are made side by side:
 * each is judged by how it was asked, whatever others have learned since.
 */
export class TokenAsking {
  private readonly refused = new Set<string>();
  /** Why it is asked without a stream although the profile says one. */
  private unstreamed: 'refused' | 'poor' | undefined;
  /** It answers in streams alone, or in one piece no better. */
  private onlyStreams = false;
  private cuts = 0;

  /** The next request, but for the conversation. */
  next(profile: ModelProfile): AskedOnce {
    const { cuts } = this;
    if (!profile.keepTokens) return { profile, fields: {}, cuts };
    const sent = FIELDS.filter((field) => !this.refused.has(field) && !(field in profile.extraBody));
    const fields = Object.fromEntries(sent.map((field) => [field, ASKED[field]]));
    const plain = profile.stream && this.unstreamed !== undefined;
    return { profile: plain ? { ...profile, stream: false } : profile, fields, cuts };
  }

  /** Whether a refusal is of what was asked for tokens alone, so that the same call may be made again otherwise. */
  refusedBy(words: string, wanted: ModelProfile, { profile, fields }: AskedOnce): boolean {
    const lower = words.slice(0, 20_000).toLowerCase();
    const named = Object.keys(fields).filter((field) => new RegExp(`\\b${field}\\b`).test(lower));
    const streams = /\bstream(?!_options)/.test(lower);
    if (named.length > 0 && streams && profile.stream && !this.onlyStreams) {
      this.unstreamed = 'refused';
      return true;
    }
    if (streams && named.length === 0 && wanted.stream && !profile.stream) {
      this.onlyStreams = true;
      this.unstreamed = undefined;
      return true;
    }
    const unknown = named.length === 0 && UNKNOWN_FIELD.test(lower) ? Object.keys(fields) : named;
    for (const field of unknown) this.refused.add(field);
    if (this.refused.has('logprobs')) this.refused.add('top_logprobs');
    return unknown.length > 0;
  }

  /**
   * A call that failed. What cuts silent connections lets none in one piece through, so that after a few a stream is tried; a
   * server that is away looks the same, and says when it is back that it does not stream tokens. Calls that fail together
   * count once.
   */
  failed(wanted: ModelProfile, { profile, cuts }: AskedOnce): void {
    if (wanted.stream === profile.stream || cuts !== this.cuts) return;
    this.cuts += 1;
    if (this.cuts === CUTS_UNTIL_ONLY_STREAMS) this.onlyStreams = true;
    if (this.cuts === CUTS_UNTIL_STREAM || this.onlyStreams) this.unstreamed = undefined;
  }

  /** What an answer brought decides how the next is asked for; says what the server refuses. */
  learn(wanted: ModelProfile, { profile }: AskedOnce, answer: FreshAnswer): FreshAnswer {
    if (!wanted.keepTokens) return answer;
    const whole = answer.tokens !== undefined && answer.sampled?.dropped === undefined;
    if (wanted.stream && profile.stream && !whole && !this.onlyStreams) this.unstreamed ??= 'poor';
    if (wanted.stream && !profile.stream) {
      this.cuts = 0;
      if (!answer.tokens && this.unstreamed === 'poor') {
        this.onlyStreams = true;
        this.unstreamed = undefined;
      }
    }
    if (whole || this.refused.size === 0) return answer;
    const refused = `the server refuses ${[...this.refused].join(', ')}`;
    return { ...answer, sampled: { dropped: [refused, ...(answer.sampled?.dropped ?? [])] } };
  }
}

/** What could be read of an answer's tokens, and what was left of them. */
interface ReadTokens {
  readonly tokens?: SampledTokens;
  readonly dropped: readonly string[];
}

/**
 * The tokens of an answer in the shapes that servers have. vLLM: `prompt_token_ids` at the top, `token_ids` in the choice.
 * SGLang: both in the choice, or `meta_info.output_token_logprobs` as [log-probability, id, text]. NeMo Gym's model servers:
 * in the message. llama.cpp: `id` of each log-probability, without the token that ended the answer. Lists whose lengths do
 * not fit one another, or what the server itself counted (`counted`; undefined where it counted nothing), are dropped:
 * servers lose log-probabilities behind their parsers, and whole events of a stream.
 */
export function readTokens(body: Json, choice: Json, counted: Tokens | undefined): ReadTokens {
  const dropped: string[] = [];
  const message = objectOf(choice.message);
  const sampled = listIn(
    objectOf(choice.meta_info).output_token_logprobs ?? objectOf(body.meta_info).output_token_logprobs,
  );
  const content = listIn(objectOf(choice.logprobs).content).map(objectOf);
  const exact = [
    idsIn(choice.token_ids),
    idsIn(message.generation_token_ids),
    idsIn(sampled.map((entry) => listIn(entry)[1])),
    idsIn(
      content.map(({ token }) => (typeof token === 'string' ? NAMED_BY_ID.exec(token)?.[1] : undefined)).map(numberIn),
    ),
  ].filter((ids) => ids !== undefined);
  const beside = idsIn(content.map(({ id }) => id));
  const expected = counted?.completionTokens;
  const fits = (ids: readonly number[], missing: number) =>
    expected === undefined || (ids.length <= expected && ids.length >= expected - missing);
  const answer = exact.find((ids) => fits(ids, 0)) ?? (beside && fits(beside, 1) ? beside : undefined);
  if (!answer) {
    const found = exact[0] ?? beside;
    dropped.push(
      found ? `ids of the answer: ${found.length} of ${expected} tokens` : 'the server gave no ids of the answer',
    );
    return { dropped };
  }

  const given = [
    content.map(({ logprob }) => logprob),
    sampled.map((entry) => listIn(entry)[0]),
    listIn(message.generation_log_probs),
  ].filter((list) => list.length > 0);
  const logprobs = given.find((list) => list.length === answer.length && list.every(isNumber)) as number[] | undefined;
  if (!logprobs) {
    dropped.push(
      given[0]
        ? `log-probabilities: ${given[0].filter(isNumber).length} of ${answer.length}`
        : 'the server gave no log-probabilities',
    );
  }

  const read = idsIn(body.prompt_token_ids) ?? idsIn(choice.prompt_token_ids) ?? idsIn(message.prompt_token_ids);
  const inPrompt = counted?.promptTokens || read?.length;
  const whole = read?.length === inPrompt;
  if (!read) dropped.push(NO_PROMPT_IDS);
  else if (!whole) dropped.push(`ids of the prompt: ${read.length} of ${inPrompt} tokens`);

  const routed = choice.routed_experts ?? message.routed_experts;
  return {
    tokens: {
      ...(read && whole ? { prompt: read } : {}),
      answer,
      ...(logprobs ? { logprobs } : {}),
      ...(routed === undefined || routed === null ? {} : { routedExperts: routed }),
    },
    dropped,
  };
}

/** What is said where an answer has its ids and the prompt has none. */
export const NO_PROMPT_IDS = 'the server gave no ids of the prompt';

/** How vLLM names tokens where it was started or asked to give ids in their place. */
const NAMED_BY_ID = /^token_id:(\d+)$/;

/** Undefined for what is no list of ids, and for an empty one: no answer and no prompt has no token. */
function idsIn(value: unknown): number[] | undefined {
  const list = listIn(value);
  const ids = list.filter((id): id is number => Number.isSafeInteger(id) && (id as number) >= 0);
  return ids.length > 0 && ids.length === list.length ? ids : undefined;
}

function numberIn(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
