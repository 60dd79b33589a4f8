import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import type { SandboxProfile } from '../../contract/sandbox';
import { hostAccess } from '../host-access';
import { LABEL } from '../labels';
import { ignoreMissing, refused, statusOf } from './engine';
import { Reach } from './reach';

/**
 * Root's powers without those over the host: each of these is needed by apt or pip inside of the container
 * (shared measurements: without any one of them apt fails), KILL and FSETID by test suites.
 */
export const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'];

/** The journal's own: lets a process give powers up, and is given up by every command, which it sets apart from the journal. */
const OF_THE_JOURNAL = 'SETPCAP';

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly workdir: string;
  readonly labels: Record<string, string>;
  readonly profile: SandboxProfile;
}

/**
 * Makes and starts the container of that name. Idempotent: one that runs is taken as it is, one that does not is
 * started, so a retried activity finds what the first attempt made. One with a network is only connected to it once
 * `reach` has limited it.
 */
export async function ensureContainer(
  docker: Docker,
  spec: ContainerSpec,
  reach = new Reach(docker),
): Promise<Docker.Container> {
  const existing = docker.getContainer(spec.name);
  const state = await existing.inspect().catch((error: unknown) => {
    if (statusOf(error) === 404) return undefined;
    throw error;
  });
  if (state && !state.State.Dead) {
    if (state.HostConfig.NetworkMode === EGRESS_NETWORK) await startConnected(docker, existing, spec, reach);
    else if (!state.State.Running) await existing.start();
    return existing;
  }
  if (state) await removeContainer(docker, spec.name);
  const network = spec.profile.network === 'none' ? 'none' : await ensureEgress(docker);
  const container = await docker.createContainer(createOptions(spec, network)).catch((error: unknown) => {
    if (statusOf(error) === 400) throw refused(spec.image, error);
    if (statusOf(error) !== 404) throw error;
    throw new PointsmanError(
      'NotFound',
      `the image ${spec.image} is not on this host`,
      'Build it with `pointsman problem init`, or let the engine pull it.',
    );
  });
  if (network === EGRESS_NETWORK) await startConnected(docker, container, spec, reach);
  else await container.start();
  return container;
}

/**
 * Starts it without any network, limits its reach, and connects it then: what it begins with may be anybody's program, which
 * has no moment in which it reaches more. So a container that runs and is connected is limited, whoever was killed when.
 */
async function startConnected(
  docker: Docker,
  container: Docker.Container,
  { labels }: ContainerSpec,
  reach: Reach,
): Promise<void> {
  const { State, NetworkSettings } = await container.inspect();
  const connected = Object.keys(NetworkSettings.Networks);
  if (State.Running && connected.includes(EGRESS_NETWORK)) return;
  const leave = (name: string) => ignoreMissing(docker.getNetwork(name).disconnect({ Container: container.id }));
  if (!State.Running) await Promise.all(connected.map(leave));
  const started = State.Running ? Promise.resolve() : container.start();
  await Promise.all([started, reach.limit(container.id, labels, { started })]);
  await connect(docker, EGRESS_NETWORK, container.id);
}

/** Takes a container out of a network, if it is in it. */
export async function leave(docker: Docker, network: string, container: string): Promise<void> {
  const { NetworkSettings } = await docker.getContainer(container).inspect();
  if (network in NetworkSettings.Networks)
    await ignoreMissing(docker.getNetwork(network).disconnect({ Container: container }));
}

/** Brings a container into a network, if it is not in it. */
export async function connect(docker: Docker, network: string, container: string): Promise<void> {
  const request = { Container: container, EndpointConfig: { Aliases: [] } };
  await docker
    .getNetwork(network)
    .connect(request)
    .catch((error: unknown) => {
      // It is connected already, which the engine calls forbidden.
      if (statusOf(error) !== 403 && !/already exists/.test(String(error))) throw error;
    });
}

/** Removes it and its volumes, whatever it is doing, or waits until whoever else does has finished. */
export async function removeContainer(docker: Docker, name: string): Promise<void> {
  const container = docker.getContainer(name);
  const remove = () => container.remove({ force: true, v: true });
  const removal = remove().catch((error: unknown) => {
    // Whatever ended in it just then still wrote to the engine's folder of it.
    if (/directory not empty/.test(String(error))) return remove();
    if (statusOf(error) !== 409 || !/already in progress/.test(String(error))) throw error;
    return container.wait({ condition: 'removed' });
  });
  await ignoreMissing(removal);
}

/**
 * Gives the container's name free and stops its processes where they are; who removes it ends them. Killing it would
 * unmount its files, and with that the kernel writes all that its disk has not written yet, the frames' layers among it:
 * whatever the engine makes next would wait for that. Nothing happens where there is no container.
 */
export async function setAside(docker: Docker, name: string, aside: string): Promise<void> {
  await ignoreMissing(docker.getContainer(name).rename({ name: aside }));
  const container = docker.getContainer(aside);
  await ignoreMissing(
    container.pause().catch((error: unknown) => {
      if (statusOf(error) === 404) throw error;
      // 409: it has ended by itself. Else something in it cannot be frozen.
      return statusOf(error) === 409 ? undefined : container.kill();
    }),
  );
}

/**
 * A network namespace of its own with nothing but the loopback in it, as `none` has it, made by the runtime alone: the engine
 * keeps no account of it, which is nearly half of what it takes to make and remove a container (measured with Docker 20.10).
 * It can be connected to nothing later, and its names are written by `hosts.sh`.
 */
export const NO_NETWORK = { NetworkDisabled: true } as const;

/** What will run beside it is to be connected with it. */
function keepsRoomBeside(labels: Record<string, string>): boolean {
  return Number(labels[LABEL.keeps] ?? 0) > Number(labels[LABEL.takes] ?? 1);
}

function createOptions(spec: ContainerSpec, network: string): Docker.ContainerCreateOptions {
  const { profile } = spec;
  const access = profile.network === 'none' || !profile.hostCertificates ? undefined : hostAccess();
  return {
    name: spec.name,
    Image: spec.image,
    Hostname: 'sandbox',
    ...(network === 'none' && !keepsRoomBeside(spec.labels) ? NO_NETWORK : {}),
    Entrypoint: [],
    // The journal runs by exec; PID 1 only has to stay and to pass on signals, which Init does.
    Cmd: ['sleep', 'infinity'],
    WorkingDir: spec.workdir,
    Labels: spec.labels,
    Env: Object.entries({ ...access?.env, ...profile.env }).map(([name, value]) => `${name}=${value}`),
    HostConfig: {
      Init: true,
      NetworkMode: network,
      ...confined(profile),
      CapAdd: [...CAPABILITIES, OF_THE_JOURNAL],
      Binds: access?.binds ?? [],
    },
  };
}

const CPU_PERIOD_US = 100_000;

/** What holds of every container: the sandbox's powers and no more, the profile's limits, and no log of the engine's. */
function limitsOf({ memoryMiB, pids, cpus }: SandboxProfile): Docker.HostConfig {
  const memory = memoryMiB * 1024 * 1024;
  return {
    CapDrop: ['ALL'],
    // Tests change owners and modes, and become the user that a database insists on.
    CapAdd: CAPABILITIES,
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: pids,
    Memory: memory,
    MemorySwap: memory,
    // By quota, as NanoCpus would be: that is refused where it is more than the host has, this limits nothing there.
    CpuPeriod: CPU_PERIOD_US,
    CpuQuota: Math.round(cpus * CPU_PERIOD_US),
    LogConfig: { Type: 'none', Config: {} },
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
  };
}

/** The same for containers that run what nobody trusts: no file may become larger than the disk either. */
export function confined(profile: SandboxProfile): Docker.HostConfig {
  const disk = profile.diskMiB * 1024 * 1024;
  const limits = limitsOf(profile);
  return { ...limits, Ulimits: [...(limits.Ulimits ?? []), { Name: 'fsize', Soft: disk, Hard: disk }] };
}

/**
 * The network of every sandbox that may go out: one for all runs, because an engine has addresses for few networks, with
 * the ways between its containers shut, so that a service which one run starts cannot be reached by another.
 */
export const EGRESS_NETWORK = 'pointsman-egress';

let made: Promise<void> | undefined;

/** Makes it where it is missing. Idempotent, also beside other processes that make it at the same time. */
async function ensureEgress(docker: Docker): Promise<string> {
  made ??= settle(docker).finally(() => {
    made = undefined;
  });
  await made;
  return EGRESS_NETWORK;
}

/** An engine lets two of one name come about. Everybody agrees on which of them stays, as nothing tells them apart. */
async function settle(docker: Docker): Promise<void> {
  let found = await named(docker);
  if (found.length === 1) return;
  if (found.length === 0) {
    await docker.createNetwork({
      Name: EGRESS_NETWORK,
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      Labels: { [LABEL.managed]: '1', [LABEL.lease]: 'environment' },
    });
    found = await named(docker);
  }
  const [, ...others] = found.map(({ Id }) => Id).sort();
  for (const id of others) {
    await ignoreMissing(docker.getNetwork(id).remove()).catch((error: unknown) => {
      // A sandbox that is in it already keeps it until a later call.
      if (statusOf(error) !== 403) throw error;
    });
  }
}

async function named(docker: Docker): Promise<{ readonly Id: string }[]> {
  const found = await docker.listNetworks({ filters: { name: [EGRESS_NETWORK] } });
  return found.filter(({ Name }) => Name === EGRESS_NETWORK);
}
