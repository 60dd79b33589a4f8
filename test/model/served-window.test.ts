import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servedWindow } from '../../src/model';
import { CANARY, profileFor } from './fixtures';

/** What servers say of their models, by path. */
const servers: [string, Record<string, unknown>, number | undefined][] = [
  ['vLLM', { '/v1/models': { data: [{ id: 'student', max_model_len: 32768 }] } }, 32768],
  ['one model under another name', { '/v1/models': { data: [{ id: 'x', max_model_len: 4096 }] } }, 4096],
  [
    'OpenRouter',
    {
      '/v1/models': {
        data: [
          { id: 'o', context_length: 1 },
          { id: 'student', context_length: 131072 },
        ],
      },
    },
    131072,
  ],
  [
    'LM Studio',
    { '/v1/models': { data: [{ id: 'student', max_context_length: 32768, loaded_context_length: 4096 }] } },
    4096,
  ],
  [
    'llama.cpp',
    {
      '/v1/models': { data: [{ id: 'student', meta: { n_ctx_train: 32768 } }] },
      '/props': { default_generation_settings: { n_ctx: 8192 } },
    },
    8192,
  ],
  ['a server that says nothing', { '/v1/models': { data: [{ id: 'student' }] } }, undefined],
  ['a server without such pages', {}, undefined],
];
test.each(servers)('%s', async (_name, pages, tokens) => {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(page ?? {}));
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address() as AddressInfo;
  const found = await servedWindow(profileFor(`http://127.0.0.1:${port}/v1`), {
    name: 'student',
    env: { CANARY_KEY: CANARY },
  });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  expect(found).toBe(tokens);
});
