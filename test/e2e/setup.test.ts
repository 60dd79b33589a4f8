import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { Problem, RepoSetupResult, SetupProgress } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { BUILTIN_EMBEDDER } from '../../src/store/experience/embedder';
import { SqlExperience } from '../../src/store/experience/sql';
import { SetupChains } from '../../src/store/setup-chains';
import { runCli } from '../cli/run-cli';
import { calcScript, calcUnit, writeCalc } from '../support/calc-project';
import { NOTHING } from '../support/chaos';
import { inFull } from '../support/counts';
import { leftOf, reach, sandboxOf } from '../support/set-up';
import { World } from '../support/world';

let world: World;
let project: string;
let chains: SetupChains;
beforeAll(async () => {
  project = writeCalc();
  world = await World.start({
    script: calcScript,
    profiles: { careful: {}, curious: {}, fetching: {}, mender: {}, idler: {}, hasty: {}, garbled: {}, stranded: {} },
  });
  chains = new SetupChains(world.blobs);
  const store = await SqlExperience.open({ folder: join(world.home, 'experience'), embed: BUILTIN_EMBEDDER });
  await store.import([
    calcUnit('calc-wrong', 'mkdir -p /opt/other && echo exact > /opt/other/mode'),
    calcUnit('calc-right', 'mkdir -p /opt/calc && echo exact > /opt/calc/mode'),
  ]);
  await store.close();
});
afterAll(async () => {
  await world?.close();
  rmSync(project, { recursive: true, force: true });
});

const input = (agent: string, more: object = {}) => ({ source: `dir:${project}`, roles: { agent }, ...more });

test('a set-up with a failed trial, a good one, a rollback and a verdict; it can be built again', async () => {
  const handle = await world.begin('repoSetup', input('careful'), 'setup-careful');
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({
    status: 'verified',
    selfClaim: true,
    verdict: { verdict: 'not_guilty' },
    tests: { passed: 2, failed: 0, errors: 0 },
    rollbacks: 2,
    formatRetries: 1,
    reproduced: true,
  });
  expect(result.units).toMatchObject([
    { unit: 'calc-wrong', outcome: 'failure', kept: false },
    { unit: 'calc-right', kept: true },
  ]);
  const { steps } = await chains.chain(result.head);
  const told = await Promise.all(steps.map((step) => chains.output(step)));
  const at = (text: string) => steps.findIndex(({ turn }) => JSON.stringify(turn.move).includes(text));
  expect(told[at('"finish"')]).toMatch(/refused: no verify has passed/);
  // The model is told what a rollback undid, and it is so: files, directory and variables are those of the frame.
  const back = at('"rollback"');
  expect(steps[back]!.undoes).toEqual([steps[back - 1]!.turn.turn]);
  expect(told[back]).toContain('Undone: turn');
  expect(told[back + 1]).toMatch(/^\/srv\/work\nyes 3 of 3\ncalc\n/);
  const built = (await world.blobs.get(result.script!.sha256)).toString();
  expect(built).toContain('/opt/calc/mode');
  expect(built).not.toMatch(/mistake|\/opt\/other/);
  expect((await world.blobs.get(result.dockerfile!.sha256)).toString()).toContain('ENV CALC_LEVEL="3 of 3"');
  expect(await leftOf(world, 'setup-careful')).toEqual(NOTHING);
}, 240_000);

test('an environment image is one: sources in a commit, variables set, nothing of ours in it', async () => {
  const { image } = (await world.client.workflow.getHandle('setup-careful').result()) as RepoSetupResult;
  expect(image).toMatch(/^pointsman\/environment:[0-9a-f]{24}$/);
  const docker = new Docker();
  const { Config } = await docker.getImage(image!).inspect();
  expect(Config.Env).toContain('CALC_LEVEL=3 of 3');
  expect(Config.Env!.filter((entry) => /PIP_CERT|_proxy|SSL_CERT/i.test(entry))).toEqual([]);
  const looks =
    'git status --short; git log --oneline | wc -l; python3 -m unittest 2>&1 | tail -1; ls /opt /var/lib/pointsman';
  const log = await saidBy(image!, looks);
  expect(log).toContain('1\nOK\n');
  expect(log).not.toContain('pointsman');
});

test('a look around leaves what stands in the way and what was suggested; a rollback brings both back', async () => {
  const more = { judge: false, reproduce: false };
  const handle = await world.begin('repoSetup', input('curious', more), 'setup-curious');
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({ status: 'verified', tests: { passed: 2 }, rollbacks: 2 });
  const before = "KeyError: 'CALC_LEVEL'";
  expect(result.units).toMatchObject([
    { turn: 4, unit: 'calc-wrong', before, outcome: 'failure', kept: false },
    { turn: 8, unit: 'calc-right', before, kept: true },
  ]);
  const { steps } = await chains.chain(result.head);
  // What was tried for this error is not offered for it again.
  expect(await chains.output(steps[6]!)).toContain('calc-wrong is no unit that was suggested here');
}, 240_000);

test('the engine builds what `setup export` writes, its tests pass there, and a folder that changed since does not matter', async () => {
  const handle = await world.begin('repoSetup', input('fetching', { judge: false }), 'setup-fetching');
  expect(await handle.result()).toMatchObject({ status: 'verified', reproduced: true });
  const readme = join(project, 'README.md');
  const before = readFileSync(readme);
  writeFileSync(readme, 'something else\n');
  const [out, tag] = [join(world.home, 'exported'), `pointsman/test-export:${process.pid}`];
  const docker = new Docker();
  try {
    const env = world.env as Record<string, string>;
    const exporting = ['setup', 'export', 'setup-fetching', '--out', out];
    const ran = await runCli(['--json', ...exporting, '--build', tag, '--run-tests'], { env });
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      files: ['Dockerfile', 'install.sh', 'lock.txt', 'services.json', 'source/'],
      tests: { same: true, counts: { passed: 2, collected: 2 } },
    });
    expect(readFileSync(join(out, 'source', 'README.md'))).toEqual(before);
    const { Config } = await docker.getImage(tag).inspect();
    expect(Config.Env!.filter((entry) => /PIP_CERT|_proxy|SSL_CERT/i.test(entry))).toEqual([]);
    const again = await runCli(exporting, { env });
    expect(again.stderr).toContain('the folder is not empty');
    const unbuilt = await runCli([...exporting, '--run-tests'], { env });
    expect(unbuilt.stderr).toContain('--run-tests: nothing is built');
  } finally {
    writeFileSync(readme, before);
    await docker.getImage(tag).remove({ force: true });
  }
}, 240_000);

inFull('what was kept stands when a person ends the wait for its script', async () => {
  const docker = new Docker();
  await docker.getImage(BASE_IMAGE).tag({ repo: 'pointsman/test-stranded', tag: '1' });
  const more = { judge: false, base: 'pointsman/test-stranded:1' };
  const handle = await world.begin('repoSetup', input('stranded', more), 'setup-stranded');
  const scope = `pointsman.scope=${await world.scope()}`;
  const filters = { label: [scope, 'pointsman.workflow=setup-stranded', 'pointsman.role=rebuild'] };
  let begun: Docker.ContainerInfo[] = [];
  while (begun.length === 0) begun = await docker.listContainers({ filters });
  // Without its base image no script can be tried, now or later.
  await docker.getImage('pointsman/test-stranded:1').remove();
  for (const { Id } of begun) await docker.getContainer(Id).remove({ force: true });
  while ((await handle.query<SetupProgress>('progress')).phase !== 'Parked') await sleep(50);
  await handle.executeUpdate('abandon');
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({ status: 'verified', image: expect.any(String), reproduced: null });
  expect(result.notes.join()).toContain('the script was not tried on the base image: abandoned by a person');
  expect(await saidBy(result.image!, 'cat /opt/calc/mode')).toBe('exact\n');
});

test('an environment image is the environment of a problem as it is', async () => {
  const set = (await world.client.workflow.getHandle('setup-fetching').result()) as RepoSetupResult;
  const problem: Problem = {
    ...{ id: 'calc-level', image: set.image!, workdir: set.workdir, protected: [], provenance: {} },
    statement: '`calc.level()` should give the level as a number.',
    tests: {
      ...{ command: '/opt/venv/bin/python -m pytest -q', parser: { kind: 'pytest' }, timeoutSeconds: 120 },
      failToPass: ['test_extra.py::test_level'],
      passToPass: ['test_calc.py::Modes::test_level', 'test_calc.py::Modes::test_mode'],
      files: [{ path: 'test_extra.py', content: 'import calc\n\n\ndef test_level():\n    assert calc.level() == 3\n' }],
    },
  };
  const rolledOut = async (student: string, id: string) =>
    (await world.begin('rollout', { problem, student, handOver: { never: true } }, id)).result();
  expect(await rolledOut('mender', 'calc-mended')).toMatchObject({ resolved: true });
  expect(await rolledOut('idler', 'calc-left')).toMatchObject({ resolved: false });
}, 240_000);

test('an agent that gives up after a verify that failed claims nothing, and nobody judges', async () => {
  const handle = await world.begin('repoSetup', input('hasty'), 'setup-hasty');
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({
    status: 'gave_up',
    selfClaim: false,
    verifier: { success: false },
    verdict: null,
    image: null,
    detail: 'it is beyond me',
  });
});

test('malformed replies end a run with everything kept', async () => {
  const handle = await world.begin('repoSetup', input('garbled'), 'setup-garbled');
  const result = (await handle.result()) as RepoSetupResult;
  expect(result).toMatchObject({
    status: 'format_exhausted',
    formatRetries: 3,
    detail: expect.stringContaining('could not be read'),
  });
});

inFull(
  'a killed worker and a killed container are no loss',
  async () => {
    const handle = await world.begin('repoSetup', input('careful', { judge: false, reproduce: false }), 'setup-killed');
    await reach(handle, 2);
    await world.killWorkers('SIGKILL');
    world.startWorker();
    await world.workerReady();
    await reach(handle, 7);
    await (await sandboxOf(world, 'setup-killed')).remove({ force: true });
    const result = (await handle.result()) as RepoSetupResult;
    expect(result).toMatchObject({ status: 'verified', tests: { passed: 2 }, rollbacks: 2 });
    expect(await leftOf(world, 'setup-killed')).toEqual(NOTHING);
  },
  240_000,
);

test('bad input is refused before anything starts', async () => {
  const refused = async (more: object, id: string) => {
    const handle = await world.begin('repoSetup', input('careful', more), id);
    return handle.result().then(
      () => 'accepted',
      (error: unknown) => {
        let innermost = error as Error;
        while (innermost.cause instanceof Error) innermost = innermost.cause;
        return innermost.message;
      },
    );
  };
  expect(await refused({ source: 'pypi:x' }, 'bad-1')).toMatch(/source/);
  expect(await refused({ experience: { mode: 'sometimes' } }, 'bad-2')).toMatch(/experience\.mode/);
  expect(await refused({ family: { services: [{ name: 'own' }] } }, 'bad-3')).toMatch(/service own: "start" is needed/);
  expect(await refused({ roles: { agent: 'nobody' } }, 'bad-4')).toMatch(/no model profile "nobody"/);
  expect(await refused({ roles: { agent: 'builtin:rules' } }, 'bad-5')).toMatch(/roles\.agent.*builtin:playbook/);
});

/** What a command prints in a container of an image, without a network. */
async function saidBy(image: string, command: string): Promise<string> {
  const container = await new Docker().createContainer({
    ...{ Image: image, Cmd: ['bash', '-c', command], HostConfig: { NetworkMode: 'none' } },
  });
  await container.start();
  await container.wait();
  const log = await container.logs({ stdout: true, stderr: false });
  await container.remove();
  return log.toString('utf8').replace(/[^\n\x20-\x7e]/g, '');
}
