import { OVERFLOW_WORDINGS, overflowOf, windowIn } from '../../src/model/overflow';
import { type Answer, ask, outcomeOf } from './fixtures';

const error = (status: number, message: string, code?: string): Answer => ({
  status,
  body: { error: { message, ...(code ? { code } : {}) } },
});
/** Small, so that no guess is made. */
const SMALL = { contextTokens: 131_072 };

const rows = OVERFLOW_WORDINGS.flatMap(({ server, examples }) =>
  examples.map((example) => [server, example.message, example] as const),
);

test.each(rows)('%s: %s', async (_server, _message, { status, message, code }) => {
  const expected = { code: 'ContextWindowExceeded', retryable: false, hint: expect.stringContaining('contextTokens') };
  expect(await outcomeOf(error(status, message, code), SMALL)).toMatchObject(expected);
  // The same inside of a 200, as gateways send it: with a code and without.
  expect(await outcomeOf({ body: { error: { message, code: code ?? 400 } } }, SMALL)).toMatchObject(expected);
  expect(await outcomeOf({ body: { error: { message, ...(code ? { code } : {}) } } }, SMALL)).toMatchObject(expected);
  // At the top of the body, and as FastAPI writes it.
  expect(await outcomeOf({ status, body: { object: 'error', message, code } }, SMALL)).toMatchObject(expected);
  expect(await outcomeOf({ status, body: { detail: `${message} ${code ?? ''}` } }, SMALL)).toMatchObject(expected);
});

test('each row is found by its own words or codes, and no other row is needed for it', () => {
  for (const { server, says, codes = [], examples } of OVERFLOW_WORDINGS) {
    for (const { message, code } of examples) {
      const own = says.test(message.toLowerCase()) || (code !== undefined && codes.includes(code));
      expect([server, message, own]).toEqual([server, message, true]);
    }
  }
});

/** Lengths that are not the prompt's. */
const others: [number, string, string][] = [
  [400, 'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.', 'ModelRejected'],
  [400, "Invalid 'user': string too long. Expected a string with maximum length 64", 'ModelRejected'],
  [
    400,
    "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
    'ModelRejected',
  ],
  [400, "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a maximum length 40", 'ModelRejected'],
  [422, 'body.stop: List should have at most 4 items after validation, not 9', 'ModelRejected'],
  [422, 'String should have at most 64 characters', 'ModelRejected'],
  [400, "Invalid 'tools': array too long. Expected an array with maximum length 128", 'ModelRejected'],
  [400, 'Range of max_tokens should be [1, 8192]', 'ModelRejected'],
  [400, 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 'ModelRejected'],
  [400, 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens', 'ModelRejected'],
  [
    400,
    '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    'ModelRejected',
  ],
  [
    400,
    "max_tokens is too large: 40000. This model's maximum context length is 32768 tokens and your request has 500 input tokens.",
    'ModelRejected',
  ],
  [400, 'Rate limit reached: tokens per min (TPM): Limit 30000, Requested 40000. Input tokens exceed', 'ModelRejected'],
  [400, 'Function description is too long: at most 1024 characters', 'ModelRejected'],
  [400, 'max_completion_tokens exceeds the limit of 8192', 'ModelRejected'],
  [400, 'max_tokens (9000) exceeds the maximum of 8192 output tokens', 'ModelRejected'],
  [400, 'max_tokens cannot exceed 4096', 'ModelRejected'],
  [400, 'The maximum output length of this model is 8192 tokens, max_tokens was 20000', 'ModelRejected'],
  [400, 'thinking budget exceeds maximum', 'ModelRejected'],
  [400, 'Daily token limit exceeded', 'ModelRejected'],
  [400, 'token limit reached for this month', 'ModelRejected'],
  [400, 'stop: too many stop sequences, maximum 4', 'ModelRejected'],
  [400, 'Your API token is too long', 'ModelRejected'],
  [400, 'image is too large: maximum 20 MB', 'ModelRejected'],
  [400, 'temperature exceeds the maximum of 2', 'ModelRejected'],
  [400, 'logprobs exceeds maximum of 20', 'ModelRejected'],
  [400, 'tool_call_id too long: maximum length 40', 'ModelRejected'],
  [413, 'Request too large on tokens per minute (TPM): Limit 6000, Requested 9000', 'ModelRejected'],
  [429, 'Request too large: maximum context length', 'RateLimited'],
  [401, 'The token is longer than the maximum length', 'ModelRejected'],
];
test.each(others)('%d %s', async (status, message, code) => {
  expect(await outcomeOf(error(status, message), SMALL)).toMatchObject({ code });
  // A prompt near the window changes nothing about words that are known.
  expect(await outcomeOf(error(status, message), { contextTokens: 256 }, ask('x'.repeat(900)))).toMatchObject({ code });
});

describe('words that nobody has met', () => {
  const long = ask('word '.repeat(800));
  const near = { contextTokens: 1600 };
  const unknown = [
    error(400, 'Sequence of 4711 does not go into 4096'),
    error(422, 'The dialogue has more tokens than we take'),
    error(400, '输入内容长度超过模型限制'),
    { status: 413, body: '' },
    { status: 400, body: '' },
  ];
  test.each(unknown)(
    '%j, of a prompt near the window, is taken for an overflow and said to be a guess',
    async (answer) => {
      const guessed = await outcomeOf(answer, near, long);
      expect(guessed).toMatchObject({ code: 'ContextWindowExceeded', retryable: false });
      expect((guessed as Error).message).toMatch(/a guess.*contextTokens is 1600/);
      const { message } = (answer.body as { error?: { message: string } }).error ?? {};
      if (message) {
        const inside = await outcomeOf({ body: { error: { message } } }, near, long);
        expect(inside).toMatchObject({ code: 'ContextWindowExceeded' });
      }
      expect(await outcomeOf(answer, SMALL, long)).toMatchObject({ code: 'ModelRejected' });
      expect(await outcomeOf(answer, near, ask())).toMatchObject({ code: 'ModelRejected' });
    },
  );
  test('what does not talk of lengths is no overflow, nor is trouble of the server', async () => {
    expect(await outcomeOf(error(400, 'unknown field "foo"'), near, long)).toMatchObject({ code: 'ModelRejected' });
    expect(await outcomeOf(error(500, 'a token went missing'), near, long)).toMatchObject({ code: 'ModelServerError' });
  });
});

test('the window that a server names is read', () => {
  const named = rows.map(([, message]) => [message, windowIn(message)] as const).filter(([, window]) => window);
  expect(Object.fromEntries(named)).toMatchSnapshot();
});

test('a code is enough, a status may rule it out', () => {
  expect(overflowOf({ status: 400, codes: ['context_length_exceeded'], text: '' })).toBe('known');
  expect(overflowOf({ status: 429, codes: [null], text: 'maximum context length' })).toBeUndefined();
});
