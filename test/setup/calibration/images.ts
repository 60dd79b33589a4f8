import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import { BASE_IMAGE } from '../../../src/machine/image';
import { removeContainer } from '../../../src/sandbox/docker/container';
import { putFiles, runInGuest } from '../../../src/sandbox/docker/guest';
import { hostAccess } from '../../../src/sandbox/host-access';

export type Toolchain = 'python' | 'node' | 'go' | 'rust' | 'c';

const apt = (packages: string) =>
  `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates ${packages} && rm -rf /var/lib/apt/lists/* /var/cache/apt/*`;

/** What each language's environments begin with. Packages that they install come out of the image, so they need no network. */
const SET_UP: Readonly<Record<Toolchain, string>> = {
  python:
    'python3 -m venv /venv && cd /opt && /venv/bin/pip install -q --no-cache-dir setuptools wheel pytest && /venv/bin/pip download -q --no-cache-dir -d wheels six==1.15.0 && /venv/bin/pip download -q --no-cache-dir -d wheels six==1.16.0 click tomli attrs pytest-mock',
  node: `${apt('nodejs npm')} && mkdir -p /opt/pool && cd /opt/pool && npm install --silent --no-audit --no-fund tape@5 mocha@10 is-odd@3 && rm -rf ~/.npm`,
  go: apt('golang-go'),
  rust: apt('cargo gcc libc6-dev'),
  c: apt('gcc libc6-dev make cmake'),
};

/** Makes a toolchain's image once; later runs find it by its content. */
export async function toolchainImage(docker: Docker, toolchain: Toolchain): Promise<string> {
  const command = SET_UP[toolchain];
  const tag = `${toolchain}-${createHash('sha256').update(command).digest('hex').slice(0, 12)}`;
  const image = `pointsman/calibration:${tag}`;
  const there = await docker
    .getImage(image)
    .inspect()
    .catch(() => undefined);
  if (there) return image;
  const { env, binds } = hostAccess();
  const name = `pointsman-calibration-${toolchain}-${process.pid}`;
  const container = await docker.createContainer({
    name,
    Image: BASE_IMAGE,
    Cmd: ['sleep', 'infinity'],
    HostConfig: { Binds: binds, Init: true },
  });
  try {
    await container.start();
    const done = await runInGuest(container, { command, env, timeoutMs: 900_000 });
    if (done.exitCode !== 0) throw new Error(`${toolchain}: ${done.stderr.toString('utf8').slice(-800)}`);
    await container.commit({ repo: 'pointsman/calibration', tag });
    return image;
  } finally {
    await removeContainer(docker, name);
  }
}

export interface Made {
  readonly image: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly steps: { command: string; exitCode: number; output: string }[];
}

/** Puts the sources into a container, runs the set-up's commands in one shell that goes on, and commits it. */
export async function makeEnvironment(
  docker: Docker,
  toolchain: string,
  files: Readonly<Record<string, string>>,
  commands: readonly string[],
  tag: string,
): Promise<Made> {
  const name = `pointsman-calibration-${tag}`;
  await removeContainer(docker, name);
  const container = await docker.createContainer({
    name,
    Image: toolchain,
    Cmd: ['sleep', 'infinity'],
    HostConfig: { NetworkMode: 'none', Init: true },
  });
  try {
    await container.start();
    await putFiles(
      container,
      Object.entries(files).map(([path, text]) => ({
        path: `/repo/${path}`,
        bytes: Buffer.from(text),
        executable: text.startsWith('#!'),
      })),
    );
    const steps: Made['steps'] = [];
    for (const command of commands) {
      const done = await runInGuest(container, {
        command: `exec 2>&1; set -a; [ -e /opt/state ] && . /opt/state; cd "\${HERE:-/repo}"; set +a; trap 'HERE=$PWD; { export -p; echo "HERE=$PWD"; } > /opt/state' EXIT; eval "$1"`,
        args: [command],
        timeoutMs: 120_000,
      });
      steps.push({ command, exitCode: done.exitCode ?? -1, output: done.stdout.toString('utf8') });
    }
    const state = await runInGuest(container, {
      command: '[ -e /opt/state ] && . /opt/state; env -0',
      timeoutMs: 10_000,
    });
    const env = Object.fromEntries(
      state.stdout
        .toString('utf8')
        .split('\0')
        .filter((entry) => /^[A-Za-z_]\w*=/.test(entry))
        .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
    const { HOSTNAME: _, PWD: __, SHLVL: ___, OLDPWD: ____, HERE: _____, ...kept } = env;
    await container.commit({ repo: 'pointsman/calibration-case', tag });
    return { image: `pointsman/calibration-case:${tag}`, cwd: '/repo', env: { HOME: '/root', ...kept }, steps };
  } finally {
    await removeContainer(docker, name);
  }
}
