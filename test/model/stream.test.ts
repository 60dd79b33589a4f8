import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { assembleStream, isEventStream } from '../../src/model/stream';
import { type Answer, answering, ask, faulty, modelAt, outcomeOf, rejection, TWO_TURNS } from './fixtures';

const STREAM = { stream: true };
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (said: object, more: object = {}) => event({ choices: [{ index: 0, delta: said, ...more }] });
const END = 'data: [DONE]\n\n';
const stopped = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });

test('a streamed answer is the same answer', async () => {
  const server = await startRehearsal({ script: TWO_TURNS });
  const options = { requestId: 'r1' };
  const whole = await modelAt(server.url).complete(ask(), options);
  const streamed = await modelAt(server.url, STREAM).complete(ask(), options);
  const { responseId: _, latencyMs: __, ...rest } = whole;
  expect(streamed).toMatchObject(rest);
  expect(streamed.usage.promptTokens).toBeGreaterThan(0);
  const unnamed = await modelAt(server.url, { ...STREAM, extraBody: { stream_options: null } }).complete(
    ask(),
    options,
  );
  expect(unnamed).toMatchObject({ reply: whole.reply, estimated: true });
  await server.close();
});

test('a server that closes the connection after a stream costs the next call nothing', async () => {
  const used = new Set<unknown>();
  const server = createServer((request, response) => {
    request.resume();
    if (used.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(delta({ content: 'hi' }) + stopped + END);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 3; i++) {
    const answer = await modelAt(`http://127.0.0.1:${port}/v1`, STREAM).complete(ask(), { requestId: `r${i}` });
    expect(answer.reply.content).toBe('hi');
  }
  expect(used.size).toBe(3);
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test('a stream that never ends is given up at the limit of all answers', async () => {
  const comment = `: ${'x'.repeat(1 << 20)}\n\n`;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && response.write(comment)) {}
    };
    response.on('drain', more);
    more();
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  const model = modelAt(`http://127.0.0.1:${port}/v1`, { ...STREAM, timeoutSeconds: 60 });
  const error = await rejection(model.complete(ask(), { requestId: 'r' }));
  expect(error).toMatchObject({ code: 'ModelMalformed', message: expect.stringContaining('longer than') });
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

test('a stream is asked for with its usage', async () => {
  await answering({ body: delta({ content: 'hi' }) + stopped + END }, async (url, asked) => {
    await modelAt(url, STREAM).complete(ask(), { requestId: 'r' });
    await modelAt(url).complete(ask(), { requestId: 'r' });
    expect(asked[0]).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(asked[1]).not.toHaveProperty('stream');
    expect(asked[1]).not.toHaveProperty('stream_options');
  });
});

test('content, reasoning, refused parts, tool calls, ids, logprobs, usage and model are put together', async () => {
  const body = [
    ': OPENROUTER PROCESSING\n\n',
    event({ id: 'c1', model: 'm-1', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
    delta({ reasoning_content: 'Let me ' }),
    delta({ reasoning_content: 'think.' }),
    delta({ content: 'Loo' }, { token_ids: [1, 2], logprobs: { content: [{ token: 'Loo', logprob: -0.1 }] } }),
    delta({ content: 'k.' }, { token_ids: [3], logprobs: { content: [{ token: 'k.', logprob: -0.2 }] } }),
    delta({ tool_calls: [{ index: 0, id: 'abc', type: 'function', function: { name: 'bash', arguments: '' } }] }),
    ': keep-alive\n\n',
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"comm' } }] }),
    delta({ tool_calls: [{ index: 1, id: 'def', function: { name: 'submit', arguments: '{' } }] }),
    delta({
      tool_calls: [
        { index: 0, function: { arguments: 'and":"ls"}' } },
        { index: 1, function: { arguments: '}' } },
      ],
    }),
    // Another choice is nobody's.
    event({ choices: [{ index: 1, delta: { content: 'no' } }] }),
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 5 } }),
    END,
  ].join('');
  expect(await outcomeOf({ body }, STREAM)).toMatchObject({
    reply: {
      content: 'Look.',
      reasoning: 'Let me think.',
      toolCalls: [
        { id: 'abc', name: 'bash', arguments: '{"command":"ls"}' },
        { id: 'def', name: 'submit', arguments: '{}' },
      ],
      finishReason: 'tool_calls',
    },
    usage: { promptTokens: 7, completionTokens: 5 },
    model: 'm-1',
    responseId: 'c1',
    tokenIds: [1, 2, 3],
    logprobs: {
      content: [
        { token: 'Loo', logprob: -0.1 },
        { token: 'k.', logprob: -0.2 },
      ],
    },
  });
});

describe('tool calls as servers number them', () => {
  const calls = async (...parts: object[]) => {
    const body = parts.map((part) => delta({ tool_calls: [part] })).join('') + stopped + END;
    const { reply } = (await outcomeOf({ body }, STREAM)) as { reply: { toolCalls: object[] } };
    return reply.toolCalls;
  };
  const ls = { id: 'a', name: 'bash', arguments: '{"command":"ls"}' };
  const end = { id: 'b', name: 'submit', arguments: '{}' };
  const whole = ({ id, ...called }: typeof ls) => ({ id, function: called });
  test('all 0, each with an id', async () => {
    expect(await calls({ index: 0, ...whole(ls) }, { index: 0, ...whole(end) })).toEqual([ls, end]);
  });
  test('not at all', async () => {
    expect(await calls(whole(ls), whole(end))).toEqual([ls, end]);
    expect(await calls({ id: 'a', function: { name: 'bash' } }, { function: { arguments: ls.arguments } })).toEqual([
      ls,
    ]);
  });
  test('id and name again with every part', async () => {
    const parts = ['{"command"', ':"ls"}'].map((text) => ({
      index: 0,
      id: 'a',
      function: { name: 'bash', arguments: text },
    }));
    expect(await calls(...parts)).toEqual([ls]);
  });
  test('arguments as an object', async () => {
    expect(await calls({ index: 0, id: 'a', function: { name: 'bash', arguments: { command: 'ls' } } })).toEqual([ls]);
  });
});

test('a server that streams though nobody asked is read', async () => {
  const plain = 'data: {"choices":[{"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n';
  for (const body of [
    plain,
    plain.replaceAll('\n', '\r\n'),
    plain.replaceAll('\n\n', '\n'),
    `\uFEFF${plain}`,
    `\n${plain}`,
  ]) {
    expect(await outcomeOf({ body, headers: { 'content-type': 'application/json' } })).toMatchObject({
      reply: { content: 'hi' },
    });
  }
});

test('a server that does not stream though asked is read', async () => {
  const body = { choices: [{ message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] };
  expect(await outcomeOf({ body }, STREAM)).toMatchObject({ reply: { content: 'hi' } });
});

const broken: [string, Answer][] = [
  ['ends after a piece', { body: delta({ content: 'I will' }) }],
  ['ends within an event', { body: `${delta({ content: 'I will' })}data: {"choices":[{"del` }],
  ['holds keep-alives only', { body: ': wait\n\n: wait\n\n' }],
  ['says that it is done and nothing else', { body: END }],
  ['holds what is not JSON', { body: `data: oops\n\n${END}` }],
];
test.each(broken)('a stream that %s is asked for again', async (_what, answer) => {
  for (const more of [STREAM, {}])
    expect(await outcomeOf(answer, more)).toMatchObject({ code: 'ModelMalformed', retryable: true });
});

test('an error in the middle of a stream is that error', async () => {
  for (const [kind, code, retryable] of [
    ['502', 'ModelServerError', true],
    ['401', 'ModelRejected', false],
    ['429', 'RateLimited', true],
  ] as const) {
    const server = await faulty({ kind: 'streamError', body: { error: { code: Number(kind), message: 'upstream' } } });
    const error = await rejection(modelAt(server.url, STREAM).complete(ask(), { requestId: 'r' }));
    expect(error).toMatchObject({ code, retryable });
    await server.close();
  }
});

test.each(['halfBody', 'malformedJson', 'reset'] as const)('%s of a stream is asked for again', async (kind) => {
  const server = await faulty({ kind });
  const error = await rejection(modelAt(server.url, STREAM).complete(ask(), { requestId: 'r' }));
  expect(error).toMatchObject({ code: kind === 'reset' ? 'ModelUnreachable' : 'ModelMalformed', retryable: true });
  await server.close();
});

test('a stream that stalls ends by the time limit, and by an abort, which closes it', async () => {
  const server = await faulty({ kind: 'stall' });
  const late = await rejection(
    modelAt(server.url, { ...STREAM, timeoutSeconds: 0.3 }).complete(ask(), { requestId: 'r' }),
  );
  expect(late).toMatchObject({ code: 'ModelTimeout', retryable: true });
  const abort = new AbortController();
  const reason = new Error('cancelled by a person');
  const asked = rejection(modelAt(server.url, STREAM).complete(ask(), { requestId: 'r', signal: abort.signal }));
  while (server.stats().inFlight === 0) await delay(5);
  abort.abort(reason);
  expect(await asked).toBe(reason);
  while (server.stats().inFlight > 0) await delay(5);
  expect(server.stats().abandoned).toBe(2);
  await server.close();
});

test('a server that says it is done need not close: the answer is there, and the connection is given up', async () => {
  let closed = false;
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', () => {
      closed = true;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(delta({ content: 'hi' }) + stopped);
    // In two pieces, as a network may deliver it.
    response.write('data: [DO');
    setTimeout(() => response.write('NE]\n\n'), 20);
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  const answer = await modelAt(`http://127.0.0.1:${port}/v1`, STREAM).complete(ask(), { requestId: 'r' });
  expect(answer.reply.content).toBe('hi');
  while (!closed) await delay(20);
  await new Promise((done) => server.close(done));
});

test('any text, cut anywhere into events with any line ends, comes back as it was', () => {
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }), ends, (pieces, end) => {
      const text = (pieces.map((content) => delta({ content })).join('') + stopped + END).replaceAll('\n', end);
      expect(isEventStream(text)).toBe(true);
      const read = assembleStream(text);
      expect(read).toMatchObject({ kind: 'answer', body: { choices: [{ message: { content: pieces.join('') } }] } });
    }),
  );
});

test('a stream cut at any byte before it has stopped is never an answer', () => {
  const text =
    delta({ content: 'I will' }) +
    delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'bash', arguments: '{}' } }] });
  for (let end = 1; end < text.length; end++) expect(assembleStream(text.slice(0, end)).kind).toBe('broken');
});
