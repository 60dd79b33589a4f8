import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { copiedFolders, environmentOf } from '../../src/sandbox/docker/throwaway';
import type { ThrowawaySpec } from '../../src/sandbox/sandbox';
import { tinyProblem } from '../support/tiny-problem';

const owner = { workflowId: `test/throwaway/${randomUUID()}`, firstRunId: randomUUID() };
const docker = new Docker();
const sandboxes = openSandboxes('test');
let spec: ThrowawaySpec;

beforeAll(async () => {
  const { image, workdir } = await tinyProblem();
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', LEVEL: 'one', LINES: "$'a\\nb'" };
  const profile = SandboxProfile.parse({ memoryMiB: 256, pids: 64 });
  spec = { owner, role: 'examine', image, workdir, cwd: `${workdir}/src`, env, profile };
});
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
});

const run = async (command: string, more: Partial<ThrowawaySpec> = {}) => {
  const done = await sandboxes.throwaway({ ...spec, ...more }, { command, timeoutMs: 30_000 });
  return { ...done, output: done.output.toString() };
};

test('a command sees the directory and variables of its frame, and both streams in order', async () => {
  const done = await run('pwd; echo to stderr >&2; printf "%s|%s|" "$LEVEL" "$LINES"; exit 3');
  expect(done).toMatchObject({ exitCode: 3, timedOut: false, failedService: null });
  expect(done.output).toBe('/testbed/src\nto stderr\none|a\nb|');
});

test('nothing that one command changes is there for the next, and most of it cannot be changed', async () => {
  const change =
    'echo broken > calc.py; echo x > /root/x; echo x > /tmp/x; for at in /usr/lib /usr/local/bin /etc /opt; do touch $at/x 2> /dev/null && echo "$at is writable"; done; cat calc.py';
  expect((await run(change)).output).toBe('broken\n');
  const after = await run('cat calc.py; ls /root/x /tmp/x 2> /dev/null');
  expect(after.output).toBe('def add(a, b):\n    return a - b\n');
});

test('there is no way out, few powers, and limits', async () => {
  const look = [
    'timeout 5 bash -c "exec 3<>/dev/tcp/1.1.1.1/53" 2> /dev/null && echo network',
    'ls /sys/class/net',
    'mount -t tmpfs none /mnt 2> /dev/null && echo mounted',
    'mount -o remount,rw / 2> /dev/null && echo remounted',
    'cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2> /dev/null',
  ].join('; ');
  expect((await run(look)).output).toBe('lo\n64\n');
});

test('a command that was killed for want of memory is told from one that failed', async () => {
  const done = await run(`python3 -c "b'x' * (400 << 20)"; exit $?`);
  expect(done).toMatchObject({ exitCode: 137 });
  expect(done.output).toMatch(/^out of memory: .* 256 MiB \(memoryMiB of the sandbox\)$/m);
  expect((await run('exit 137')).output).toBe('');
});

test('a pipe fails when a part of it fails, and a command is stopped at its deadline', async () => {
  expect((await run('false | cat')).exitCode).toBe(1);
  const late = await sandboxes.throwaway(spec, { command: 'echo begun; sleep 60', timeoutMs: 1000 });
  expect(late).toMatchObject({ exitCode: null, timedOut: true });
  expect(late.output.toString()).toBe('begun\n');
});

test('files are written into /tmp before the command runs', async () => {
  const files = [{ path: '/tmp/deep/smoke.sh', content: 'echo "héllo $0"\n' }];
  const done = await sandboxes.throwaway(spec, { command: 'bash /tmp/deep/smoke.sh', files, timeoutMs: 10_000 });
  expect(done.output.toString()).toBe('héllo /tmp/deep/smoke.sh\n');
});

const web = { name: 'web', kind: 'process' as const, packages: [], env: { WHO: 'web' }, port: 8123 };

test('a service that runs beside the code is started first and waited for', async () => {
  const start = 'sleep 0.5; cd /testbed; exec python3 -m http.server 8123 --bind 127.0.0.1';
  const ask = 'python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8123/README.md\').read())"';
  expect((await run(ask, { services: [{ ...web, start }] })).output).toBe("b'# tiny\\n'\n");
});

test('a service that does not start is named with what it said, and the command is not run', async () => {
  const done = await run('echo ran', { services: [{ ...web, start: 'echo "$WHO: no configuration"; exit 4' }] });
  expect(done).toMatchObject({ exitCode: 125, timedOut: false, failedService: 'web' });
  expect(done.output).toBe('the service web did not start: its start command ended with 4\nweb: no configuration\n');
});

test('what a killed attempt left is replaced, and nothing stays behind, volumes neither', async () => {
  const filters = { label: [`pointsman.run=${owner.firstRunId}`, 'pointsman.lease=run', 'pointsman.scope=test'] };
  const first = run('sleep 20');
  let left: Docker.ContainerInfo | undefined;
  for (let i = 0; i < 200 && left === undefined; i++) {
    left = (await docker.listContainers({ filters }))[0];
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const volumes = left!.Mounts.flatMap(({ Type, Name }) => (Type === 'volume' && Name ? [Name] : []));
  expect(volumes.length).toBeGreaterThan(2);
  const [lost, second] = await Promise.allSettled([first, run('echo second')]);
  expect(lost.status).toBe('rejected');
  expect(second).toMatchObject({ status: 'fulfilled', value: { output: 'second\n' } });
  expect(await docker.listContainers({ all: true, filters: { label: filters.label.slice(0, 1) } })).toEqual([]);
  for (const name of volumes) await expect(docker.getVolume(name).inspect()).rejects.toMatchObject({ statusCode: 404 });
});

test('a frame that is gone is an outage, not a finding', async () => {
  await expect(run('true', { image: 'pointsman/no-such-frame:0' })).rejects.toMatchObject({ code: 'FrameLost' });
});

test('of folders in each other the outer one is copied, and never the whole system', () => {
  const folders = (workdir: string, env = {}) => copiedFolders({ workdir, env, services: [] });
  expect(folders('/root/repo')).toEqual(['/home', '/root', '/run', '/var/log']);
  expect(folders('/', { HOME: '/usr' })).toEqual(['/home', '/root', '/run', '/var/log']);
  expect(folders('/tmp/repo/', { GOPATH: '/go:/more' })).toEqual([
    '/go',
    '/home',
    '/more',
    '/root',
    '/run',
    '/tmp/repo',
    '/var/log',
  ]);
  expect(copiedFolders({ workdir: '/repo', env: {}, services: [web] })).toContain('/var/lib');
});

test('what the host had lent for reaching registries is not there', () => {
  const before = process.env.PIP_INDEX_URL;
  process.env.PIP_INDEX_URL = 'http://index.invalid/simple';
  try {
    const frame = { PIP_INDEX_URL: 'http://index.invalid/simple', GOPROXY: 'off', HOSTNAME: 'sandbox' };
    expect(environmentOf(frame)).toEqual({ env: { GOPROXY: 'off' }, prelude: '' });
  } finally {
    if (before === undefined) delete process.env.PIP_INDEX_URL;
    else process.env.PIP_INDEX_URL = before;
  }
});

describe('what an agent has set makes no outage of its own trial', () => {
  test.each([
    ['HOME=/proc/self', { HOME: '/proc/self' }],
    ['HOME in a file', { HOME: '/etc/passwd' }],
    ['HOME below a file', { HOME: '/etc/passwd/home' }],
    ['HOME with a colon', { HOME: '/a:/b:ro' }],
    ['a cache in /sys', { GOCACHE: '/sys/fs/cgroup', CARGO_HOME: '/dev/shm/x' }],
    ['TMPDIR=/proc', { TMPDIR: '/proc' }],
    ['no PATH', { PATH: '' }],
    ['a library that is not there', { LD_PRELOAD: '/nowhere.so' }],
    ['a start-up file that is not there', { BASH_ENV: '/proc/self/mem' }],
    ['options of the shell', { SHELLOPTS: 'noexec', BASHOPTS: 'x', BASH_XTRACEFD: '1', ENV: '/x' }],
    ['an empty name', { '': 'x', 'A-B': 'y' }],
  ])('%s', async (_, env) => {
    const done = await run('echo ran; exit 3', { cwd: '/testbed', env: { ...spec.env, ...env } });
    expect(done.exitCode).not.toBeNull();
    expect([0, 3, 125, 126, 127]).toContain(done.exitCode);
    if (done.exitCode === 3) expect(done.output).toContain('ran');
  });

  test.each([
    ['that is gone', 'true', '/testbed/gone'],
    ['that is a file', 'echo x > /testbed/file', '/testbed/file'],
    ['that is a link to /proc', 'ln -s /proc/self /testbed/link', '/testbed/link'],
    ['that is a link to itself', 'ln -s loop /testbed/loop', '/testbed/loop'],
  ])('a directory %s', async (_, command, cwd) => {
    const image = `${spec.image.split(':')[0]}:spoiled-${randomUUID().slice(0, 8)}`;
    await spoiled(command, image);
    try {
      for (const more of [{ cwd }, { cwd: '/', workdir: cwd }, { cwd: '/', env: { ...spec.env, HOME: cwd } }]) {
        expect([3, 125]).toContain((await run('exit 3', { image, ...more })).exitCode);
      }
    } finally {
      await docker.getImage(image).remove();
    }
  });

  test.each([
    ['no account of root', 'sed -i /^root/d /etc/passwd; sed -i /^root/d /etc/group', 3],
    ['no shell', 'rm /bin/bash', 127],
  ])('%s', async (_, command, code) => {
    const image = `${spec.image.split(':')[0]}:spoiled-${randomUUID().slice(0, 8)}`;
    await spoiled(command, image);
    try {
      const { exitCode } = await run('exit 3', { image });
      expect(exitCode === 126 ? 127 : exitCode).toBe(code);
    } finally {
      await docker.getImage(image).remove();
    }
  });

  async function spoiled(command: string, image: string): Promise<void> {
    const container = await docker.createContainer({ Image: spec.image, Cmd: ['bash', '-c', command] });
    try {
      await container.start();
      await container.wait();
      const [repo, tag] = image.split(':');
      await container.commit({ repo: repo!, tag: tag! });
    } finally {
      await container.remove({ force: true });
    }
  }
});
