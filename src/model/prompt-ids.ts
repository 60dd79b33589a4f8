import type OpenAI from 'openai';
import { APIError } from 'openai';
import type { FreshAnswer } from './answer';
import { NO_PROMPT_IDS } from './sampled';

type Json = Readonly<Record<string, unknown>>;

/**
 * The ids of a prompt from a server that gives those of its answers alone: llama.cpp renders messages with its own template
 * (`/apply-template`) and tokenises the text (`/tokenize`) as it does before it samples.
 */
export class PromptIds {
  /** It has no such paths. */
  private unknown = false;

  /**
   * The answer with the ids of its prompt, if the server gives as many as it counted; else as it was: nothing that goes wrong
   * here is a reason to lose an answer.
   */
  async complete(client: OpenAI, body: Json, answer: FreshAnswer, options: object): Promise<FreshAnswer> {
    const { tokens, sampled, usage, estimated } = answer;
    if (this.unknown || !tokens || tokens.prompt || estimated) return answer;
    const root = client.baseURL.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
    try {
      const { prompt: content } = await client.post<Json>(`${root}/apply-template`, { body, ...options });
      if (typeof content !== 'string') return answer;
      const asked = { content, add_special: true, parse_special: true };
      const { tokens: ids } = await client.post<Json>(`${root}/tokenize`, { body: asked, ...options });
      if (!Array.isArray(ids) || ids.length !== usage.promptTokens || !ids.every(Number.isSafeInteger)) return answer;
      const dropped = (sampled?.dropped ?? []).filter((sentence) => sentence !== NO_PROMPT_IDS);
      return {
        ...answer,
        tokens: { ...tokens, prompt: ids as number[] },
        sampled: { ...sampled, dropped: dropped.length > 0 ? dropped : undefined },
      };
    } catch (error) {
      const status = error instanceof APIError ? error.status : undefined;
      if (status !== undefined && status >= 400 && status < 500 && status !== 429) this.unknown = true;
      return answer;
    }
  }
}
