import { createHash } from 'node:crypto';
import { type ChatMessage, type ChatRequest, type ChatTool, type ModelProfile, PointsmanError } from '../contract';
import { stableJson } from '../contract/stable-json';

/** Fields that the code depends on; a profile that set them would ask something else than the harness believes. */
const OURS = ['model', 'messages', 'tools', 'stream'] as const;
const SET_BY_US: Readonly<Partial<Record<(typeof OURS)[number], string>>> = {
  model: 'Use model of the profile.',
  stream: 'Use stream: true of the profile.',
};

/**
 * The body of a chat-completions request. `maxOutputTokens` is sent as `max_completion_tokens` to OpenAI and Azure,
 * whose reasoning models refuse `max_tokens`, and as `max_tokens` to everything else, because several local servers know
 * only that. `extraBody` wins over every field; a null in it takes the field out, and naming either limit there
 * replaces ours. `parallel_tool_calls` is sent only from there: many servers refuse it.
 */
export function bodyOf(profile: ModelProfile, request: ChatRequest): Record<string, unknown> {
  const extra = profile.extraBody;
  for (const field of OURS) {
    if (field in extra) {
      throw new PointsmanError(
        'InvalidInput',
        `extraBody.${field}: is set by Pointsman itself`,
        SET_BY_US[field] ?? 'Remove the field.',
      );
    }
  }
  const ownLimit = 'max_tokens' in extra || 'max_completion_tokens' in extra;
  const body: Record<string, unknown> = {
    model: profile.model,
    messages: request.messages.map((message) => messageFor(profile, message)),
    tools: request.tools?.length ? request.tools.map((tool) => toolFor(profile, tool)) : undefined,
    temperature: profile.temperature,
    top_p: profile.topP,
    ...(ownLimit ? {} : { [limitField(profile.baseUrl)]: profile.maxOutputTokens }),
    stream: profile.stream || undefined,
    // Without it a stream says nothing of tokens; a server that refuses it is spared it by a null in extraBody.
    stream_options: profile.stream ? { include_usage: true } : undefined,
    ...extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

/** A message that is only a call has no text, and servers differ in what stands for it. */
function messageFor({ emptyContent }: ModelProfile, message: ChatMessage): Record<string, unknown> {
  if (message.role !== 'assistant' || message.content) return { ...message };
  const { content: _, ...rest } = message;
  if (emptyContent === 'omitted' && message.tool_calls) return rest;
  return { ...message, content: emptyContent === 'text' ? '' : message.content };
}

/** With a whole schema, because servers refuse an object that names no properties; see `emptyParameters`. */
function toolFor({ emptyParameters }: ModelProfile, { type, function: described }: ChatTool): Record<string, unknown> {
  const parameters = whole({ type: 'object', ...described.parameters });
  const bare = Object.keys(parameters.properties as object).length === 0;
  const { parameters: _, ...rest } = described;
  return { type, function: bare && emptyParameters === 'omitted' ? rest : { ...rest, parameters } };
}

/** The schema with `properties` in every object of it, also an empty one. */
function whole(schema: Record<string, unknown>): Record<string, unknown> {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner);
    return typeof value === 'object' && value !== null ? whole(value as Record<string, unknown>) : value;
  };
  const filled = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inner(value)]));
  return schema.type === 'object' && schema.properties === undefined ? { ...filled, properties: {} } : filled;
}

function limitField(baseUrl: string | undefined): 'max_tokens' | 'max_completion_tokens' {
  const host = baseUrl === undefined ? 'api.openai.com' : new URL(baseUrl).hostname;
  return host === 'api.openai.com' || host.endsWith('.openai.azure.com') ? 'max_completion_tokens' : 'max_tokens';
}

/**
 * SHA-256 (hex) of what the model would be asked: the ledger's proof that a stored answer belongs to this question.
 * Independent of the order of keys, of where the server lives, and of whether it streams; but a gateway that a rollout names
 * (`session`) may have another model behind each of its addresses and headers.
 */
export function requestHash(
  profile: ModelProfile,
  request: ChatRequest,
  session?: { readonly headers: Readonly<Record<string, string>> },
): string {
  const { max_completion_tokens, max_tokens, stream: _, stream_options: __, ...rest } = bodyOf(profile, request);
  return createHash('sha256')
    .update(
      stableJson({
        ...rest,
        limit: max_completion_tokens ?? max_tokens ?? null,
        ...(session ? { session: { at: profile.baseUrl, headers: session.headers } } : {}),
      }),
    )
    .digest('hex');
}
