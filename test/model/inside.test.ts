import { embedTexts } from '../../src/model';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { type Answer, answering, ask, CANARY, modelAt, outcomeOf, profileFor, rejection } from './fixtures';

/** An error in each place where servers put one into a 200. */
const places = (error: { code?: number | string; message: string }): Answer[] => [
  { body: { error } },
  { body: { error, choices: [] } },
  {
    body: {
      id: 'x',
      choices: [{ index: 0, error, finish_reason: 'error', message: { role: 'assistant', content: 'I' } }],
    },
  },
  { body: `data: ${JSON.stringify({ error })}\n\n` },
  { body: `data: {"choices":[{"delta":{"content":"I will"}}]}\n\ndata: ${JSON.stringify({ error, choices: [] })}\n\n` },
  { body: `: wait\n\nevent: error\ndata: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n` },
];

const byCode: [number, string, boolean][] = [
  ...[400, 401, 402, 403, 404, 405, 410, 413, 422, 451].map((code): [number, string, boolean] => [
    code,
    'ModelRejected',
    false,
  ]),
  [408, 'ModelServerError', true],
  [429, 'RateLimited', true],
  [500, 'ModelServerError', true],
  [502, 'ModelServerError', true],
  [529, 'ModelServerError', true],
];
test.each(byCode)('the code %d inside of a 200 is %s', async (code, expected, retryable) => {
  for (const answer of [...places({ code, message: 'no' }), ...places({ code: String(code), message: 'no' })]) {
    expect(await outcomeOf(answer)).toMatchObject({ code: expected, retryable });
  }
});

const byWords: [string, string, boolean][] = [
  ['No auth credentials found', 'ModelRejected', false],
  ['Incorrect API key provided', 'ModelRejected', false],
  ['Insufficient credits. Add more', 'ModelRejected', false],
  ['You have no permission for this model', 'ModelRejected', false],
  ['The model `x` does not exist', 'ModelRejected', false],
  ['No endpoints found that support tool use', 'ModelRejected', false],
  ['Invalid value for temperature', 'ModelRejected', false],
  ['Rate limit exceeded, slow down', 'RateLimited', true],
  ['Too Many Requests', 'RateLimited', true],
  ['Overloaded', 'ModelServerError', true],
  ['Internal Server Error', 'ModelServerError', true],
  ['upstream connect error', 'ModelServerError', true],
  ['something else altogether', 'ModelServerError', true],
  ['maximum context length is 4096 tokens', 'ContextWindowExceeded', false],
];
test.each(byWords)('without a code the words decide: %s', async (message, code, retryable) => {
  for (const answer of places({ message })) expect(await outcomeOf(answer)).toMatchObject({ code, retryable });
});

test('servers have other places for an error, and leave the field empty beside an answer', async () => {
  expect(await outcomeOf({ body: { error: 'invalid api key' } })).toMatchObject({ code: 'ModelRejected' });
  expect(await outcomeOf({ body: { detail: 'Not authenticated' } })).toMatchObject({ code: 'ModelRejected' });
  expect(await outcomeOf({ body: { errors: [{ code: 7009, message: 'rate limit' }] } })).toMatchObject({
    code: 'RateLimited',
  });
  expect(
    await outcomeOf({ body: { base_resp: { status_code: 1008, status_msg: 'insufficient balance' }, choices: null } }),
  ).toMatchObject({ code: 'ModelRejected' });
  const choices = [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }];
  for (const error of [null, '', false, {}]) {
    expect(await outcomeOf({ body: { choices, error } })).toMatchObject({ reply: { content: 'hi' } });
  }
  expect(await outcomeOf({ body: { choices, base_resp: { status_code: 0, status_msg: 'success' } } })).toMatchObject({
    reply: { content: 'hi' },
  });
});

test('the words of the upstream are quoted, without secrets', async () => {
  const metadata = { raw: '{"error":"role tool is not known"}', provider_name: 'Upstream Inc' };
  for (const answer of [
    { body: { error: { code: 400, message: 'Provider returned error', metadata } } },
    { status: 400, body: { error: { message: 'Provider returned error', metadata } } },
  ]) {
    const error = (await outcomeOf(answer)) as Error;
    expect(error).toMatchObject({ code: 'ModelRejected', hint: expect.stringContaining('words of the server') });
    expect(error.message).toMatch(/Upstream Inc/);
    expect(error.message).toMatch(/role tool is not known/);
  }
});

test('a wait beside an error inside of a 200 is followed', async () => {
  const answer = { body: { error: { code: 429, message: 'slow down' } }, headers: { 'retry-after': '7' } };
  expect(await outcomeOf(answer)).toMatchObject({ code: 'RateLimited', retryAfterMs: 7000 });
});

const half = (finish_reason: string, more: object = {}): Answer => ({
  body: {
    choices: [
      {
        finish_reason,
        message: {
          role: 'assistant',
          content: 'I will',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'bash', arguments: '{"command":"rm -rf build"}' } },
          ],
        },
        ...more,
      },
    ],
  },
});

test.each(['error', 'abort', 'cancelled', 'insufficient_system_resource'])(
  'an answer that ended by %s is asked for again and never a turn',
  async (reason) => {
    expect(await outcomeOf(half(reason))).toMatchObject({ code: 'ModelServerError', retryable: true });
  },
);

test.each(['content_filter', 'refusal', 'SAFETY', 'PROHIBITED_CONTENT', 'content_filter: RECITATION', 'sensitive'])(
  'an answer that ended by %s is refused, with the reason',
  async (reason) => {
    const error = (await outcomeOf(half(reason))) as Error;
    expect(error).toMatchObject({ code: 'ModelRejected', retryable: false });
    expect(error.message).toContain(reason);
  },
);

test('a filter that says what it filtered is quoted', async () => {
  const content_filter_results = { violence: { filtered: true, severity: 'high' }, hate: { filtered: false } };
  const error = (await outcomeOf(half('content_filter', { content_filter_results }))) as Error;
  expect(error.message).toContain('violence high');
  expect(error.message).not.toContain('hate');
});

test('a refusal in words is refused with them; beside an answer it is only a field', async () => {
  const answer = (message: object) => ({ body: { choices: [{ finish_reason: 'stop', message }] } });
  const error = (await outcomeOf(answer({ content: null, refusal: 'I cannot help with that.' }))) as Error;
  expect(error).toMatchObject({ code: 'ModelRejected', retryable: false });
  expect(error.message).toContain('I cannot help with that.');
  expect(await outcomeOf(answer({ content: 'hi', refusal: null }))).toMatchObject({ reply: { content: 'hi' } });
});

const templates = [
  'Conversation roles must alternate user/assistant/user/assistant/...',
  'After the optional system message, conversation roles must alternate',
  'System role not supported',
  'Jinja Exception: System role is not supported',
  'jinja2.exceptions.TemplateError: raise_exception',
  'Only user and assistant roles are supported!',
  'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
  'Cannot use chat template functions because tokenizer.chat_template is not set',
  'This model only supports single tool-calls at once!',
  'Error rendering prompt with jinja template: "No user query found in messages."',
];
test.each(templates)(
  'a template that cannot write the conversation is final whatever the status: %s',
  async (message) => {
    for (const status of [400, 422, 500, 502, 503]) {
      const expected = { code: 'ModelRejected', retryable: false, hint: expect.stringContaining('view.dialect') };
      expect(await outcomeOf({ status, body: { error: { message } } })).toMatchObject(expected);
      expect(await outcomeOf({ body: { error: { code: status, message } } })).toMatchObject(expected);
    }
    expect(await outcomeOf({ body: { error: { message } } })).toMatchObject({ code: 'ModelRejected' });
  },
);

const hints: [number, string, RegExp][] = [
  [400, 'parameter.enable_thinking must be set to false for non-streaming calls', /stream: true/],
  [400, 'This model only support stream mode, please enable the stream parameter to access the model.', /stream: true/],
  [400, 'Invalid value for content: expected a string, got null.', /emptyContent: text/],
  [400, 'parameters.properties: should be non-empty for OBJECT type', /emptyParameters: omitted/],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', /view\.dialect/],
  [400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", /max_completion_tokens: N/],
  [400, 'The response was filtered by the content management policy', /what the conversation says/],
  [404, 'No endpoints found that support tool use', /view\.dialect/],
  [400, 'upstream said no', /words of the server/],
  [501, 'This server does not support embeddings', /cannot do this at all/],
];
test.each(hints)('%d %s: the hint is what mends it', async (status, message, hint) => {
  expect(await outcomeOf({ status, body: { error: { message } } })).toMatchObject({
    code: 'ModelRejected',
    retryable: false,
    hint: expect.stringMatching(hint),
  });
});

test('embeddings: an error inside of a 200 is that error, and a server that has none is final', async () => {
  const embed = (answer: Answer) =>
    answering(answer, (url) => {
      const at = { name: 'student', env: { CANARY_KEY: CANARY } };
      return rejection(embedTexts(profileFor(url), at, ['a'], { requestId: 'r' }));
    });
  const error = (status: number, code: number) => ({ status, body: { error: { code, message: 'no' } } });
  expect(await embed(error(200, 401))).toMatchObject({ code: 'ModelRejected', retryable: false });
  expect(await embed(error(200, 503))).toMatchObject({ code: 'ModelServerError', retryable: true });
  expect(await embed(error(501, 501))).toMatchObject({ code: 'ModelRejected', retryable: false });
  expect(await embed({ body: {} })).toMatchObject({ code: 'ModelMalformed', retryable: true });
});

describe('a picky server is content with what is sent', () => {
  const refusing = (when: string, message: string) => ({ kind: 'rejected' as const, when, message });
  const history = ask();
  history.messages.push(
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call00001', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
    },
    { role: 'tool', content: 'a', tool_call_id: 'call00001' },
  );
  history.tools = [
    { type: 'function', function: { name: 'submit', description: 'ends it', parameters: { type: 'object' } } },
  ];
  const cases: [string, object, object | undefined][] = [
    ['bare_tools', {}, undefined],
    ['other_ids', {}, undefined],
    ['null_content', { emptyContent: 'text' }, {}],
    ['null_content', { emptyContent: 'omitted' }, {}],
    ['empty_content', { emptyContent: 'omitted' }, { emptyContent: 'text' }],
    ['empty_properties', { emptyParameters: 'omitted' }, {}],
    ['not_streamed', { stream: true }, {}],
    ['streamed', {}, { stream: true }],
    ['stream_options', { stream: true, extraBody: { stream_options: null } }, { stream: true }],
  ];
  test.each(cases)('%s, with %j and not with %j', async (when, mended, refused) => {
    const student = { turns: [], faults: [refusing(when, `refused: ${when}`)] } as never;
    const server = await startRehearsal({ script: { models: { student } } });
    try {
      expect(await modelAt(server.url, mended).complete(history, { requestId: 'r' })).toMatchObject({
        reply: { toolCalls: [{ name: 'submit' }] },
      });
      if (refused) {
        const error = await rejection(modelAt(server.url, refused).complete(history, { requestId: 'r' }));
        expect(error).toMatchObject({ code: 'ModelRejected' });
      }
    } finally {
      await server.close();
    }
  });
});
