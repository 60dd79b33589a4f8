import { spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { ServiceSpec } from '../../../src/contract';
import { prosecutor } from '../../../src/setup/roles/prosecutor';
import { probeOf } from '../../../src/setup/roles/rules/probes';
import { sampleCase, seen } from './sample';

const spec = (more: object) => ServiceSpec.parse(more);
const ends = (command: string) => spawnSync('bash', ['-c', command], { encoding: 'utf8' }).status;
const accused = (wanted: readonly ServiceSpec[], services: readonly ServiceSpec[] = []) => ({
  ...{ ...sampleCase(), wanted, services, verifier: null, verifierMoves: [] },
});

test.each([
  ['rabbitmq', '127.0.0.1/5672'],
  ['postgresql', '127.0.0.1/5432'],
  ['mariadb', '127.0.0.1/3306'],
  ['redis-server', '127.0.0.1/6379'],
])('%s that was asked for by its name alone, and never started, is charged', (name, address) => {
  const dossier = accused([spec({ name })]);
  const look = prosecutor(dossier, []);
  expect(look).toMatchObject({ move: 'examine', command: expect.stringContaining(address) });
  expect(prosecutor(dossier, [seen(look, 'no answer', 1)])).toMatchObject({ move: 'charge', kind: 'service' });
});

test('one that was started is asked as it was started, whatever it was asked for as', () => {
  const started = spec({ name: 'rabbitmq', port: 7777 });
  const look = prosecutor(accused([spec({ name: 'rabbitmq' })], [started]), []);
  expect(look).toMatchObject({ command: expect.stringContaining('127.0.0.1/7777') });
  expect(prosecutor(accused([spec({ name: 'rabbitmq' })], [started]), [seen(look)])).not.toMatchObject({
    command: expect.stringContaining('5672'),
  });
});

describe('a service by another of its names', () => {
  let server: Server;
  let port: number;
  const open = new Set<Socket>();
  beforeAll(async () => {
    // Takes connections, and says nothing that a database would.
    server = createServer((socket) => open.add(socket.on('error', () => {}).end('hello\n')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    // A probe that was never read to its end would keep the server from closing.
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test.each(['postgres', 'postgresql', 'redis', 'redis-server', 'mysql', 'mariadb'])(
    '%s is asked in its own protocol',
    async (name) => {
      const code = await new Promise((resolve) =>
        spawn('bash', ['-c', probeOf(spec({ name, port }))], { stdio: 'ignore' }).on('close', resolve),
      );
      expect(code).toBe(1);
    },
  );
});

test('a sibling that tells by its own health alone when it is ready is asked for by its name', () => {
  const sibling = (name: string) => spec({ name, kind: 'container', image: 'x', health: 'true' });
  expect(ends(probeOf(sibling('localhost')))).toBe(0);
  expect(ends(probeOf(sibling('nowhere-to-be-found')))).not.toBe(0);
});
