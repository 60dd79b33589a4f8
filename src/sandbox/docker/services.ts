import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { Frame, Lease, ServiceSpec } from '../../contract';
import { guestProgram } from '../guest';
import { LABEL, type Owner, runLabels, runName } from '../labels';
import type { Guest, Sandboxes, Services, ServicesRequest, Started } from '../sandbox';
import { parseExports } from '../shell-state';
import { CAPABILITIES, connect, leave, removeContainer } from './container';
import { frameLost, ignoreMissing, statusOf } from './engine';
import { runInGuest } from './guest';
import { heldAs } from './held';
import { commitOfRun, flatten, inspectImage, removeImage } from './images';
import type { Reach } from './reach';

/** Seconds that one service may take until it is ready; a database that has to recover from its log takes a few. */
const READY_SECONDS = 60;
const REPOSITORY = 'pointsman/service';
const MEMORY_BYTES = 2 * 1024 ** 3;
/** Digest of the spec that a sibling was made from. */
const MADE_FROM = 'pointsman.service';

/** Siblings are made without volumes, which no commit holds. */
export class DockerServices implements Services {
  constructor(
    private readonly docker: Docker,
    private readonly host: Pick<Sandboxes, 'scope' | 'at' | 'workshop' | 'images' | 'places'>,
    private readonly reach: Reach,
    private readonly images: readonly string[] = [],
  ) {}

  async start(
    request: ServicesRequest & { readonly lease: Pick<Lease, 'container' | 'workdir'> },
    signal: AbortSignal,
  ): Promise<Started> {
    const { owner, lease, services } = request;
    const { started, failed: away } = await this.startSiblings(request, signal);
    if (away) return { started, failed: away };
    if (started.length > 0) await this.connect(owner, lease.container);
    const container = this.docker.getContainer(lease.container);
    const state = await this.host.at(lease.container).journal((journal) => journal.state());
    const shell = { cwd: state.cwd || lease.workdir, env: withoutShellWords(parseExports(state.env)), prelude: '' };
    const own = services.filter(({ kind }) => kind === 'process');
    const down: ServiceSpec[] = [];
    // One that an attempt before this one started has its port: started again it could only fail.
    for (const spec of own) if (!(await isReady(container, spec, signal))) down.push(spec);
    const failed = await startServices(container, down, shell, signal);
    if (failed) return { started, failed };
    return { started: [...started, ...own.map(({ name }) => name)], failed: null };
  }

  async undeclared(lease: Lease): Promise<string[]> {
    const { stdout } = await runInGuest(this.docker.getContainer(lease.container), {
      command: guestProgram('undeclared.sh'),
      timeoutMs: 20_000,
    });
    const lines = stdout
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return [...new Set(lines)].slice(0, 20);
  }

  async startSiblings(request: ServicesRequest, signal: AbortSignal): Promise<Started> {
    const wanted = siblingsAmong(request.services);
    const started: string[] = [];
    if (wanted.length > 0) await this.network(request.owner);
    for (const spec of wanted) {
      const why = await this.up(request, spec, signal);
      if (why !== undefined) return { started, failed: { name: spec.name, why } };
      started.push(spec.name);
    }
    return { started, failed: null };
  }

  at(owner: Owner, name: string): Guest {
    return this.host.at(containerOf(owner, name));
  }

  async connect(owner: Owner, container: string): Promise<void> {
    const name = runNetwork(owner);
    // One without any network is in one that suffers no other.
    await leave(this.docker, 'none', container);
    const { IPAM } = (await this.docker.getNetwork(name).inspect()) as Docker.NetworkInspectInfo;
    const within = (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []);
    await this.reach.limit(container, { ...runLabels(owner), [LABEL.scope]: this.host.scope }, { within });
    await connect(this.docker, name, container);
  }

  async keep(owner: Owner, services: readonly ServiceSpec[], frame: number): Promise<void> {
    for (const { name } of siblingsAmong(services)) {
      const container = this.docker.getContainer(containerOf(owner, name));
      await commitOfRun(this.docker, container, frameOf(owner, name, frame));
    }
  }

  async back(owner: Owner, services: readonly ServiceSpec[], frame: number, above: readonly number[]): Promise<void> {
    const { docker } = this;
    const standing = siblingsAmong(services);
    const filters = { label: [`${LABEL.run}=${owner.firstRunId}`, MADE_FROM] };
    for (const { Id } of await docker.listContainers({ all: true, filters })) await removeContainer(docker, Id);
    for (const spec of standing) {
      const { image } = frameOf(owner, spec.name, frame);
      await this.places(owner, spec, async () => {
        const made = await this.create(owner, spec, image).catch((error: unknown) => {
          if (statusOf(error) === 404) throw frameLost(image);
          throw error;
        });
        await made.start();
      });
      for (const index of above) await removeImage(docker, frameOf(owner, spec.name, index).image);
    }
  }

  async asAt(
    request: ServicesRequest,
    { index, services }: Pick<Frame, 'index' | 'services'>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { owner } = request;
    if (siblingsAmong(request.services).length === 0) return undefined;
    const known = request.services.filter(({ name }) => services.includes(name));
    await this.back(owner, known, index, []);
    await this.startSiblings(request, signal);
    return runNetwork(owner);
  }

  /** Removes one sibling. What is gone counts as removed. */
  async remove(owner: Owner, name: string): Promise<void> {
    await removeContainer(this.docker, containerOf(owner, name));
  }

  /** Removes the run's network, whatever still hangs on it. What is gone counts as removed. */
  async removeNetwork(owner: Owner): Promise<void> {
    const network = this.docker.getNetwork(runNetwork(owner));
    const known = await network.inspect().catch((error: unknown) => {
      if (statusOf(error) === 404) return undefined;
      throw error;
    });
    if (!known) return;
    for (const id of Object.keys(known.Containers ?? {}))
      await ignoreMissing(network.disconnect({ Container: id, Force: true }));
    await ignoreMissing(network.remove());
  }

  private async network(owner: Owner): Promise<void> {
    const { docker } = this;
    const name = runNetwork(owner);
    const existing = await docker.listNetworks({ filters: { name: [name] } });
    if (existing.some(({ Name }) => Name === name)) return;
    await docker.createNetwork({
      Name: name,
      Internal: true,
      CheckDuplicate: true,
      // The host would have an address on it, and with that all that listens there.
      Options: { 'com.docker.network.bridge.inhibit_ipv4': 'true' },
      Labels: { ...runLabels(owner), [LABEL.scope]: this.host.scope },
    });
  }

  private async up(request: ServicesRequest, spec: ServiceSpec, signal: AbortSignal): Promise<string | undefined> {
    const { docker } = this;
    const allowed = [...this.images, ...(request.images ?? [])];
    const named = spec.image && fullName(withoutDigest(spec.image));
    if (named && !allowed.some((image) => fullName(image) === named)) {
      return `${spec.image} is not among the images that this worker's configuration names (services.images): ${this.images.join(', ') || 'none'}. Say what it needs by packages and start`;
    }
    const name = containerOf(request.owner, spec.name);
    const running = await docker
      .getContainer(name)
      .inspect()
      .catch(() => undefined);
    if (!running?.State.Running || running.Config.Labels[MADE_FROM] !== digestOf(spec)) {
      await removeContainer(docker, name);
      const image = spec.image ? await this.withoutVolumes(spec.image) : await this.imageOf(request, spec);
      await this.places(request.owner, spec, async () => (await this.create(request.owner, spec, image)).start());
    }
    return this.ready(docker.getContainer(name), spec, signal);
  }

  private places<T>(owner: Owner, spec: ServiceSpec, make: () => Promise<T>): Promise<T> {
    return this.host.places.make(heldAs(containerOf(owner, spec.name), this.labelsOf(owner, spec)), make);
  }

  private labelsOf(owner: Owner, spec: ServiceSpec): Record<string, string> {
    return {
      ...runLabels(owner),
      [LABEL.scope]: this.host.scope,
      [LABEL.role]: `service-${spec.name}`,
      [LABEL.takes]: '1',
      [MADE_FROM]: digestOf(spec),
    };
  }

  private create(owner: Owner, spec: ServiceSpec, image: string): Promise<Docker.Container> {
    return this.docker.createContainer({
      name: containerOf(owner, spec.name),
      Image: image,
      Hostname: spec.name,
      ...(spec.start ? { Entrypoint: [], Cmd: ['bash', '-c', spec.start] } : {}),
      Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
      Labels: this.labelsOf(owner, spec),
      HostConfig: {
        Init: true,
        NetworkMode: runNetwork(owner),
        CapDrop: ['ALL'],
        CapAdd: CAPABILITIES,
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 512,
        Memory: MEMORY_BYTES,
        MemorySwap: MEMORY_BYTES,
      },
      NetworkingConfig: { EndpointsConfig: { [runNetwork(owner)]: { Aliases: [spec.name] } } },
    });
  }

  private async ready(
    container: Docker.Container,
    spec: ServiceSpec,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (let tries = 0; tries < 240; tries++) {
      signal.throwIfAborted();
      const { State } = await container.inspect();
      if (!State.Running) return `it ended with ${State.ExitCode}: ${(await logOf(container)).slice(-800)}`;
      if (await isReady(container, spec, signal)) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    return `it was not ready after 60 s: ${(await logOf(container)).slice(-800)}`;
  }

  /** The base image with the service's packages, made once a host. */
  private async imageOf({ owner, base, install }: ServicesRequest, spec: ServiceSpec): Promise<string> {
    const tag = digestOf({ base, packages: spec.packages });
    const image = `${REPOSITORY}:${tag}`;
    if (await this.host.images.fetch(image)) return image;
    const workshop = { owner, role: `make-${spec.name}`, image: base, workdir: '/', network: 'bridge' } as const;
    await this.host.workshop(workshop, async (made) => {
      const done = await made.exec({ command: install(spec) ?? 'true', env: made.env, timeoutMs: 900_000 });
      if (done.exitCode !== 0) throw new Error(`packages of ${spec.name}: ${done.stderr.toString('utf8').slice(-500)}`);
      await made.exec({ command: 'rm -rf /var/lib/apt/lists/*', timeoutMs: 30_000 });
      await made.commit(image, { kept: true });
    });
    await this.host.images.share(image);
    return image;
  }

  /** The same image, its volumes plain folders: made once a host, and only where it declares any. */
  private async withoutVolumes(given: string): Promise<string> {
    await this.host.images.fetch(given);
    const { Id, Config } = await this.docker.getImage(given).inspect();
    if (Object.keys(Config.Volumes ?? {}).length === 0) return given;
    const tag = digestOf({ withoutVolumes: Id });
    const image = `${REPOSITORY}:${tag}`;
    if (!(await this.has(image))) await flatten(this.docker, given, { repo: REPOSITORY, tag });
    return image;
  }

  private async has(image: string): Promise<boolean> {
    return (await inspectImage(this.docker, image)) !== undefined;
  }
}

/** Names a port of this container. */
const listens = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port}`;

/**
 * Starts the services that run inside of this very container, one after the other, in their declared order. Gives the
 * first one that did not become ready, with what it printed.
 */
export async function startServices(
  container: Docker.Container,
  services: readonly ServiceSpec[],
  shell: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly prelude: string },
  signal?: AbortSignal,
): Promise<{ name: string; why: string } | null> {
  const own = services.filter(({ kind, start }) => kind === 'process' && start !== undefined);
  if (own.length === 0) return null;
  await runInGuest(container, { command: guestProgram('forget-pids.sh'), timeoutMs: 30_000 });
  for (const service of own) {
    const { name, start = 'true', health, port } = service;
    const ready = health ?? (port === undefined ? 'sleep 0.5' : listens(port));
    const done = await runInGuest(container, {
      command: `exec 2>&1\n${shell.prelude}${guestProgram('start-service.sh')}`,
      args: [start, ready, String(READY_SECONDS)],
      cwd: shell.cwd,
      env: { ...shell.env, ...service.env },
      timeoutMs: (READY_SECONDS + 30) * 1000,
      signal,
    });
    if (done.exitCode !== 0) return { name, why: done.stdout.toString('utf8').trim() || 'it gave no reason' };
  }
  return null;
}

/** Bookkeeping of the shell that reads the state back. */
function withoutShellWords(env: Record<string, string>): Record<string, string> {
  const { PWD: _pwd, OLDPWD: _old, SHLVL: _level, POINTSMAN_JOB: _job, ...rest } = env;
  return rest;
}

/** What a result records of an image that somebody named without. */
const withoutDigest = (image: string) => image.replace(/@.*$/s, '');

/** As an engine reads it: `redis` is `redis:latest`. */
function fullName(image: string): string {
  return /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
}

/** The run's own network, which leads nowhere else: siblings and whoever asks them meet there. */
function runNetwork(owner: Owner): string {
  return runName(owner, 'net');
}

/** Whether a service answers, seen from its own container. */
async function isReady(container: Docker.Container, spec: ServiceSpec, signal: AbortSignal): Promise<boolean> {
  const command = spec.health ?? `exec 3<>/dev/tcp/127.0.0.1/${spec.port}`;
  return (await runInGuest(container, { command, timeoutMs: 10_000, signal })).exitCode === 0;
}

function siblingsAmong(services: readonly ServiceSpec[]): ServiceSpec[] {
  return services.filter(({ kind }) => kind === 'container');
}

function containerOf(owner: Owner, name: string): string {
  return runName(owner, `service-${name}`);
}

function frameOf(owner: Owner, name: string, frame: number): { repo: string; tag: string; image: string } {
  const repo = runName(owner, `service-${name.toLowerCase()}-frame`);
  return { repo, tag: String(frame), image: `${repo}:${frame}` };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 24);
}

async function logOf(container: Docker.Container): Promise<string> {
  const log = await ignoreMissing(container.logs({ stdout: true, stderr: true, tail: 40 }) as Promise<unknown>);
  return Buffer.isBuffer(log) ? log.toString('utf8').replace(/[^\t\n\x20-\x7e]/g, '') : '';
}
