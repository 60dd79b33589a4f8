import { randomUUID } from 'node:crypto';
import { functionSchema, TOOLS } from '../agent/tools';
import { isPointsmanError, type ModelProfile } from '../contract';
import { createChatModel } from '../model';

export interface Checked {
  readonly name: string;
  readonly ok: boolean;
  /** The model that the server says it ran. */
  readonly model: string;
  readonly latencyMs: number | null;
  /** Whether it answered with a call of the tool it was offered; dialects in text do without. */
  readonly toolCall: boolean | null;
  readonly priced: boolean;
  readonly contextTokens: number;
  readonly error: string | null;
  readonly hint: string | null;
}

const PATIENCE_SECONDS = 60;

/** One small request over the very path that rollouts take. Never throws: what went wrong is the answer. */
export async function checkModel(name: string, profile: ModelProfile, env: NodeJS.ProcessEnv): Promise<Checked> {
  const about = { name, priced: profile.price !== undefined, contextTokens: profile.contextTokens };
  try {
    const timeoutSeconds = Math.min(profile.timeoutSeconds, PATIENCE_SECONDS);
    const small = { ...profile, timeoutSeconds, maxOutputTokens: Math.min(profile.maxOutputTokens, 1024) };
    const { reply, latencyMs, model } = await createChatModel(small, { name, env }).complete(
      {
        messages: [
          { role: 'system', content: 'You are being checked. Answer with one call of the tool bash.' },
          { role: 'user', content: 'Call bash with the command: echo ready' },
        ],
        tools: [functionSchema(TOOLS.get('bash')!)],
      },
      { requestId: `models-check/${randomUUID()}` },
    );
    return { ...about, ok: true, model, latencyMs, toolCall: reply.toolCalls.length > 0, error: null, hint: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = isPointsmanError(error) ? error.hint : null;
    return { ...about, ok: false, model: profile.model, latencyMs: null, toolCall: null, error: message, hint };
  }
}
