import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { tinyProblem } from '../support/tiny-problem';
import { sandboxConformance } from './conformance';

describe('sandboxes of a Docker engine', () => {
  sandboxConformance((scope) => new DockerSandboxes(scope), tinyProblem);
});

describe('without a network', () => {
  const owner = { workflowId: 'test/no-network', firstRunId: randomUUID() };
  const docker = new Docker();
  const sandboxes = new DockerSandboxes(`test/${owner.firstRunId}`);
  const profile = SandboxProfile.parse({});
  const kept = `pointsman/test-no-network:${owner.firstRunId}`;
  const claim = async (of = owner, beside = 0) => {
    const { image, workdir } = await tinyProblem();
    return sandboxes.claim({ owner: of, role: 'main', image, workdir, profile, beside });
  };
  afterAll(async () => {
    await sandboxes.removeAll(owner.firstRunId);
    await sandboxes.images.remove(kept);
    sandboxes.close();
  });

  test('there is this machine, by its name as by its address, and nothing of the engine’s; images do not keep it', async () => {
    const sandbox = await claim();
    const listen =
      's = socket.create_server(("127.0.0.1", 0)); socket.create_connection(("localhost", s.getsockname()[1]))';
    const tried = `import socket; ${listen}; print(socket.if_nameindex())`;
    const ways = [
      (command: string) => sandbox.exec({ command, timeoutMs: 20_000 }).then(({ stdout }) => stdout),
      (command: string) =>
        sandbox
          .journal((journal) => journal.run({ id: 'first', after: '*', command, timeoutMs: 20_000 }))
          .then(({ output }) => output),
    ];
    for (const way of ways) expect((await way(`python3 -c '${tried}'`)).toString()).toMatch(/^\[\(\d+, 'lo'\)\]\n$/);
    const { NetworkSettings } = await docker.getContainer(sandbox.name).inspect();
    expect(NetworkSettings).toMatchObject({ Networks: {}, SandboxKey: '' });

    await sandbox.commit(kept, { kept: true });
    const scratch = await docker.createContainer({
      Image: kept,
      NetworkDisabled: true,
      Cmd: ['wc', '-c', '/etc/hosts', '/etc/resolv.conf'],
      Entrypoint: [],
    });
    try {
      const output = await scratch.attach({ stream: true, stdout: true, stderr: true });
      await scratch.start();
      const chunks: Buffer[] = [];
      for await (const chunk of output as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
      expect(Buffer.concat(chunks).toString()).toMatch(/(?<!\d)0 total/);
    } finally {
      await scratch.remove({ force: true });
    }
  });

  test('one that keeps room for others beside it is in a network that it can leave for theirs', async () => {
    const family = { workflowId: 'test/no-network/family', firstRunId: randomUUID() };
    try {
      const { name } = await claim(family, 1);
      const { NetworkSettings } = await docker.getContainer(name).inspect();
      expect(Object.keys(NetworkSettings.Networks)).toEqual(['none']);
    } finally {
      await sandboxes.removeAll(family.firstRunId);
    }
  });
});

describe('what engines refuse', () => {
  const owner = { workflowId: 'test/refused', firstRunId: randomUUID() };
  const sandboxes = new DockerSandboxes(`test/${owner.firstRunId}`);
  const claim = async (role: string, profile: object) => {
    const { image, workdir } = await tinyProblem();
    return sandboxes.claim({ owner, role, image, workdir, profile: { ...SandboxProfile.parse({}), ...profile } });
  };
  afterAll(async () => {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
  });

  test('more processors than there are is not among it: a limit above them limits nothing', async () => {
    const sandbox = await claim('wide', { cpus: 4096 });
    const { exitCode } = await sandbox.exec({ command: 'true', timeoutMs: 20_000 });
    expect(exitCode).toBe(0);
  });

  test('a tenth of a processor is a tenth', async () => {
    const sandbox = await claim('narrow', { cpus: 0.1 });
    const ofEitherKind = 'cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2>/dev/null';
    const { stdout } = await sandbox.exec({ command: ofEitherKind, timeoutMs: 20_000 });
    expect(stdout.toString()).toMatch(/^10000\b/);
  });

  test('what no attempt changes is final, in its own words', async () => {
    await expect(claim('nameless', { env: { '': 'x' } })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining('invalid environment variable: =x'),
    });
  });
});
