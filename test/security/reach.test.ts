import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { SandboxProfile, type ServiceSpec } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';
import { connect, EGRESS_NETWORK, removeContainer } from '../../src/sandbox/docker/container';
import { runOnce } from '../../src/sandbox/docker/once';
import type { Sandbox } from '../../src/sandbox/sandbox';

jest.setTimeout(180_000);

const docker = new Docker();
const name = `pointsman-reach-${randomUUID().slice(0, 8)}`;
const owner = { workflowId: `test/reach/${name}`, firstRunId: name };
const profile = SandboxProfile.parse({ network: 'bridge', hostCertificates: false, memoryMiB: 256, pids: 64 });
/** Stand-ins, each the only thing on a network that the test makes and where the host has no address: nothing real is asked. */
const STAND_INS = {
  metadata: { subnet: '169.254.169.0/24', address: '169.254.169.254' },
  colleague: { subnet: '10.213.77.0/24', address: '10.213.77.9' },
  cloud: { subnet: '100.100.100.0/24', address: '100.100.100.200' },
  // Where the engine gives version 6 its network has an address of the host as well.
  six: { subnet: 'fd00:213:77::/64', address: 'fd00:213:77::9', host: 'fd00:213:77::1' },
};
const made: string[] = [];
let gateway = '';
let port = 0;
const server = createServer((_, response) => response.end('the host answers'));

const sandboxes = openSandboxes('test');
const opening = (...reach: string[]) => openSandboxes('test', undefined, { reach });

beforeAll(async () => {
  for (const [role, { subnet, address }] of Object.entries(STAND_INS)) {
    const six = address.includes(':');
    await docker.createNetwork({
      Name: `${name}-${role}`,
      Internal: true,
      EnableIPv6: six,
      IPAM: { Config: [{ Subnet: subnet }] },
      Options: { 'com.docker.network.bridge.inhibit_ipv4': 'true' },
    });
    made.push(role);
    const standIn = await docker.createContainer({
      name: `${name}-${role}`,
      Image: BASE_IMAGE,
      Cmd: ['python3', '-m', 'http.server', '80', '-d', '/var/empty', '--bind', six ? '::' : '0.0.0.0'],
      HostConfig: { NetworkMode: `${name}-${role}`, Init: true },
      NetworkingConfig: {
        EndpointsConfig: { [`${name}-${role}`]: { IPAMConfig: { [six ? 'IPv6Address' : 'IPv4Address']: address } } },
      },
    });
    await standIn.start();
  }
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  port = (server.address() as AddressInfo).port;
  await claim('first');
  const { IPAM } = (await docker.getNetwork(EGRESS_NETWORK).inspect()) as Docker.NetworkInspectInfo;
  const { Gateway, Subnet } = IPAM!.Config![0]!;
  gateway = Gateway ?? Subnet!.replace(/\.\d+\/\d+$/, '.1');
});

afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  for (const role of made) {
    await removeContainer(docker, `${name}-${role}`);
    await docker.getNetwork(`${name}-${role}`).remove();
  }
  await new Promise((resolve) => server.close(resolve));
});

/** A sandbox that is on the stand-ins' networks too, so that a way leads to each. */
async function claim(role: string, from = sandboxes): Promise<Sandbox> {
  const sandbox = await from.claim({ owner, role, image: BASE_IMAGE, workdir: '/', profile });
  await joinStandIns(sandbox.name);
  return sandbox;
}

async function joinStandIns(container: string): Promise<void> {
  for (const role of made) await connect(docker, `${name}-${role}`, container);
}

/** Connects as any program may, also bound to each interface by itself: what passes routes by. */
const PROBE = `
import socket, sys
from concurrent.futures import ThreadPoolExecutor
def ask(bound):
    s = socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)
    s.settimeout(2)
    if bound: s.setsockopt(socket.SOL_SOCKET, 25, bound.encode() + b'\\0')
    try:
        s.connect((sys.argv[1], int(sys.argv[2])))
        return 'open'
    except OSError:
        return 'shut'
    finally:
        s.close()
names = [''] + [name for _, name in socket.if_nameindex() if name != 'lo']
print('open' if 'open' in ThreadPoolExecutor(8).map(ask, names) else 'shut')
`;

async function reaches(sandbox: Sandbox, address: string, at: number): Promise<string> {
  const command = `python3 -c "$1" ${address} ${at}`;
  const done = await sandbox.exec({ command, args: [PROBE], timeoutMs: 60_000 });
  return done.stdout.toString().trim() || done.stderr.toString();
}

const away = () => [
  ...Object.values(STAND_INS).map(({ address }) => [address, 80] as const),
  ...[gateway, STAND_INS.six.host].map((host) => [host, port] as const),
];
const shut = (count: number) => Array.from({ length: count }, () => 'shut');

async function allOf(sandbox: Sandbox): Promise<string[]> {
  return Promise.all(away().map(([address, at]) => reaches(sandbox, address, at)));
}

test('the stand-ins answer who is not kept from them', async () => {
  const bare = await docker.createContainer({
    Image: BASE_IMAGE,
    Cmd: ['sleep', 'infinity'],
    HostConfig: { NetworkMode: EGRESS_NETWORK, Init: true },
  });
  try {
    await bare.start();
    await joinStandIns(bare.id);
    expect(await allOf(sandboxes.at(bare.id))).toEqual(away().map(() => 'open'));
  } finally {
    await removeContainer(docker, bare.id);
  }
});

test('a sandbox reaches no service of the host, no metadata address, no private range, by whatever interface', async () => {
  expect(await allOf(await claim('first'))).toEqual(shut(6));
});

test('it still asks for names, and goes out', async () => {
  const sandbox = await claim('first');
  const nobody = await sandbox.exec({ command: 'getent ahosts no-such-name.invalid; echo $?', timeoutMs: 30_000 });
  expect(nobody.stdout.toString().trim()).toBe('2');
  const { stdout } = await sandbox.exec({ command: 'cat /etc/resolv.conf /proc/net/route', timeoutMs: 20_000 });
  expect(stdout.toString()).toMatch(/^nameserver 127\.0\.0\.11$/m);
  expect(stdout.toString()).toMatch(/^\S+\s+00000000\s/m);
});

test('what the operator opens by name is open, and nothing beside it', async () => {
  const opened = opening(`${gateway}:${port}`, STAND_INS.colleague.subnet, STAND_INS.six.subnet);
  const sandbox = await claim('opened', opened);
  expect(await allOf(sandbox)).toEqual(['shut', 'open', 'shut', 'open', 'open', 'shut']);
  expect(await reaches(sandbox, gateway, 22)).toBe('shut');
});

test('what the host lends stays reachable at the port that it names', async () => {
  const before = process.env.PIP_INDEX_URL;
  process.env.PIP_INDEX_URL = `http://${gateway}:${port}/simple`;
  try {
    expect(await allOf(await claim('lent', opening()))).toEqual([...shut(4), 'open', 'shut']);
  } finally {
    if (before === undefined) delete process.env.PIP_INDEX_URL;
    else process.env.PIP_INDEX_URL = before;
  }
});

test('the program that a sandbox begins with has no moment before', async () => {
  const eager = `${name}-eager:1`;
  // An agent can put anything in the place of what keeps a container up.
  const program = `#!/bin/bash
for i in $(seq 400); do (: < /dev/tcp/${gateway}/${port}) 2>/dev/null && echo open >> /seen; sleep.real 0.01; done
exec sleep.real infinity`;
  const command = 'mv /usr/bin/sleep /usr/bin/sleep.real && printf %s "$1" > /usr/bin/sleep && chmod +x /usr/bin/sleep';
  try {
    await sandboxes.workshop(
      { owner, role: 'eager', image: BASE_IMAGE, workdir: '/', network: 'none' },
      async (made) => {
        expect((await made.exec({ command, args: [program], timeoutMs: 20_000 })).exitCode).toBe(0);
        await made.commit(eager, { labels: { eager: true } });
      },
    );
    const sandbox = await sandboxes.claim({ owner, role: 'eager', image: eager, workdir: '/', profile });
    const seen = async () =>
      (await sandbox.exec({ command: 'sleep.real 1; cat /seen', timeoutMs: 20_000 })).stdout.toString();
    expect(await seen()).toBe('');
    // Nor when it is started again after it ended, whoever did that.
    await docker.getContainer(sandbox.name).kill();
    await sandboxes.claim({ owner, role: 'eager', image: eager, workdir: '/', profile });
    expect(await seen()).toBe('');
  } finally {
    await sandboxes.remove(owner, 'eager');
    await sandboxes.images.remove(eager);
  }
});

test('workshops and sandboxes that go back to a frame are limited as well', async () => {
  await sandboxes.workshop(
    { owner, role: 'shop', image: BASE_IMAGE, workdir: '/', network: 'bridge' },
    async (shop) => {
      await joinStandIns(shop.name);
      expect(await allOf(shop)).toEqual(shut(6));
    },
  );
  const first = await claim('framed');
  const frame = await first.snapshot({ owner, index: 0, label: 'start' });
  const { sandbox, removed } = await sandboxes.restore({ owner, role: 'framed', workdir: '/', profile }, frame);
  await removed;
  await joinStandIns(sandbox.name);
  expect(await allOf(sandbox)).toEqual(shut(6));
});

test('so are the steps of a build', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-reach-'));
  const image = `${name}-built:1`;
  const ask = `if (: < /dev/tcp/${gateway}/${port}) 2>/dev/null; then echo open; else echo shut; fi`;
  const names = 'getent ahosts no-such-name.invalid; echo $?';
  writeFileSync(
    join(folder, 'Dockerfile'),
    `FROM ${BASE_IMAGE}\nRUN ["bash", "-c", "(${ask}) > /seen; (${names}) >> /seen; cat /proc/net/route >> /seen"]\n`,
  );
  try {
    await sandboxes.images.build(folder, image, () => {});
    const host = { NetworkMode: 'none' };
    const output = await runOnce(docker, { image, command: ['cat', '/seen'], labels: {}, host });
    expect(output).toMatch(/^shut\n2\n/);
    expect(output).toMatch(/^\S+\s+00000000\s/m);
  } finally {
    await sandboxes.images.remove(image);
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a service beside a sandbox does not reach the host, and is reached from it', async () => {
  const sandbox = await claim('main');
  const spec: ServiceSpec = {
    ...{ name: 'web', kind: 'container', packages: [], env: {}, port: 8080 },
    start: `ip=$(hostname -i); (for i in $(seq 250); do (: < /dev/tcp/\${ip%.*}.1/${port}) 2>/dev/null && echo open >> /seen; sleep 0.02; done) & exec python3 -m http.server 8080`,
  };
  const request = { owner, services: [spec], base: BASE_IMAGE, install: () => undefined };
  expect(await sandboxes.services.startSiblings(request, new AbortController().signal)).toMatchObject({ failed: null });
  await sandboxes.services.connect(owner, sandbox.name);
  expect(await reaches(sandbox, 'web', 8080)).toBe('open');
  expect(await allOf(sandbox)).toEqual(shut(6));
  const web = docker.getContainer(sandbox.name.replace(/main$/, 'service-web'));
  const { Networks } = (await web.inspect()).NetworkSettings;
  const ip = Object.values(Networks)[0]!.IPAddress;
  for (const each of [sandbox, sandboxes.at(web.id)]) {
    expect(await reaches(each, ip.replace(/\.\d+$/, '.1'), port)).toBe('shut');
  }
  const seen = await sandboxes.at(web.id).exec({ command: 'cat /seen', timeoutMs: 20_000 });
  expect(seen.stdout.toString()).toBe('');
});

test('nothing in a sandbox can change the rules', async () => {
  const sandbox = await claim('first');
  const { stdout } = await sandbox.exec({
    command: 'iptables-nft -F; iptables-legacy -F; ip6tables-nft -F; echo $?; grep CapBnd /proc/self/status',
    timeoutMs: 20_000,
  });
  const [, bounding] = /CapBnd:\s*([0-9a-f]+)/.exec(stdout.toString())!;
  expect(BigInt(`0x${bounding}`) & (1n << 12n)).toBe(0n);
  expect(await allOf(sandbox)).toEqual(shut(6));
});
