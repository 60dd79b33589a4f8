import Docker from 'dockerode';
import type { RepoSetupResult, SetupVerdictResult } from '../../src/contract';
import { labelled, NOTHING } from '../support/chaos';
import { inFull } from '../support/counts';
import {
  act,
  folderOf,
  giveUp,
  PromptKeeper,
  reach,
  readChain,
  removeFolders,
  removeImages,
  shell,
  TESTS,
} from '../support/set-up';
import { World } from '../support/world';

const verify = act('verify', { hint: TESTS });
const setupPy = (name: string) =>
  `from setuptools import setup\nsetup(name='${name}', version='1.0', py_modules=['${name}'])\n`;

/** Its test needs a memcached on this machine. */
const CACHED = {
  'setup.py': setupPy('cached'),
  'cached.py': `import socket\n\n\ndef version():\n    with socket.create_connection(('127.0.0.1', 11211), 10) as server:\n        server.sendall(b'version\\r\\n')\n        return server.recv(100).decode()\n`,
  'test_cached.py': `import unittest\n\nimport cached\n\n\nclass Cache(unittest.TestCase):\n    def test_version(self):\n        self.assertTrue(cached.version().startswith('VERSION'))\n`,
};

const asksSibling = `import urllib.request as u; print(u.urlopen('http://pages:8080/os-release', timeout=10).read().decode())`;
/** Its tests need a machine called \`pages\`, and hold only where there is no way to anywhere else. */
const BESIDE = {
  'setup.py': setupPy('beside'),
  'beside.py': 'NAME = 1\n',
  'test_beside.py': `import socket\nimport unittest\nimport urllib.request\n\n\nclass Sibling(unittest.TestCase):\n    def test_pages(self):\n        with urllib.request.urlopen('http://pages:8080/os-release', timeout=10) as answer:\n            self.assertIn(b'Debian', answer.read())\n\n    def test_no_way_out(self):\n        with self.assertRaises(OSError):\n            socket.create_connection(('1.1.1.1', 53), 3)\n`,
};

const FAMILY = {
  'setup.py': setupPy('shop'),
  'shop.py': 'import prices\n\n\ndef total(names):\n    return sum(prices.of(name) for name in names)\n',
  'test_shop.py': `import unittest\n\nimport shop\n\n\nclass Totals(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(shop.total(['tea', 'tea']), 6)\n`,
};
const COMPONENT = {
  'setup.py': setupPy('prices'),
  'prices.py': 'def of(name):\n    return {"tea": 3}[name]\n',
  'test_prices.py': `import unittest\n\nimport prices\n\n\nclass Prices(unittest.TestCase):\n    def test_tea(self):\n        self.assertEqual(prices.of('tea'), 3)\n`,
};

const family = [shell(TESTS), act('set_env', { key: 'PYTHONPATH', value: '/family/prices' }), shell(TESTS), verify];
const models = {
  cached: {
    turns: [
      shell(TESTS),
      act('start_service', { service: { name: 'memcached' } }),
      shell('rm -rf /opt/none; touch /opt/mistake'),
      act('rollback'),
      shell(TESTS),
      act('start_service', { service: { name: 'memcached' } }),
      shell('awk \'$4 == "0A" {print $2}\' /proc/net/tcp; ls -I pointsman /opt'),
      // What the script does again, and can only do where the service is up.
      shell(`python3 -c 'import cached; open("/opt/asked", "w").write(cached.version())'`),
      verify,
    ],
  },
  beside: {
    turns: [
      act('start_service', {
        service: { name: 'pages', kind: 'container', start: 'exec python3 -m http.server 8080 -d /etc', port: 8080 },
      }),
      shell(`python3 -c "${asksSibling}"`),
      shell('rm -rf /opt/none; touch /opt/mistake'),
      act('rollback'),
      shell(`python3 -c "${asksSibling}"`),
      verify,
    ],
  },
  family: { turns: family },
  forgetful: { turns: family },
  broken: {
    turns: [
      act('start_service', { service: { name: 'own', start: 'echo no configuration; exit 4', port: 8200 } }),
      act('start_service', { service: { name: 'unheard-of' } }),
      giveUp(),
    ],
  },
};

let world: World;
let keeper: PromptKeeper;
const results: Record<string, RepoSetupResult> = {};
let networks: Docker.NetworkInspectInfo[] = [];
beforeAll(async () => {
  const profiles = (url?: string) =>
    Object.fromEntries(Object.keys(models).map((name) => [name, url ? { baseUrl: url } : {}]));
  world = await World.start({ script: { models }, profiles: profiles(), workers: 0 });
  keeper = await PromptKeeper.start(() => world.rehearsal.url);
  world.writeConfig(profiles(keeper.url));
  world.startWorker();
  await world.workerReady();
  const dir = (files: Record<string, string>) => `dir:${folderOf(files)}`;
  const components = [{ name: 'prices', source: dir(COMPONENT) }];
  const run = async (agent: string, source: string, more: object = {}) => {
    const input = { source, roles: { agent }, experience: { mode: 'off' }, reproduce: false, ...more };
    const handle = await world.begin('repoSetup', input, agent);
    if (agent === 'beside') {
      await reach(handle, 2);
      const docker = new Docker();
      const found = await docker.listNetworks({ filters: { label: [`pointsman.scope=${await world.scope()}`] } });
      networks = await Promise.all(found.map(({ Id }) => docker.getNetwork(Id).inspect()));
    }
    results[agent] = (await handle.result()) as RepoSetupResult;
  };
  await Promise.all([
    run('cached', dir(CACHED), { reproduce: true }),
    run('beside', dir(BESIDE)),
    run('family', dir(FAMILY), { family: { components } }),
    run('forgetful', dir(FAMILY), { family: { components, services: [{ name: 'memcached' }] } }),
    run('broken', dir(COMPONENT)),
  ]);
}, 300_000);
afterAll(async () => {
  await world?.close();
  await keeper?.close();
  await removeImages(Object.values(results));
  removeFolders();
});

const chainOf = (agent: string) => readChain(world, results[agent]!.head);

// There a service that ran was lost with every rollback, and the judges had none at all.
test('B9: a service in the sandbox is up again after a rollback, for the verifier, for the judges and in the rebuilt image', async () => {
  const { told } = await chainOf('cached');
  expect(told[0]).toContain('ConnectionRefusedError');
  expect(told[1]).toBe('memcached is ready at 127.0.0.1:11211.');
  expect(told[4]).toContain('OK');
  expect(told[5]).toBe('memcached is ready at 127.0.0.1:11211.');
  expect(results.cached).toMatchObject({
    status: 'verified',
    services: [{ name: 'memcached', kind: 'process' }],
    tests: { passed: 1, failed: 0, errors: 0 },
    verdict: { verdict: 'not_guilty' },
    reproduced: true,
  });
});

test('B4: a known service of one run takes no calls from other runs', async () => {
  const { told } = await chainOf('cached');
  // 2BCB is 11211, 0100007F is 127.0.0.1; 0B00007F is 127.0.0.11, where the engine itself answers for names.
  const listening = told[6]!.split('\n').filter((line) => line !== '' && !line.startsWith('0B00007F:'));
  expect(listening).toEqual(['0100007F:2BCB']);
});

// There siblings were the agent's own business: on the host's network, never snapshotted, never removed.
test('B9: a sibling is reached by its name from the sandbox and by the verifier, on a network of the run without a way out', async () => {
  const { told } = await chainOf('beside');
  expect(told[0]).toBe('pages is ready at pages:8080.');
  expect(told[1]).toContain('Debian');
  expect(told[4]).toContain('Debian');
  expect(networks).toMatchObject([{ Internal: true }]);
  expect(results.beside).toMatchObject({
    status: 'verified',
    services: [{ name: 'pages', kind: 'container' }],
    tests: { passed: 2, failed: 0 },
    verdict: { verdict: 'not_guilty' },
  });
});

inFull('an environment that is judged by itself has its siblings too', async () => {
  const { image, source, services } = results.beside!;
  const examined = async (id: string, beside: object[]) => {
    const run = await world.begin('setupVerdict', { source, image, services: beside }, id);
    const { heads } = (await run.result()) as SetupVerdictResult;
    return (await readChain(world, heads.prosecutor)).told.join('\n');
  };
  const unknown = /Name or service not known|Temporary failure in name resolution/;
  expect(await examined('judged-with', services)).not.toMatch(unknown);
  expect(await examined('judged-without', [])).toMatch(unknown);
});

// There the family was told on the first step only, and nobody judged more than one repository.
test('B9: a family is known in every turn, and verifier and prosecutor look at all of it', async () => {
  expect(results.family).toMatchObject({
    status: 'verified',
    tests: { passed: 1 },
    verdict: { verdict: 'not_guilty' },
  });
  const prompts = keeper.of('family');
  expect(prompts.length).toBe(4);
  for (const prompt of prompts) expect(prompt).toContain('Component prices in /family/prices');
  for (const prompt of keeper.of('cached').slice(2)) expect(prompt).toMatch(/Services that run\nmemcached/);
  const { verifier, verdict } = results.family!;
  for (const head of [verifier!.head, verdict!.heads.prosecutor]) {
    const commands = (await readChain(world, head)).steps.map(({ turn }) => String(turn.move.command ?? ''));
    expect(commands.filter((command) => command.includes('/repo')).length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes('/family/prices')).length).toBeGreaterThan(0);
  }
});

// There a family passed when it said so itself.
test('B9: a service that was asked for and never started is guilty, with the reason', async () => {
  const { status, verdict } = results.forgetful!;
  expect([status, verdict!.verdict]).toEqual(['verified', 'guilty']);
  expect(verdict!.charges).toMatchObject([{ kind: 'service', claim: expect.stringContaining('memcached') }]);
  for (const prompt of keeper.of('forgetful')) expect(prompt).toMatch(/asked to start\nmemcached/);
});

test('a service that does not start is told with what it said, and is none of the environment', async () => {
  const { told } = await chainOf('broken');
  expect(told[0]).toMatch(/own did not start: its start command ended with 4\nno configuration/);
  expect(told[1]).toMatch(/service unheard-of: "start" is needed/);
  expect(results.broken).toMatchObject({ services: [] });
});

test('B9: siblings, networks and their volumes are gone with the run', async () => {
  expect(await labelled(`pointsman.scope=${await world.scope()}`)).toEqual(NOTHING);
});
