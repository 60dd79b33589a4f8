import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { startDevServer, stopDevServer } from '../../src/machine/dev-server';
import { freePort } from '../../src/machine/ports';
import { portLock } from '../../src/machine/server-process';
import { temporalBinary } from '../../src/machine/temporal';
import { portsOf } from '../support/listening';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-dev-server-'));
const environment = { ...process.env };
const started: number[] = [];
beforeAll(() => {
  process.env.POINTSMAN_HOME = scratch;
  process.env.TEMPORAL_BIN = temporalBinaryOfTheCheckout;
});
afterAll(async () => {
  for (const port of started) await stopDevServer(port);
  process.env = environment;
  rmSync(scratch, { recursive: true, force: true });
});
// Looked up before the home moves: set-up fetched it into the checkout's.
const temporalBinaryOfTheCheckout = temporalBinary();

async function anyPort(): Promise<number> {
  const found = await freePort();
  started.push(found);
  return found;
}

function statusUnder(host: string, port: number): Promise<number | undefined> {
  return new Promise((done, failed) => {
    request({ host: '127.0.0.1', port, path: '/api/v1/namespaces', headers: { host } }, ({ statusCode }) =>
      done(statusCode),
    )
      .on('error', failed)
      .end();
  });
}

/** Of all ports of the process on 127.0.0.1, none but the known answers an HTTP request about namespaces. */
async function expectNoDoors(pid: number, known: readonly number[]): Promise<void> {
  const ports = portsOf(pid);
  expect(ports).toContain(known[0]);
  const others = ports.filter((port) => !known.includes(port));
  expect(others.length).toBeGreaterThan(0);
  for (const port of others) {
    for (const host of ['evil.example', 'localhost', `127.0.0.1:${port}`]) {
      const status = await statusUnder(host, port).catch(() => 'no HTTP');
      expect([`${port}`, status]).not.toEqual([`${port}`, 200]);
    }
  }
}

test('starts once with the tuned settings, is taken again, keeps its database over a restart', async () => {
  const [port, uiPort] = [await anyPort(), await anyPort()];
  const server = await startDevServer({ port, uiPort, fastTimers: true });
  expect(server).toMatchObject({ started: true, address: `127.0.0.1:${port}` });
  expect(await startDevServer({ port, uiPort })).toEqual({ ...server, started: false });

  const flags = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
  for (const flag of [
    'journal_mode=WAL',
    'synchronous=1',
    'history.transferProcessorMaxPollRPS=1000',
    'matching.enableFairness=true',
  ]) {
    expect(flags).toContain(flag);
  }
  expect(existsSync(join(scratch, 'run', `temporal-${port}.db-wal`))).toBe(true);
  expect((await fetch(server.ui)).status).toBe(200);
  expect(await statusUnder('evil.example', uiPort)).toBe(421);
  expect(flags.indexOf('--ui-ip')).toBeGreaterThan(0);
  expect(flags[flags.indexOf('--ui-ip') + 1]).not.toBe('127.0.0.1');
  await expectNoDoors(server.pid!, [port, uiPort]);

  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
  await client.workflow.start('nobody', { taskQueue: 'nobody', workflowId: 'kept' });
  await connection.close();

  expect(await stopDevServer(port)).toBe(true);
  expect(await stopDevServer(port)).toBe(false);
  const again = await startDevServer({ port, uiPort });
  expect(again.started).toBe(true);
  const list = execFileSync(
    temporalBinaryOfTheCheckout!,
    ['workflow', 'describe', '-w', 'kept', '--address', again.address],
    { encoding: 'utf8' },
  );
  expect(list).toContain('kept');
});

test('two that start at once end with one server', async () => {
  const [port, uiPort] = [await anyPort(), await anyPort()];
  const servers = await Promise.all([startDevServer({ port, uiPort }), startDevServer({ port, uiPort })]);
  expect(servers.map(({ address }) => address)).toEqual([`127.0.0.1:${port}`, `127.0.0.1:${port}`]);
  expect(await stopDevServer(port)).toBe(true);
});

test('a claim of a process that is gone is taken over', async () => {
  const [port, uiPort] = [await anyPort(), await anyPort()];
  const gone = spawnSync('true').pid;
  writeFileSync(portLock(port), `${gone}\n`);
  expect((await startDevServer({ port, uiPort })).started).toBe(true);
  expect(await stopDevServer(port)).toBe(true);
});

test('where the program is not installed, it is fetched, and that is said', async () => {
  const [port, uiPort] = [await anyPort(), await anyPort()];
  const said: string[] = [];
  const { TEMPORAL_BIN, PATH } = process.env;
  delete process.env.TEMPORAL_BIN;
  // A PATH of its own: this machine may have a Temporal CLI elsewhere.
  const bare = join(scratch, 'bin');
  mkdirSync(bare);
  symlinkSync(
    execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
    join(bare, 'python3'),
  );
  process.env.PATH = bare;
  try {
    expect((await startDevServer({ port, uiPort }, (line) => said.push(line))).started).toBe(true);
    expect(said).toEqual([expect.stringMatching(/^fetching temporal-bin==/)]);
    expect(temporalBinary()).toBe(join(scratch, 'tools', 'temporal', 'bin', 'temporal'));
    expect(await stopDevServer(port)).toBe(true);
  } finally {
    Object.assign(process.env, { TEMPORAL_BIN, PATH });
  }
});

test('a port that something else holds is told with the reason', async () => {
  const port = await anyPort();
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  try {
    await expect(startDevServer({ port })).rejects.toMatchObject({
      code: 'Unavailable',
      hint: expect.stringContaining(String(port)),
    });
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('a pid file of a process that is no server stops nothing', async () => {
  const port = await anyPort();
  for (const began of ['', ' 12345']) {
    writeFileSync(join(scratch, 'run', `temporal-${port}.pid`), `${process.pid}${began}\n`);
    expect(await stopDevServer(port)).toBe(false);
  }
});
