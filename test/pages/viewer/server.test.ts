import { request } from 'node:http';
import { isOwnHost } from '../../../src/own-host';
import type { RunList, RunPage } from '../../../src/pages/viewer/payload';
import { type Serving, serveViewer } from '../../../src/pages/viewer/server/server';
import { sampleSource } from './home-source';

let at: Awaited<ReturnType<typeof sampleSource>>;
let serving: Serving;

beforeAll(async () => {
  at = await sampleSource({ rollouts: 18 });
  serving = await serveViewer(at.source, { port: 0, host: '127.0.0.1', title: '<b>campaign</b>' });
});
afterAll(async () => {
  await serving.close();
  at.remove();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const token = () => new URL(serving.url).searchParams.get('token')!;
const cookie = () => `pointsman-${new URL(serving.url).port}=${token()}`;

/** Not `fetch`, which does not let one lie about the host or leave a path as it is. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', sent = ''): Promise<Answer> {
  const { hostname, port } = new URL(serving.url);
  return new Promise((done, failed) => {
    request({ hostname, port, path, method, headers: { cookie: cookie(), ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, body }));
    })
      .on('error', failed)
      .end(sent);
  });
}

it('lists runs, and gives each with its turns', async () => {
  const { runs } = JSON.parse((await ask('/api/runs')).body) as RunList;
  expect(runs).toHaveLength(18);
  for (const { id } of runs) {
    const page = JSON.parse((await ask(`/api/run?id=${encodeURIComponent(id)}`)).body) as RunPage;
    const row = at.sample.rows.find((each) => each.id === id)!;
    expect(page.turns).toHaveLength(row.result?.turns.total ?? 0);
    expect(page.turns.filter(({ who }) => who === 'expert')).toHaveLength(row.result?.turns.expert ?? 0);
    expect(page.turns.every(({ trained, who }) => trained === (who === 'expert'))).toBe(true);
  }
});

it('answers to its own address only: a name that somebody points here is refused', async () => {
  const { port } = new URL(serving.url);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1',
  ])
    expect((await ask('/api/runs', { host })).status).toBe(421);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
    expect((await ask('/api/runs', { host })).status).toBe(200);
});

it('answers only who was given its link', async () => {
  for (const path of ['/', '/api/runs', `/blob/${'0'.repeat(64)}`, '/?token=', '/?token=wrong', '/api/runs?token=']) {
    for (const shown of ['', 'pointsman-1=x', `${cookie()}x`, cookie().replace('=', '=x'), `x${cookie()}`]) {
      const { status, body } = await ask(path, { cookie: shown });
      expect([path, shown, status]).toEqual([path, shown, 403]);
      expect(body).not.toContain(token());
    }
  }
  const first = await ask(`/?token=${token()}`, { cookie: '' });
  expect(first).toMatchObject({ status: 303, headers: { location: '/', 'referrer-policy': 'no-referrer' } });
  expect(first.headers['set-cookie']).toEqual([`${cookie()}; HttpOnly; SameSite=Lax; Path=/`]);
  expect((await ask('/api/runs', { cookie: `other=1; ${cookie()}` })).status).toBe(200);
});

it('knows its own addresses', () => {
  expect(isOwnHost('192.168.1.5:80', '127.0.0.1')).toBe(false);
  expect(isOwnHost('192.168.1.5:80', '0.0.0.0')).toBe(true);
  expect(isOwnHost('somewhere:80', '0.0.0.0')).toBe(false);
  expect(isOwnHost('somewhere:80', 'somewhere')).toBe(true);
  expect(isOwnHost(undefined, '127.0.0.1')).toBe(false);
});

it('takes a turn of a person from its own page alone', async () => {
  const { host } = new URL(serving.url);
  const own = { host, origin: `http://${host}`, 'content-type': 'application/json' };
  const turn = JSON.stringify({ turn: 1, by: 'Ann', tool: 'bash', args: { command: 'ls' } });
  const post = async (headers: Record<string, string>, sent = turn, path = '/api/act?id=some') => {
    const { status, body } = await ask(path, headers, 'POST', sent);
    return [status, body] as const;
  };
  const { origin, ...without } = own;
  expect(await post({ ...own, cookie: '' })).toEqual([403, expect.stringContaining('who started it')]);
  expect(await post(without)).toEqual([403, expect.stringContaining('Only the page of this server')]);
  for (const foreign of [
    'null',
    'http://evil.example',
    `https://${host}`,
    'http://127.0.0.1:1',
    `${origin}.evil.example`,
  ])
    expect(await post({ ...own, origin: foreign })).toEqual([403, expect.stringContaining('Only the page')]);
  expect((await post({ ...own, host: 'evil.example', origin: 'http://evil.example' }))[0]).toBe(421);
  expect((await post({ ...own, 'content-type': 'text/plain' }))[0]).toBe(415);
  expect((await post(own, JSON.stringify({ by: 'x'.repeat(1_100_000) })))[0]).toBe(413);
  expect(await post(own, '{')).toEqual([400, expect.stringContaining('act')]);
  expect(await post(own, '{"turn": 0}')).toEqual([400, expect.stringContaining('act: turn')]);
  expect((await post(own, turn, '/api/run?id=some'))[0]).toBe(405);
  // It was let in: no Temporal server answers here.
  expect(await post(own)).toEqual([503, expect.stringContaining('no Temporal server')]);
});

it('is only read but for that', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    expect((await ask('/api/runs', {}, method)).status).toBe(405);
  const head = await ask('/', {}, 'HEAD');
  expect(head).toMatchObject({ status: 200, body: '' });
});

it.each([
  '/blob/../../etc/passwd',
  '/blob/..%2f..%2fetc%2fpasswd',
  '/blob/ABCDEF',
  `/blob/${'0'.repeat(63)}`,
  `/blob/${'0'.repeat(64)}/..`,
  '/../package.json',
  '/api/',
  '//evil.example/',
])('has no path %s', async (path) => {
  const { status, body } = await ask(path);
  expect(status).toBe(404);
  expect(body).not.toContain('root:');
});

it('gives blobs as inert text that never changes, and names what is missing', async () => {
  const page = await at.source.run(at.sample.rows.find(({ result }) => result)!.id);
  const { hash } = page.turns[0]!;
  const blob = await ask(`/blob/${hash}`);
  expect(JSON.parse(blob.body)).toMatchObject({ kind: 'step' });
  expect(blob.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  });
  const missing = await ask(`/blob/${'0'.repeat(64)}`);
  expect(missing.status).toBe(404);
  expect(JSON.parse(missing.body)).toMatchObject({ error: { code: 'NotFound' } });
  expect((await ask('/api/run?id=nobody')).status).toBe(404);
});

it('does not send again what has not changed', async () => {
  const first = await ask('/api/runs');
  const again = await ask('/api/runs', { 'if-none-match': String(first.headers.etag) });
  expect(again).toMatchObject({ status: 304, body: '' });
});

it('searches the whole of every text, not only what the page was given', async () => {
  const { rows } = at.sample;
  const row = rows.find(({ result }) => result)!;
  const page = await at.source.run(row.id);
  const looked = page.turns.find(({ thought }) => thought.head.includes('look around'))!;
  expect(await at.source.search(row.id, 'LOOK AROUND')).toContain(looked.turn);
  expect(await at.source.search(row.id, 'nothing says this')).toEqual([]);
});

it('says when a port is taken', async () => {
  const { port } = new URL(serving.url);
  const again = serveViewer(at.source, { port: Number(port), host: '127.0.0.1', title: 'x' });
  await expect(again).rejects.toMatchObject({ code: 'InvalidInput', message: expect.stringContaining('is taken') });
});
