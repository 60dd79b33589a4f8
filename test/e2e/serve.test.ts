import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { standstill } from '../../src/cli/wait';
import { loadSettings } from '../../src/config';
import type { NemoAnswer, Problem, TrainerAnswer, TrainerStep } from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { Runs } from '../../src/serve/runs';
import { serveTrainers, type TrainerServer } from '../../src/serve/server';
import { openStores } from '../../src/store';
import { examples } from '../support/counts';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const TOKEN = 'a-token-of-this-test';
const RUNS = examples(12, 50);
const WAITING = 500;

const script = {
  models: {
    student: {
      position: 'turn',
      turns: [{ thought: 'Mend it.', tool: 'bash', args: { command: 'sed -i "s/a - b/a + b/" src/calc.py' } }],
      end: 'submit',
    },
    slow: {
      position: 'turn',
      latencyMs: 1_500,
      turns: [{ thought: 'Look.', tool: 'bash', args: { command: 'cat README.md' } }],
      end: 'submit',
    },
  },
};

let world: World;
let runs: Runs;
let server: TrainerServer;
let problem: Problem;
/** What a trainer's gateway saw. */
const seen: { path: string; headers: IncomingHttpHeaders }[] = [];
let gateway: Server;
let gatewayUrl: string;
/** Whether the sessions `cut` are away. */
let away = false;

beforeAll(async () => {
  gateway = createServer(async (request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (away && request.url?.startsWith('/session/cut/')) return response.writeHead(503).end();
    const path = (request.url ?? '').replace(/^\/session\/[^/]+/, '');
    const answer = await fetch(`${world.rehearsal.url}${path}`, { method: 'POST', body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { 'Content-Type': 'application/json' });
    response.end(await answer.text());
  });
  gateway.listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  world = await World.start({
    script,
    profiles: {
      student: { concurrency: 8, apiKeyEnv: 'OWN_KEY' },
      slow: { concurrency: 8 },
      gone: { baseUrl: 'http://127.0.0.1:9/v1', model: 'student' },
    },
    endpoints: [{ baseUrl: `${gatewayUrl}/session`, keys: ['GATEWAY_KEY'] }],
    env: { OWN_KEY: 'own-secret', GATEWAY_KEY: 'gateway-secret' },
  });
  problem = {
    ...(await tinyProblem()),
    tests: TINY_TESTS,
  };
  runs = runsOf({});
  await runs.resume();
  server = await serve(runs);
});
afterAll(async () => {
  runs?.close();
  await server?.close();
  await world?.close();
  gateway?.close();
});

function settings() {
  process.env.POINTSMAN_HOME = world.home;
  return loadSettings(world.env);
}

function runsOf(more: { most?: number; outageMs?: number }): Runs {
  const { client, queue } = world;
  const place = settings();
  return new Runs({
    ...{ client, queue, config: place.config, stores: openStores(place), most: 100, outageMs: 60_000, ...more },
    standstill: (described) => standstill(client, described),
  });
}

const serve = (some: Runs) =>
  serveTrainers(some, { port: 0, host: '127.0.0.1', token: TOKEN, version: '0', stores: openStores(settings()) });

const rollout = (id: string, more: Record<string, unknown> = {}) => ({
  rollout_id: id,
  problem,
  student: 'student',
  handOver: { never: true },
  ...more,
});

async function call(method: string, path: string, body?: unknown, at = server.url, token = TOKEN) {
  const answer = await fetch(`${at}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

async function done(id: string): Promise<TrainerAnswer> {
  return (await call('GET', `/rollouts/${id}?wait=300`)).body as TrainerAnswer;
}

const keysKept = () => {
  const folder = join(world.home, 'session-keys');
  return existsSync(folder) ? readdirSync(folder) : [];
};

test('nobody is answered without the token, and the document says what there is', async () => {
  expect((await call('POST', '/rollouts', rollout('x'), server.url, 'another')).status).toBe(401);
  expect((await fetch(`${server.url}/openapi.json`)).status).toBe(401);
  const { body } = await call('GET', '/openapi.json');
  expect(Object.keys(body.paths)).toEqual(['/rollouts', '/rollouts/{id}', '/rollouts/{id}/steps', '/run']);
  const refs = JSON.stringify(body).match(/"\$ref":"[^"]+"/g) ?? [];
  for (const ref of refs) expect(body.components.schemas).toHaveProperty(ref.replace(/.*\/([A-Za-z]+)"$/, '$1'));
});

test('a rollout by name: started once, attached to, refused with another body, streamed', async () => {
  const first = await call('POST', '/rollouts', rollout('named'));
  expect(first).toMatchObject({ status: 201, body: { id: 'named~0', state: 'running', valid: false, reward: null } });
  expect((await call('POST', '/rollouts', rollout('named'))).status).toBe(200);
  expect(await call('POST', '/rollouts', rollout('named', { seed: 9 }))).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('another body') } },
  });
  const answer = await done('named');
  expect(answer).toMatchObject({
    state: 'completed',
    valid: true,
    reason: '',
    reward: 1,
    rewards: { graded: 1 },
    steps: 2,
  });
  // Also once it has ended.
  expect(await call('POST', '/rollouts', rollout('named'))).toMatchObject({ status: 200, body: { reward: 1 } });
  expect((await call('POST', '/rollouts', rollout('named', { seed: 9 }))).status).toBe(409);
  const events = await steps('named', '?after=1');
  expect(events.map(({ event }) => event)).toEqual(['step', 'end']);
  expect(events[0]!.data as TrainerStep).toMatchObject({ turn: 2, author: 'student', tool: 'submit' });
  const whole = await steps('named');
  expect(whole[0]!.data).toMatchObject({ turn: 1, tool: 'bash', exit_code: 0, thought: 'Mend it.' });
  expect((await call('GET', '/rollouts/nobody')).status).toBe(404);
}, 200_000);

async function steps(id: string, query = ''): Promise<{ event: string; data: object }[]> {
  const answer = await fetch(`${server.url}/rollouts/${id}/steps${query}`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  const text = await answer.text();
  return text
    .trim()
    .split('\n\n')
    .map((block) => ({
      event: /^event: (.*)$/m.exec(block)![1]!,
      data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as object,
    }));
}

test('a gateway sees every call by path, header and key, and no key is in a payload or left behind', async () => {
  const body = rollout('through', {
    endpoints: {
      student: { baseUrl: `${gatewayUrl}/session/s-7`, apiKey: 'of-this-rollout', headers: { 'X-Session': 'seven' } },
    },
  });
  await call('POST', '/rollouts', body);
  const [kept] = keysKept();
  expect(statSync(join(world.home, 'session-keys', kept!)).mode & 0o777).toBe(0o600);
  expect(await done('through')).toMatchObject({ reward: 1, steps: 2 });
  const mine = seen.filter(({ path }) => path.startsWith('/session/s-7/'));
  expect(mine).toHaveLength(2);
  for (const { headers } of mine)
    expect(headers).toMatchObject({ authorization: 'Bearer of-this-rollout', 'x-session': 'seven' });
  for (let waited = 0; keysKept().length > 0 && waited < 50; waited++) await sleep(100);
  expect(keysKept()).toEqual([]);
  const history = await world.client.workflow.getHandle('trainer/through/0').fetchHistory();
  expect(Buffer.from(JSON.stringify(history)).includes('of-this-rollout')).toBe(false);
  const text = (history.events ?? [])
    .flatMap(({ workflowExecutionStartedEventAttributes: begun }) => begun?.input?.payloads ?? [])
    .map(({ data }) => Buffer.from(data ?? []).toString('utf8'))
    .join('');
  expect(text).toContain('s-7');
  expect(text).not.toContain('of-this-rollout');

  const byVariable = { baseUrl: `${gatewayUrl}/session/s-8`, apiKeyEnv: 'GATEWAY_KEY' };
  await call('POST', '/rollouts', rollout('by-variable', { endpoints: { student: byVariable } }));
  expect(await done('by-variable')).toMatchObject({ reward: 1 });
  expect(seen.at(-1)!.headers.authorization).toBe('Bearer gateway-secret');
  // Without a key of its own, the profile's stays where it is.
  const bare = { baseUrl: `${gatewayUrl}/session/s-9` };
  await call('POST', '/rollouts', rollout('bare', { endpoints: { student: bare } }));
  expect(await done('bare')).toMatchObject({ reward: 1 });
  expect(JSON.stringify(seen)).not.toContain('own-secret');
}, 200_000);

test.each([
  ['another host', { baseUrl: 'http://127.0.0.1:1/session' }, 'no address that rollouts may name'],
  ['a path that is not below', { baseUrl: 'GATEWAY/sessions/x' }, 'no address that rollouts may name'],
  ['a path that leads out', { baseUrl: 'GATEWAY/session/%2e%2e/x' }, 'no address that rollouts may name'],
  ['an encoded slash', { baseUrl: 'GATEWAY/session/..%2fx' }, 'no address that rollouts may name'],
  ['a user in the address', { baseUrl: 'http://a:b@127.0.0.1/session' }, 'without user'],
  ["a profile's key", { baseUrl: 'GATEWAY/session/x', apiKeyEnv: 'OWN_KEY' }, 'OWN_KEY is not to be sent'],
  ['headers for the profile alone', { headers: { 'X-A': 'b' } }, 'no address that rollouts may name'],
  ['a key as a header', { baseUrl: 'GATEWAY/session/x', headers: { Authorization: 'b' } }, 'apiKeyEnv'],
] as const)('an endpoint is refused: %s, by the server and by workers', async (_, endpoint, why) => {
  const given = JSON.parse(JSON.stringify(endpoint).replaceAll('GATEWAY', gatewayUrl)) as object;
  const answer = await call('POST', '/rollouts', rollout('refused', { endpoints: { student: given } }));
  expect(answer).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining(why) } } });
  const input = { problem, student: 'student', handOver: { never: true }, endpoints: { student: given } };
  const handle = await world.begin('rollout', input, `refused-${Math.random()}`);
  const failed = await handle.result().catch((error: unknown) => error);
  expect(innermost(failed)).toContain(why);
});

function innermost(error: unknown): string {
  let each = error as Error;
  while (each.cause instanceof Error) each = each.cause;
  return each.message;
}

test('an outage has no reward, says why, and the run goes on when it is over', async () => {
  const hasty = runsOf({ outageMs: 1_000 });
  await hasty.resume();
  const at = await serve(hasty);
  away = true;
  const endpoints = { student: { baseUrl: `${gatewayUrl}/session/cut` } };
  await call('POST', '/rollouts', rollout('cut', { endpoints }), at.url);
  const answer = (await call('GET', '/rollouts/cut?wait=300', undefined, at.url)).body as TrainerAnswer;
  expect(answer).toMatchObject({ state: 'running', valid: false, reason: 'outage', reward: null, rewards: null });
  expect(answer.detail).toContain('503');
  const row = { responses_create_params: { input: [] }, problem, student: 'gone', _ng_rollout_id: 'cut-too' };
  const nemo = (await call('POST', '/run', row, at.url)).body as NemoAnswer;
  hasty.close();
  await at.close();
  expect(nemo).toMatchObject({
    reward: null,
    mask_sample: true,
    failure_kind: 'provider_unavailable',
    valid: false,
    reason: 'outage',
  });
  expect((await call('DELETE', '/rollouts/cut-too')).status).toBe(200);
  expect(await done('cut-too')).toMatchObject({ state: 'cancelled', reason: 'cancelled', reward: null, valid: false });
  away = false;
  expect(await done('cut')).toMatchObject({ state: 'completed', valid: true, reward: 1, detail: null });
});

test('a row of NeMo Gym is answered with its conversation and reward', async () => {
  const row = {
    responses_create_params: { input: [{ role: 'user', content: 'x' }], temperature: 1 },
    ...{ problem, student: 'student', _ng_rollout_id: 'nemo-1', own: 7 },
    ...{ policy_base_url: `${gatewayUrl}/session/n`, policy_api_key: 'of-the-row' },
  };
  const { status, body } = await call('POST', '/run', row);
  expect(status).toBe(200);
  expect(body).toMatchObject({ reward: 1, mask_sample: false, valid: true, own: 7, failure_kind: null, graded: 1 });
  expect(JSON.stringify(body)).not.toContain('of-the-row');
  expect(body.response.output.map(({ type }: { type: string }) => type)).toEqual([
    ...['message', 'function_call', 'function_call_output'],
    ...(body.response.output.length > 5 ? ['message'] : []),
    ...['function_call', 'function_call_output'],
  ]);
  expect((await call('POST', '/run', row)).body.rollout.result.head).toBe(body.rollout.result.head);
});

test('more unfinished runs than there may be are sent away, but not who asks for one of them', async () => {
  const small = runsOf({ most: 1 });
  const at = await serve(small);
  try {
    await call('POST', '/rollouts', rollout('full-1', { student: 'slow' }), at.url);
    const refused = await call('POST', '/rollouts', rollout('full-2', { student: 'slow' }), at.url);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await call('POST', '/rollouts', rollout('full-1', { student: 'slow' }), at.url)).status).toBe(200);
    await call('GET', '/rollouts/full-1?wait=100', undefined, at.url);
    expect((await call('POST', '/rollouts', rollout('full-2', { student: 'slow' }), at.url)).status).toBe(201);
    await call('GET', '/rollouts/full-2?wait=100', undefined, at.url);
  } finally {
    small.close();
    await at.close();
  }
}, 200_000);

test(`${WAITING} clients wait for one run, by one wait of ours`, async () => {
  await call('POST', '/rollouts', rollout('waited', { student: 'slow' }));
  const waits = world.client.workflowService.getWorkflowExecutionHistory;
  let polls = 0;
  const service = world.client.workflowService as unknown as Record<string, unknown>;
  service.getWorkflowExecutionHistory = (...args: Parameters<typeof waits>) => {
    polls++;
    return waits.apply(world.client.workflowService, args);
  };
  try {
    const answers = await Promise.all(Array.from({ length: WAITING }, () => done('waited')));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ state: 'completed', valid: true });
    expect(polls).toBeLessThan(20);
  } finally {
    service.getWorkflowExecutionHistory = waits;
  }
});

test(`a trainer that is killed in ${RUNS} waits finds ${RUNS} results, and nothing ran twice`, async () => {
  const before = seen.length;
  const bodies = Array.from({ length: RUNS }, (_, at) => ({
    responses_create_params: { input: [] },
    ...{ problem, student: 'student', _ng_rollout_id: `many-${at}`, policy_base_url: `${gatewayUrl}/session/m-${at}` },
  }));
  const client = trainer(bodies);
  while (seen.length < before + 10) await sleep(50);
  client.kill('SIGKILL');
  await once(client, 'exit');
  const again = await Promise.all(bodies.map((body) => call('POST', '/run', body)));
  expect(again.map(({ status, body }) => [status, body.reason, body.reward])).toEqual(bodies.map(() => [200, '', 1]));
  for (let at = 0; at < RUNS; at++)
    expect(seen.filter(({ path }) => path.startsWith(`/session/m-${at}/`))).toHaveLength(2);
}, 380_000);

/** A trainer as a process of its own. */
function trainer(bodies: readonly object[]): ChildProcess {
  const code = `
    const [url, token, bodies] = JSON.parse(process.argv[1]);
    const headers = { Authorization: 'Bearer ' + token };
    Promise.all(bodies.map((body) => fetch(url + '/run', { method: 'POST', headers, body: JSON.stringify(body) })));
  `;
  const args = JSON.stringify([server.url, TOKEN, bodies]);
  return spawn(process.execPath, ['-e', code, args], { stdio: 'ignore' });
}

test('the command serves this home: a token for this account alone, and runs of an earlier process are found', async () => {
  const child = spawn(process.execPath, [join(REPOSITORY, 'dist/main.js'), 'serve', '--port', '0', '--json'], {
    env: world.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data) => (said += data));
  const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [said])])) as [Buffer];
  const { url } = JSON.parse(String(line)) as { url: string };
  const file = join(world.home, 'run', 'serve-token');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(said).not.toContain(readFileSync(file, 'utf8'));
  const found = await call('GET', '/rollouts/named', undefined, url, readFileSync(file, 'utf8'));
  expect(found).toMatchObject({ status: 200, body: { reward: 1 } });
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(0);
});
