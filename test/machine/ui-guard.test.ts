import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardUi } from '../../src/machine/ui-guard';

const asked: string[] = [];
const behind = createServer((incoming, answer) => {
  asked.push(`${incoming.method} ${incoming.url}`);
  incoming.pipe(answer.writeHead(201, { 'x-own': 'yes' }));
});
let guard: Server;
let port: number;
beforeAll(async () => {
  await new Promise<void>((done) => behind.listen(0, '127.0.0.1', done));
  guard = await guardUi(0, { host: '127.0.0.1', port: (behind.address() as AddressInfo).port });
  port = (guard.address() as AddressInfo).port;
});
afterAll(() => {
  for (const each of [guard, behind]) each.close();
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

function ask(path: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((done, failed) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (given) => {
      let text = '';
      given.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      given.on('end', () => done({ status: given.statusCode, headers: given.headers, body: text }));
    });
    sent.on('error', failed).end(body);
  });
}

test('what is asked under an address of this machine is passed on, and no page frames it', async () => {
  const host = `localhost:${port}`;
  const given = await ask('/api/v1/x?y=1', { host, origin: `http://${host}` }, 'a body');
  expect(given).toMatchObject({ status: 201, body: 'a body', headers: { 'x-own': 'yes', 'x-frame-options': 'DENY' } });
  expect((await ask('/', { host: '127.0.0.1:9000' })).status).toBe(201);
  expect(asked).toEqual(['POST /api/v1/x?y=1', 'GET /']);
});

test.each<Record<string, string>>([
  { host: 'evil.example' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.evil.example:8233' },
  { host: 'localhost', origin: 'http://evil.example' },
  { host: 'localhost', origin: 'null' },
])('another name and another origin get nothing: %j', async (headers) => {
  const before = asked.length;
  expect((await ask('/api/v1/namespaces', headers)).status).toBe(421);
  expect((await ask('/api/v1/namespaces', headers, '{}')).status).toBe(421);
  expect(asked).toHaveLength(before);
});

test('in a container it listens everywhere, and knows the address that its port is published at', async () => {
  const ui = { host: '127.0.0.1', port: (behind.address() as AddressInfo).port };
  for (const [reached, welcome] of [
    ['127.0.0.1', ['localhost:8080', '127.0.0.1:8080']],
    ['0.0.0.0', ['localhost:8080', '10.1.2.3:8080']],
  ] as const) {
    const published = await guardUi(0, ui, { listen: '0.0.0.0', reached });
    port = (published.address() as AddressInfo).port;
    for (const host of welcome) expect((await ask('/', { host })).status).toBe(201);
    expect((await ask('/', { host: 'evil.example:8080' })).status).toBe(421);
    if (reached === '127.0.0.1') expect((await ask('/', { host: '10.1.2.3:8080' })).status).toBe(421);
    published.close();
  }
});

test('a UI that is away is said, and the guard stays', async () => {
  const nowhere = await guardUi(0, { host: '127.0.0.1', port: 1 });
  const status = await fetch(`http://127.0.0.1:${(nowhere.address() as AddressInfo).port}/`).then(
    (given) => given.status,
  );
  expect(status).toBe(502);
  nowhere.close();
});
