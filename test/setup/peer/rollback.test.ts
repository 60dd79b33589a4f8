import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { RepoSetupResult } from '../../../src/contract';
import { BASE_IMAGE } from '../../../src/machine/image';
import { EGRESS_NETWORK } from '../../../src/sandbox/docker/container';
import { NOTHING } from '../../support/chaos';
import { act, folderOf, giveUp, leftOf, reach, readChain, removeFolders, sandboxOf, shell } from '../../support/set-up';
import { World } from '../../support/world';

const PORT = 8123;
const ask = `python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${PORT}/mark', timeout=20).read().decode())"`;
const seenBy = (mark: string) => `pwd; echo "$WHO"; cat mark; echo ${mark} asks; ${ask}`;

/** The same walk for two runs at once, each with a mark of its own. The service is on the same port in both. */
const walk = (mark: string) => [
  shell(`mkdir -p /opt/site && cd /opt/site && echo ${mark} > mark && export WHO=${mark}`),
  act('start_service', {
    service: { name: 'web', start: `cd /opt/site && exec python3 -m http.server ${PORT}`, port: PORT },
  }),
  shell('setsid sleep 4321 > /dev/null 2>&1 & rm -rf /opt/site; cd /; export WHO=nobody LOST=1'),
  act('rollback'),
  shell(seenBy(`${mark} first`)),
  shell('rm -rf /opt/site; export WHO=nobody'),
  act('rollback', { frames: 2 }),
  shell(seenBy(`${mark} again`)),
  act('rollback', { frames: 9 }),
  shell(`pwd; echo "[$WHO]"; ls /opt; ${ask} 2>&1 | tail -1`),
  giveUp(),
];

/** A service that starts from its frame no more: what it made when it started is in there. */
const onlyOnce = [
  act('start_service', {
    service: { name: 'once', start: `mkdir /var/once && exec python3 -m http.server ${PORT}`, port: PORT },
  }),
  shell('rm -rf /opt/never; touch /opt/mistake'),
  act('rollback'),
  giveUp(),
];

let world: World;
let results: Record<string, RepoSetupResult>;
const inspected: Record<string, Docker.ContainerInspectInfo> = {};
beforeAll(async () => {
  const models = {
    ...{ north: { turns: walk('north') }, south: { turns: walk('south') } },
    once: { turns: onlyOnce },
  };
  world = await World.start({ script: { models }, profiles: { north: {}, south: {}, once: {} } });
  const run = async (agent: string) => {
    const source = `dir:${folderOf({ 'setup.py': `# ${agent}\n`, 'mark.py': `NAME = '${agent}'\n` })}`;
    const input = { source, roles: { agent }, experience: { mode: 'off' }, judge: false };
    const handle = await world.begin('repoSetup', input, agent);
    await reach(handle, 2);
    inspected[agent] = await (await sandboxOf(world, agent)).inspect();
    return [agent, (await handle.result()) as RepoSetupResult] as const;
  };
  results = Object.fromEntries(await Promise.all(['north', 'south', 'once'].map(run)));
}, 180_000);
afterAll(async () => {
  await world?.close();
  removeFolders();
});

const chainOf = (agent: string) => readChain(world, results[agent]!.head);

// There tags were global, and a second run deleted and restored the first one's.
test("B2: two set-ups at once never touch each other's frames", async () => {
  for (const agent of ['north', 'south']) {
    expect(results[agent]).toMatchObject({ status: 'gave_up', rollbacks: 3 });
    const { told } = await chainOf(agent);
    expect(told[4]).toBe(`/opt/site\n${agent}\n${agent}\n${agent} first asks\n${agent}\n\n`);
    expect(told[7]).toBe(`/opt/site\n${agent}\n${agent}\n${agent} again asks\n${agent}\n\n`);
  }
});

// There every container was on the host's network.
test('B4: the same port in two runs is no clash: neither is on the network of the host, nor bound to it', () => {
  for (const { HostConfig, NetworkSettings } of Object.values(inspected)) {
    expect(HostConfig.NetworkMode).toBe(EGRESS_NETWORK);
    expect(Object.keys(HostConfig.PortBindings ?? {})).toEqual([]);
    expect(NetworkSettings.Networks.host).toBeUndefined();
  }
  const addresses = Object.values(inspected).map((each) => each.NetworkSettings.Networks[EGRESS_NETWORK]!.IPAddress);
  expect(new Set(addresses).size).toBe(addresses.length);
});

// There a rollback restored files only, lost network and services, and said nothing of it.
test('B5: a rollback restores directory, variables and service, says what is gone, and can be made twice', async () => {
  const { steps, told } = await chainOf('north');
  expect(told[3]).toContain('Undone: turn 3.');
  expect(told[3]).toContain('ended with the rollback: sleep 4321');
  expect(steps[3]!.undoes).toEqual([3]);
  expect(steps[6]!.undoes).toEqual([5, 6]);
  expect(told[8]).toContain('the service web was started after that frame and is no longer declared');
  const [cwd, who, ...rest] = told[9]!.split('\n');
  expect([cwd, who]).toEqual(['/repo', '[]']);
  expect(rest).not.toContain('site');
  expect(rest.join('\n')).toContain('refused');
  expect(results.north).toMatchObject({ services: [] });
});

// There nobody looked after the services of a restored container.
test('B5: a service that does not come up again after a rollback is said', async () => {
  const { steps } = await chainOf('once');
  expect(steps[2]!.notes.join('\n')).toMatch(/the service once did not start again: .*File exists/s);
});

// There the container that was made by a rollback had lost its network, and waited ten seconds for a deaf PID 1.
test('B5: the restored container has its network, and a first process that ends when it is told to', async () => {
  const { HostConfig } = inspected.north!;
  expect(HostConfig).toMatchObject({ Init: true, NetworkMode: EGRESS_NETWORK });
  const docker = new Docker();
  const container = await docker.createContainer({
    Image: BASE_IMAGE,
    Cmd: ['sleep', 'infinity'],
    HostConfig: { Init: HostConfig.Init! },
  });
  await container.start();
  try {
    // Until it has started the second, the first process is deaf to everything but SIGKILL.
    while ((await container.top()).Processes.length < 2) await sleep(50);
    await container.stop({ t: 60 });
    // 137 would be the engine's SIGKILL after those sixty seconds.
    expect((await container.inspect()).State.ExitCode).toBe(143);
  } finally {
    await container.remove({ force: true });
  }
});

// There popped images stayed for ever.
test('B5: all frames are gone at the end, those that a rollback dropped too', async () => {
  for (const agent of ['north', 'south']) {
    expect(results[agent]!.frames.filter(({ droppedAt }) => droppedAt !== null).length).toBeGreaterThanOrEqual(2);
    expect(await leftOf(world, agent)).toEqual(NOTHING);
  }
});
