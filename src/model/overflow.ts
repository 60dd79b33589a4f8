/** How a server says that the prompt does not fit into the model's window. */
export interface OverflowWording {
  readonly server: string;
  /** Matched against the lower-cased words of the error. */
  readonly says: RegExp;
  /** Codes of the error that say so whatever its words. */
  readonly codes?: readonly string[];
  /** What it sends, one for each form of `says`: a test sends them and expects `ContextWindowExceeded`. */
  readonly examples: readonly { readonly status: number; readonly message: string; readonly code?: string }[];
}

/**
 * One row a server. What several share is in the row of the one that had it first. Numbers in the examples are of our
 * own.
 */
export const OVERFLOW_WORDINGS: readonly OverflowWording[] = [
  {
    server: 'OpenAI and Azure',
    says: /maximum context (length|limit|size|window)|exceeds? the context window|input tokens exceed the configured limit|request too large for the model/,
    codes: ['context_length_exceeded', 'context_window_exceeded', 'model_context_window_exceeded'],
    examples: [
      {
        status: 400,
        message: "This model's maximum context length is 8192 tokens. However, you requested 9001 tokens.",
      },
      { status: 400, message: 'Your input exceeds the context window of this model.' },
      { status: 400, message: 'Input tokens exceed the configured limit of 272000 tokens.' },
      { status: 400, message: 'It does not fit.', code: 'context_length_exceeded' },
    ],
  },
  {
    server: 'Anthropic',
    says: /prompt is too long|`?max_tokens`? exceed context limit|request exceeds the maximum size/,
    codes: ['request_too_large', 'prompt_too_long'],
    examples: [
      { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      { status: 400, message: 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000' },
      { status: 413, message: 'Request exceeds the maximum size' },
    ],
  },
  {
    server: 'Gemini',
    says: /input token count \(?\d*\)? ?exceeds the maximum number of tokens/,
    examples: [
      {
        status: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      },
    ],
  },
  {
    server: 'Bedrock',
    says: /input is too long|too many (input|prompt) tokens|expected max(imum)? ?length: ?\d+/,
    examples: [
      { status: 400, message: 'Input is too long for requested model.' },
      { status: 400, message: 'Malformed input request: expected maxLength: 250000, actual: 260000' },
    ],
  },
  {
    server: 'Mistral',
    says: /prompt contains \d+ tokens|too large for model with/,
    examples: [
      {
        status: 400,
        message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum',
      },
    ],
  },
  {
    server: 'vLLM',
    says: /max_(completion_)?tokens must be at least 1, got -?\d+|decoder prompt|longer than the maximum model length|model'?s context length is only|is too large: \d+\. this model'?s maximum context length is \d+ tokens and your request has \d+ input/,
    examples: [
      { status: 400, message: 'max_tokens must be at least 1, got -186.' },
      { status: 400, message: 'The decoder prompt (length 40000) is longer than the maximum model length of 32768.' },
      {
        status: 400,
        message:
          "You passed 30000 input tokens and requested 4096 output tokens. However, the model's context length is only 32768 tokens.",
      },
      {
        status: 400,
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens.",
      },
    ],
  },
  {
    server: 'SGLang',
    says: /input \(?\d+ tokens\)? is longer than|input length \(\d+ tokens\) exceeds|requested token count exceeds/,
    examples: [
      { status: 400, message: "The input (12345 tokens) is longer than the model's context length (8192 tokens)." },
      { status: 400, message: 'Input length (70001 tokens) exceeds the maximum allowed length (53682 tokens).' },
      { status: 400, message: "Requested token count exceeds the model's maximum context length of 131072 tokens." },
    ],
  },
  {
    server: 'TGI and Together',
    says: /`?inputs`? must have less than \d+ tokens|`?inputs`? tokens \+ `?max_new_tokens`? must be/,
    examples: [
      { status: 422, message: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 4545' },
      { status: 422, message: '`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens' },
    ],
  },
  {
    server: 'llama.cpp',
    says: /exceeds? the available context size|input is too large to process|context shift is disabled/,
    codes: ['exceed_context_size_error'],
    examples: [
      { status: 400, message: 'the request exceeds the available context size. try increasing it' },
      { status: 500, message: 'input is too large to process. increase the physical batch size' },
      { status: 400, message: 'It does not fit.', code: 'exceed_context_size_error' },
    ],
  },
  {
    server: 'LM Studio',
    says: /tokens to keep from the initial prompt is greater than the context length|when (the )?context (the )?overflows|n_keep: ?\d+ ?>= ?n_ctx|context (length|size) of only \d+ tokens/,
    examples: [
      {
        status: 400,
        message:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)',
      },
      { status: 400, message: 'Trying to keep the first 5000 tokens when context the overflows.' },
    ],
  },
  {
    server: 'Ollama',
    says: /prompt too long; exceeded max context length|input length exceeds (the )?(maximum )?context length/,
    examples: [
      { status: 400, message: 'prompt too long; exceeded max context length by 512 tokens' },
      { status: 400, message: 'input length exceeds maximum context length' },
    ],
  },
  {
    server: 'DashScope',
    says: /range of input length should be|input length should be (in )?\[/,
    examples: [
      { status: 400, message: 'Range of input length should be [1, 129024]', code: 'invalid_parameter_error' },
    ],
  },
  {
    server: 'Moonshot',
    says: /model max length exceeded|exceeded model token limit|model token limit/,
    examples: [
      { status: 400, message: 'model max length exceeded, max length:8192' },
      { status: 400, message: 'Your request exceeded model token limit: 262144 (requested: 270000)' },
    ],
  },
  {
    server: 'xAI',
    says: /maximum prompt length is \d+/,
    examples: [
      {
        status: 400,
        message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
  },
  {
    server: 'GitHub Models and Copilot',
    says: /request body too large for [^.]{0,80}max size: \d+ tokens|prompt token count of \d+ exceeds the limit/,
    codes: ['tokens_limit_reached', 'model_max_prompt_tokens_exceeded'],
    examples: [
      {
        status: 413,
        message: 'Request body too large for the model. Max size: 8000 tokens.',
        code: 'tokens_limit_reached',
      },
      { status: 400, message: 'prompt token count of 130000 exceeds the limit of 128000' },
    ],
  },
  {
    server: 'MLC',
    says: /request prompt has \d+ tokens in total, larger than/,
    examples: [
      {
        status: 400,
        message: 'Request prompt has 5000 tokens in total, larger than the model input length limit 4096.',
      },
    ],
  },
  {
    server: 'OpenRouter',
    says: /endpoint'?s maximum context length|context length exceeded upstream|maximum allowed input length/,
    examples: [
      {
        status: 400,
        message: "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
      },
      { status: 400, message: 'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.' },
    ],
  },
  {
    server: 'LiteLLM',
    says: /contextwindowexceeded(error)?/,
    examples: [{ status: 400, message: 'litellm.ContextWindowExceededError: BadRequestError: it does not fit' }],
  },
  {
    server: 'Groq and Cerebras',
    says: /please reduce the length of (the|your) (messages|prompt|input)|current length is \d+ while limit is \d+/,
    examples: [
      { status: 400, message: 'Please reduce the length of the messages or completion.' },
      { status: 400, message: 'Current length is 9000 while limit is 8192' },
    ],
  },
  {
    server: 'Fireworks',
    says: /prompt is too long: \d+, model maximum/,
    examples: [{ status: 400, message: 'The prompt is too long: 40000, model maximum context length: 32768' }],
  },
  {
    server: 'Cohere',
    says: /too many tokens: [^.]{0,80}prompt|number of tokens in the prompt cannot exceed/,
    examples: [
      {
        status: 400,
        message: 'too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130000',
      },
    ],
  },
  {
    server: 'Zhipu',
    says: /prompt exceeds max(imum)? length/,
    examples: [{ status: 400, message: 'Prompt exceeds max length', code: '1261' }],
  },
  {
    server: 'MiniMax',
    says: /context window exceeds limit/,
    examples: [{ status: 400, message: 'invalid params, context window exceeds limit' }],
  },
  {
    server: 'Volcengine',
    says: /exceed max message tokens|total tokens of [^.]{0,40} exceed/,
    examples: [{ status: 400, message: 'Total tokens of image and text exceed max message tokens' }],
  },
  {
    server: 'Cloudflare',
    says: /exceeded this model context window limit/,
    examples: [
      {
        status: 413,
        message:
          'The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).',
      },
    ],
  },
  {
    server: 'TensorRT-LLM and Triton',
    says: /max_input_len|max_seq_len|max_num_tokens|input sequence length/,
    examples: [
      { status: 400, message: 'Prompt length (9000) exceeds maximum input length (8192). Set max_input_len.' },
      {
        status: 500,
        message: 'default_max_tokens (-8) should be greater than 0: max_seq_len (4096) - splited_prompt_len',
      },
    ],
  },
  {
    server: 'exllamav2 and tabbyAPI',
    says: /prompt length \d+ is greater than|(request|prompt) length is (greater|longer|larger) than/,
    examples: [{ status: 422, message: 'Prompt length 9000 is greater than max_seq_len 8192' }],
  },
  {
    server: 'a server that shares the words of others',
    says: new RegExp(
      [
        /context[ _](length|window|size|limit)[^.]{0,40}(exceed|overflow)/,
        /(exceed|larger than|greater than|longer than|beyond|over the)\w{0,20}[^.]{0,60}context[ _]?(length|window|size|limit)/,
        /context (window|length) (is )?(full|overflow)|context overflow|not (large|big) enough to (hold|fit)/,
        /(prompt|input|request|messages?|conversation)( tokens?)? (is|are|was|too) (too )?(long|large)\b/,
        /(prompt|inputs?|messages?|conversation|sequence)( tokens?| token count| length)?[^.]{0,60}(exceed|larger than|greater than|longer than)[^.]{0,60}(tokens?|length|limit|maximum)/,
        /exceeds? the (maximum|limit of|allowed)[^.]{0,40}\btokens?\b|requested tokens? \(\d+\) exceed/,
        /(token|input) limit (is |was )?exceeded|exceed\w{0,9} (the )?(token|input) limit/,
        /(\btokens?|(prompt|input|total)_tokens?)( count)?( \(\d+\))?[^.]{0,40}(exceed|larger than|greater than|longer than|(must|should) be (less|at most|<))/,
        /context (length|window|size|limit)( of| is|:)? ?\(?\d+[^.]{0,60}(prompt|request|inputs?|messages)\b/,
        /(longer|larger|greater) than (the |its )?(model'?s )?context|> ?context|exceeds? the context|not fit (in|into|within)[^.]{0,30}context/,
        /too many tokens in the (prompt|input|request)|reduce (the|your) (prompt|messages|input)/,
        /max_model_len|max(imum)?[ _]position[ _]embeddings/,
      ]
        .map(({ source }) => source)
        .join('|'),
    ),
    examples: [
      { status: 400, message: 'Context window overflow: shorten the conversation' },
      { status: 400, message: 'The messages are too long' },
      { status: 400, message: 'Input length (265330) exceeds the limit of this deployment (262144).' },
      { status: 422, message: 'Token limit exceeded' },
      { status: 400, message: 'The total number of tokens (9000) exceeds the maximum allowed (8192)' },
      { status: 400, message: 'This model has a context limit of 8192 tokens, your prompt has 9000 tokens' },
      { status: 400, message: 'input tokens (9000) + max_tokens (100) > context (8192)' },
      { status: 400, message: 'prompt (9000 tokens) does not fit into context (8192)' },
      { status: 400, message: 'too many tokens in the prompt' },
      { status: 400, message: 'sequence length (9000) exceeds max position embeddings (8192)' },
    ],
  },
];

const CODES: readonly string[] = OVERFLOW_WORDINGS.flatMap(({ codes }) => codes ?? []);

/** A field that is too long, too many tokens a minute, or an answer's limit that no prompt could be beside. */
const OTHER_LENGTHS = new RegExp(
  [
    /(string|array)_above_max_length|invalid '?user'?|(string|array|list|value) (is )?too (long|short)/,
    /(maximum|max|at most)( length)?( of)? \d+ (characters|chars|items|elements|functions|tools|messages)/,
    /(tokens?|requests?|queries|characters)( | ?\/ ?| per | a )(min\b|minute|day|hour|second)|\b(tpm|rpm|tpd|rpd)\b|rate[ _]limit|quota/,
    /max_(completion_|new_|output_)?tokens['"`]* is too large(?![\s\S]*input tokens)/,
    /(?<!tokens \+ ['"`]?)max_(completion_|new_|output_)?tokens['"`:]*[^.]{0,60}(must be (less|<|between|at most|<=)|valid range|maximum allowed number of output)/,
    /(valid )?range of ['"`]?max_(completion_|new_|output_)?tokens|at most \d+ (completion|output) tokens/,
    /max_(completion_|new_|output_)?tokens['"`:]* ?\(?\d*\)? ?(>|((can|may|must) ?not )?exceeds?|is greater than|is larger than)(?! context)/,
    /(maximum|max) (output|completion|response|answer) length|(?<!or |and maximum )(output|completion|reasoning|thinking) tokens? [^.]{0,30}exceed/,
    /(daily|weekly|monthly)\b[^.]{0,40}token|token[^.]{0,40}\b(this|per|a|of the) (month|day|week)/,
    /(\buser|\bname|\bid|_id|api[ _-]?(key|token)|metadata|\bvalue|\btitle|description|\burl|\bseed|\bstop|temperature|top_?p|logprobs|penalty|budget|schema|enum)\b[^.]{0,20}(too (long|large|many|big)|exceeds?|(larger|greater|longer) than)/,
    /image[^.]{0,10}too (large|big)/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** Statuses that say what is wrong by themselves. */
const OTHER_REASONS: readonly number[] = [401, 402, 403, 404, 408, 409, 425, 429];

/** Words of lengths, for a server that nobody has met. */
const LENGTHS =
  /tokens?\b|context|\blength|sequence|\blong(er)?\b|too (large|big|much)|larger than|exceed|truncat|maximum|window|上下文|长度|超过|超出|过长/;

/** From this share of the window on, the estimate of a prompt is near it: estimates are from above, by a third at most. */
const NEAR = 0.75;

export interface PromptSize {
  /** Estimated from above (`estimatePromptTokens`). */
  readonly tokens: number;
  /** `contextTokens` of the profile. */
  readonly window: number;
}

/**
 * Whether a request was refused for its length: `known` by the words of some server, `guessed` where the words are
 * nobody's but talk of lengths and the prompt is estimated near the window. `text` may be the whole body.
 */
export function overflowOf(
  { status, codes, text }: { readonly status: number; readonly codes: readonly unknown[]; readonly text: string },
  prompt?: PromptSize,
): 'known' | 'guessed' | undefined {
  if (status < 400 || OTHER_REASONS.includes(status)) return undefined;
  if (codes.some((code) => typeof code === 'string' && CODES.includes(code.toLowerCase()))) return 'known';
  const lower = text.slice(0, 20_000).toLowerCase();
  if (OTHER_LENGTHS.test(lower) || isAnswerLimit(lower)) return undefined;
  const known = CODES.some((code) => lower.includes(code)) || OVERFLOW_WORDINGS.some(({ says }) => says.test(lower));
  if (known) return 'known';
  if (status >= 500 || !prompt || prompt.tokens < NEAR * prompt.window) return undefined;
  return status === 413 || lower.includes('(no body)') || LENGTHS.test(lower) ? 'guessed' : undefined;
}

/** Whether the answer's limit alone fills the window, so that no prompt would ever fit: a matter of the profile. */
function isAnswerLimit(text: string): boolean {
  const window = numberIn(text, /maximum context (?:length|window|size|limit)[^\d.]{0,20}(\d+)/);
  const answer = numberIn(
    text,
    /is too large: (\d+)|(?<!\d)(\d{1,15}) (?:tokens )?(?:in|for|of) the (?:completion|output)|requested (\d+) output tokens/,
  );
  return window !== undefined && answer !== undefined && answer >= window;
}

function numberIn(text: string, where: RegExp): number | undefined {
  const found = where
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  return found === undefined ? undefined : Number(found);
}

/** The window that a server's words name, in tokens; undefined where they name none. */
export function windowIn(text: string): number | undefined {
  const lower = text.slice(0, 20_000).toLowerCase();
  const named = [
    /n_ctx: ?(\d{3,8})/,
    /\+ \d+ > (\d{3,8})/,
    /(?:context|maximum prompt|maximum input|allowed|max_seq_len|max_input_len)(?: (?:length|window|size|limit))?(?: is| of|:)?(?: only)? ?\(?(\d{3,8})/,
    /less than (\d{3,8}) tokens/,
    /\[\d+, ?(\d{3,8})\]/,
    /(?:>|with) (\d{3,8}) maximum/,
    /(?:limit|max size|max length|maximum)(?: is| of|:)? ?\(?(\d{3,8})/,
  ];
  for (const where of named) {
    const window = numberIn(lower, where);
    if (window !== undefined) return window;
  }
  return undefined;
}
