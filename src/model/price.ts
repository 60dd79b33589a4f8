import { type ChatRequest, type ModelProfile, PointsmanError, type Price, type Usage } from '../contract';

export type Tokens = Pick<Usage, 'promptTokens' | 'cachedTokens' | 'completionTokens'>;

/** USD of a call; `priced` is false where the price is unknown. */
export interface Cost {
  readonly costUsd: number;
  readonly priced: boolean;
}

/** `cachedTokens` are part of `promptTokens` and cost `cachedInput` where the price names it. Prices are per million. */
export function costOf(tokens: Tokens, price: Price | undefined): Cost {
  if (price === undefined) return { costUsd: 0, priced: false };
  const cached = Math.min(tokens.cachedTokens, tokens.promptTokens);
  const input = (tokens.promptTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return { costUsd: (input + tokens.completionTokens * price.output) / 1e6, priced: true };
}

/** Tokens that a chat template adds around one message. */
const MESSAGE_TOKENS = 8;

/**
 * Tokens of the prompt from above: a token per three UTF-8 bytes (English and code take four or more, CJK about three)
 * and a few a message. Digits and minified text can be denser; the context window bounds the error.
 */
export function estimatePromptTokens(request: ChatRequest): number {
  const bytes = bytesOf(request.messages) + bytesOf(request.tools ?? []);
  return Math.ceil(bytes / 3) + MESSAGE_TOKENS * request.messages.length;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * What a call can cost at most, to be reserved before it is made: the estimated prompt, uncached, and an answer of full
 * length. The whole difference is given back when the call is settled.
 */
export function estimateCost(request: ChatRequest, profile: ModelProfile): Cost {
  const promptTokens = Math.min(estimatePromptTokens(request), profile.contextTokens);
  const limit = profile.extraBody.max_completion_tokens ?? profile.extraBody.max_tokens;
  const completionTokens = typeof limit === 'number' ? limit : profile.maxOutputTokens;
  return costOf({ promptTokens, cachedTokens: 0, completionTokens }, profile.price);
}

/** Refuses a cost cap over a model whose price nobody wrote down: such a cap would never be reached. */
export function requirePrice(profileName: string, price: Price | undefined, capUsd: number | undefined): void {
  if (capUsd === undefined || price !== undefined) return;
  throw new PointsmanError(
    'InvalidInput',
    `profile "${profileName}": a cost cap of $${capUsd} needs a price, and the profile has none`,
    'Add `price: {input, output}` in USD per million tokens to the profile (0 for a local model), or drop the cap.',
  );
}
