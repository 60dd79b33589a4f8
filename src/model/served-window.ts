import type { ModelProfile } from '../contract';
import { type LineOwner, lineFor } from './openai';

/**
 * The context length, in tokens, that a server says its model is served with: vLLM, SGLang, OpenRouter, Groq, LM Studio and
 * Mistral name it in their list of models, llama.cpp at `/props`. Undefined where the server names none or has no such page.
 * Throws as `createChatModel` does.
 */
export async function servedWindow(profile: ModelProfile, at: LineOwner): Promise<number | undefined> {
  const { client } = lineFor(profile, at);
  const page = (path: string): Promise<unknown> =>
    client.get<unknown>(path, { timeout: 10_000 }).then(
      (body) => body,
      () => undefined,
    );
  const listed = fieldsOf(await page('/models'));
  const models = [listed.data, listed.models].filter(Array.isArray).flat().map(fieldsOf);
  const ours = models.find(({ id }) => id === profile.model) ?? (models.length === 1 ? models[0] : undefined);
  if (ours) {
    const named = windowNamed(ours) ?? windowNamed(fieldsOf(ours.meta)) ?? windowNamed(fieldsOf(ours.top_provider));
    if (named !== undefined) return named;
  }
  const props = fieldsOf(await page(new URL('/props', client.baseURL).href));
  return windowNamed(fieldsOf(props.default_generation_settings)) ?? windowNamed(props);
}

/** How servers call it; what a model was trained with (`n_ctx_train`) is not what it is served with. */
const NAMES = [
  'max_model_len',
  'loaded_context_length',
  'context_length',
  'context_window',
  'max_context_length',
  'n_ctx',
];

function windowNamed(fields: Readonly<Record<string, unknown>>): number | undefined {
  const named = NAMES.map((name) => Number(fields[name])).find((tokens) => Number.isInteger(tokens) && tokens > 0);
  return named;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
