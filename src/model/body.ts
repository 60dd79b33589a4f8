import { createHash } from 'node:crypto';
import { type ChatRequest, type ModelProfile, PointsmanError } from '../contract';

/** Fields that the code depends on; a profile that set them would ask something else than the harness believes. */
const OURS = ['model', 'messages', 'tools', 'stream'] as const;

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
      throw new PointsmanError('InvalidInput', `extraBody.${field}: is set by Pointsman itself`, 'Remove the field.');
    }
  }
  const ownLimit = 'max_tokens' in extra || 'max_completion_tokens' in extra;
  const body: Record<string, unknown> = {
    model: profile.model,
    messages: request.messages,
    ...(request.tools && request.tools.length > 0 ? { tools: request.tools } : {}),
    temperature: profile.temperature,
    top_p: profile.topP,
    ...(ownLimit ? {} : { [limitField(profile.baseUrl)]: profile.maxOutputTokens }),
    ...extra,
  };
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

function limitField(baseUrl: string | undefined): 'max_tokens' | 'max_completion_tokens' {
  const host = baseUrl === undefined ? 'api.openai.com' : new URL(baseUrl).hostname;
  return host === 'api.openai.com' || host.endsWith('.openai.azure.com') ? 'max_completion_tokens' : 'max_tokens';
}

/**
 * SHA-256 (hex) of what the model would be asked: the ledger's proof that a stored answer belongs to this question.
 * Independent of the order of keys and of where the server lives.
 */
export function requestHash(profile: ModelProfile, request: ChatRequest): string {
  const { max_completion_tokens, max_tokens, ...rest } = bodyOf(profile, request);
  return createHash('sha256')
    .update(stable({ ...rest, limit: max_completion_tokens ?? max_tokens ?? null }))
    .digest('hex');
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
