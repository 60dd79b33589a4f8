/** Codes that providers give when the prompt does not fit the model's window. */
const CODES = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'prompt_too_long',
  'model_context_window_exceeded',
]);

/** Their wordings: OpenAI, Azure, Anthropic, Gemini, Mistral, Bedrock, Groq, DeepSeek, vLLM, SGLang, TGI, llama.cpp, LM Studio. */
const WORDINGS: readonly RegExp[] = [
  /maximum context (length|limit|size|window)/,
  /context[ _](length|window|size|limit)[^.]{0,40}exceed/,
  /exceed\w*[^.]{0,60}context[ _]?(length|window|size|limit)/,
  /context (window|length) (is )?(full|overflow)/,
  /context overflow|not (large|big) enough to (hold|fit)/,
  /(prompt|input|request|messages?)( tokens?)? (is|are|was) too (long|large)/,
  /prompt is longer than|longer than the model'?s (maximum )?(context|input|sequence)/,
  /input (tokens?|length|token count)[^.]{0,60}exceed/,
  /exceeds? the (maximum|limit of|allowed)[^.]{0,40}\btokens?\b/,
  /`?inputs`? tokens \+ `?max_new_tokens`? must be/,
  /(prompt|input) (token )?length[^.]{0,60}(exceed|larger than|greater than|longer than)/,
  /requested tokens? \(\d+\) exceed/,
  /too many (input |prompt )?tokens/,
  /please reduce the length of the (messages|prompt|input)/,
];

/** Complaints about one field's length, or about the answer's length, are plain rejections. */
const OTHER_LENGTHS =
  /string_above_max_length|invalid '?user'?|max_(completion_)?tokens is too large|tokens per (min|day|hour)|rate limit/;

/**
 * Whether a rejected request was rejected for its length. Read from statuses 400, 413, 422 and 500 (older llama.cpp
 * answers 500); `text` may be the whole body.
 */
export function isContextOverflow(status: number, codes: readonly unknown[], text: string): boolean {
  if (![400, 413, 422, 500].includes(status)) return false;
  if (codes.some((code) => typeof code === 'string' && CODES.has(code.toLowerCase()))) return true;
  const lower = text.slice(0, 20_000).toLowerCase();
  if (OTHER_LENGTHS.test(lower)) return false;
  return [...CODES].some((code) => lower.includes(code)) || WORDINGS.some((wording) => wording.test(lower));
}
