import type Docker from 'dockerode';
import { PointsmanError, type SandboxProfile } from '../contract';
import { confined } from '../sandbox/confined';
import { removeContainer } from '../sandbox/container';
import { statusOf } from '../sandbox/engine';
import { runInGuest } from '../sandbox/guest-exec';
import { LABEL, type Owner, runLabels, runName } from '../sandbox/labels';
import type { HarnessHost } from './tools-image';

export interface HarnessContainerSpec {
  readonly owner: Owner;
  /** Names the container within the run. Two that run at once need two names; one that is left over is removed. */
  readonly role: string;
  readonly image: string;
  readonly profile: SandboxProfile;
}

/**
 * A container for code that nobody trusts: no network, few powers, the profile's memory, processes and processors, files
 * no larger than its disk, /tmp in memory. Its first process only reaps, so that `endAll` can end every other one.
 */
export async function startHarnessContainer(
  { docker, host }: HarnessHost,
  { owner, role, image, profile }: HarnessContainerSpec,
): Promise<Docker.Container> {
  const name = runName(owner, role);
  await removeContainer(docker, name);
  const create = docker.createContainer({
    name,
    Image: image,
    Hostname: 'sandbox',
    User: 'root',
    Entrypoint: [],
    Cmd: ['bash', '-c', 'while :; do sleep 3600 & wait; done'],
    WorkingDir: '/',
    Env: Object.entries(profile.env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...runLabels(owner), [LABEL.scope]: host.scope, [LABEL.role]: role },
    HostConfig: {
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${profile.memoryMiB * 512 * 1024}` },
      NetworkMode: 'none',
      ...confined(profile),
    },
  });
  const container = await create.catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
    throw new PointsmanError(
      'NotFound',
      `the image ${image} is not on this host`,
      'It is made anew when this is tried again.',
    );
  });
  await container.start().catch(async (error: unknown) => {
    await removeContainer(docker, name);
    throw error;
  });
  return container;
}

/** Ends every process but the first. Where no process can be started any more, the container is. */
export async function endAll(container: Docker.Container): Promise<void> {
  const done = await runInGuest(container, { command: 'kill -9 -1', timeoutMs: 5000 }).catch(() => undefined);
  if (done?.exitCode === 0) return;
  await container.restart({ t: 0 }).catch((error: unknown) => {
    if (statusOf(error) === 404) throw new PointsmanError('SandboxLost', 'the harness container went away');
    throw error;
  });
}

/** MiB that the container has written over its image. */
export async function writtenMiB(container: Docker.Container): Promise<number> {
  const { SizeRw } = (await container.inspect({ size: true } as object)) as { SizeRw?: number };
  return (SizeRw ?? 0) / 1048576;
}
