import { existsSync, readFileSync } from 'node:fs';
import { COUNTS, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { ESCAPES } from './probes';
import { Room } from './room';

let room: Room;
let probed = 0;
beforeAll(async () => {
  room = await Room.open({ memoryMiB: 256, pids: 100 });
});
afterAll(async () => {
  figures('11 the sandbox holds', { probes: probed });
  await room?.close();
});

test.each(ESCAPES.map((probe) => [probe.name, probe] as const))('%s', async (_, { command, denied, output }) => {
  const { exitCode, output: bytes } = await room.run(command);
  if (denied) expect(exitCode).not.toBe(0);
  if (output) expect(bytes.toString()).toMatch(output);
  probed++;
});

test('a fork bomb is contained and the sandbox is usable afterwards', async () => {
  const bomb = await room.run('bomb() { bomb | bomb & }; bomb; sleep 60', 3);
  expect(bomb.reason).toBe('timeout');
  expect([137, 143]).toContain(bomb.exitCode);
  const after = await room.run('echo alive; ls -d /proc/[0-9]* | wc -l');
  expect(after.output.toString()).toMatch(/^alive\n\d{1,2}\n$/);
  probed++;
});

test('a command that takes every process there is keeps its deadline, and the server that follows it lives', async () => {
  const server = () => room.sandboxes.at(room.container).journal(async (journal) => journal);
  const before = await server();
  const greedy = await room.run('for i in {1..200}; do sleep 60 & done; wait', 3);
  expect(greedy.reason).toBe('timeout');
  // Left alone it would take a minute.
  expect(greedy.durationMs).toBeLessThan(45_000);
  expect(await server()).toBe(before);
  expect((await room.run('ls -d /proc/[0-9]* | wc -l')).output.toString()).toMatch(/^\d{1,2}\n$/);
  probed++;
});

test('a memory bomb dies with 137 and nothing else does', async () => {
  const bomb = await room.run('python3 -c "x = bytearray(4 * 1024 ** 3)"');
  expect(bomb.exitCode).toBe(137);
  expect((await room.run('echo alive')).output.toString()).toBe('alive\n');
  probed++;
});

test(
  'endless output is bounded in the sandbox, on the way and in this process',
  async () => {
    const before = process.memoryUsage().rss;
    const { output, elidedBytes, exitCode } = await room.run(
      `head -c ${COUNTS.outputMb * 1e6} /dev/zero | tr '\\0' x`,
      900,
    );
    const grown = (process.memoryUsage().rss - before) / 1e6;
    const kept = Number((await room.run('du -sm /var/lib/pointsman | cut -f1')).output.toString());
    figures('11 endless output', {
      written: `${COUNTS.outputMb} MB`,
      answered: `${output.length / 1e6} MB`,
      keptInSandbox: `${kept} MB`,
      memoryGrown: `${Math.round(grown)} MB`,
    });
    expect(exitCode).toBe(0);
    expect(output.length).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(elidedBytes).toBeGreaterThan(0);
    expect(kept).toBeLessThan(64);
    expect(grown).toBeLessThan(200);
    probed++;
  },
  minutes(2, 15),
);

test('links out of the work directory lead to the container and not to the host', async () => {
  const name = `escape-${process.pid}-${Date.now()}`;
  const hostname = readFileSync('/etc/hostname', 'utf8');
  await room.run(`ln -s /tmp/${name} /testbed/link; ln -s /etc /testbed/etc; ln -s /proc/1/root/tmp /testbed/root`);
  for (const path of [
    '/testbed/link',
    `/testbed/../../../../tmp/${name}-dots`,
    `/testbed/root/${name}-root`,
    '/testbed/etc/hostname',
  ]) {
    expect((await room.write(path, 'was here')).exitCode).toBe(0);
  }
  for (const file of [name, `${name}-dots`, `${name}-root`]) {
    expect(existsSync(`/tmp/${file}`)).toBe(false);
    expect((await room.run(`cat /tmp/${file}`)).output.toString()).toBe('was here');
  }
  expect(readFileSync('/etc/hostname', 'utf8')).toBe(hostname);
  probed++;
});
