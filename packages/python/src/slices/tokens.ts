import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';

/** Text that looks like a special token is text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** Tokens of a text in the encoding that the paper's budgets are counted in (cl100k_base). */
export function tokensOf(text: string): number {
  return countTokens(text, PLAIN);
}
