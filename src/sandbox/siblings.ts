import { createHash } from 'node:crypto';
import type Docker from 'dockerode';
import type { Frame } from '../contract/sandbox';
import type { ServiceSpec } from '../contract/setup';
import { CAPABILITIES, removeContainer } from './container';
import { frameLost, ignoreMissing, statusOf } from './engine';
import { flatten, removeImage } from './frames';
import { runInGuest } from './guest-exec';
import type { SandboxHost } from './host';
import { LABEL, type Owner, runLabels, runName } from './labels';
import { openWorkshop } from './workshop';

export interface SiblingsRequest {
  readonly owner: Owner;
  /** Complete: with start, health or port, and packages or image. */
  readonly services: readonly ServiceSpec[];
  /** Image that a sibling without one of its own is made of. */
  readonly base: string;
  /** Shell text that installs a service's packages. */
  install(spec: ServiceSpec): string | undefined;
}

export interface NotStarted {
  readonly name: string;
  readonly why: string;
}

const REPOSITORY = 'pointsman/service';
const MEMORY_BYTES = 2 * 1024 ** 3;
/** Digest of the spec that a sibling was made from. */
const MADE_FROM = 'pointsman.service';

/** The run's own network, which leads nowhere else: siblings and whoever asks them meet there. */
export function runNetwork(owner: Owner): string {
  return runName(owner, 'net');
}

/**
 * Services of a run as containers of their own, on its network. Their data are part of every frame: each sibling is
 * committed with the sandbox and put back with it. They are made without volumes, which no commit holds.
 */
export class Siblings {
  constructor(private readonly host: SandboxHost) {}

  /** Starts what is not up. Idempotent. Names the first that did not come up. */
  async start(
    request: SiblingsRequest,
    signal: AbortSignal,
  ): Promise<{ started: string[]; failed: NotStarted | null }> {
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

  async connect(owner: Owner, container: string): Promise<void> {
    const network = this.host.docker.getNetwork(runNetwork(owner));
    await network.connect({ Container: container, EndpointConfig: { Aliases: [] } }).catch((error: unknown) => {
      // It is connected already, which the engine calls forbidden.
      if (statusOf(error) !== 403 && !/already exists/.test(String(error))) throw error;
    });
  }

  /** Keeps what each sibling holds now, as a part of that frame. Repeating it is safe as long as nothing runs between. */
  async keep(owner: Owner, services: readonly ServiceSpec[], frame: number): Promise<void> {
    for (const { name } of siblingsAmong(services)) {
      const container = this.host.docker.getContainer(containerOf(owner, name));
      const { repo, tag } = frameOf(owner, name, frame);
      await container.commit({ repo, tag, pause: true });
    }
  }

  /**
   * Puts the siblings back to what they held at a frame; those that were started after it go, and so do the frames above.
   * Repeating it is safe: each begins anew from its frame.
   */
  async back(owner: Owner, services: readonly ServiceSpec[], frame: number, above: readonly number[]): Promise<void> {
    const { docker } = this.host;
    const standing = siblingsAmong(services);
    const filters = { label: [`${LABEL.run}=${owner.firstRunId}`, MADE_FROM] };
    for (const { Id } of await docker.listContainers({ all: true, filters })) await removeContainer(docker, Id);
    for (const spec of standing) {
      const { image } = frameOf(owner, spec.name, frame);
      const made = await this.create(owner, spec, image).catch((error: unknown) => {
        if (statusOf(error) === 404) throw frameLost(image);
        throw error;
      });
      await made.start();
      for (const index of above) await removeImage(docker, frameOf(owner, spec.name, index).image);
    }
  }

  /**
   * Siblings with what they held at a frame, whatever was written since; those that it does not know begin anew. Gives the
   * network where they are met, or undefined where there are none. One that does not come up is for those who ask it to miss.
   */
  async asAt(
    request: SiblingsRequest,
    { index, services }: Pick<Frame, 'index' | 'services'>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { owner } = request;
    if (siblingsAmong(request.services).length === 0) return undefined;
    const known = request.services.filter(({ name }) => services.includes(name));
    await this.back(owner, known, index, []);
    await this.start(request, signal);
    return runNetwork(owner);
  }

  /** Removes one sibling. What is gone counts as removed. */
  async remove(owner: Owner, name: string): Promise<void> {
    await removeContainer(this.host.docker, containerOf(owner, name));
  }

  /** Removes the run's network, whatever still hangs on it. What is gone counts as removed. */
  async removeNetwork(owner: Owner): Promise<void> {
    const network = this.host.docker.getNetwork(runNetwork(owner));
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
    const { docker } = this.host;
    const name = runNetwork(owner);
    const existing = await docker.listNetworks({ filters: { name: [name] } });
    if (existing.some(({ Name }) => Name === name)) return;
    await docker.createNetwork({
      Name: name,
      Internal: true,
      CheckDuplicate: true,
      Labels: { ...runLabels(owner), [LABEL.scope]: this.host.scope },
    });
  }

  private async up(request: SiblingsRequest, spec: ServiceSpec, signal: AbortSignal): Promise<string | undefined> {
    const { docker } = this.host;
    const name = containerOf(request.owner, spec.name);
    const running = await docker
      .getContainer(name)
      .inspect()
      .catch(() => undefined);
    if (!running?.State.Running || running.Config.Labels[MADE_FROM] !== digestOf(spec)) {
      await removeContainer(docker, name);
      const image = spec.image ? await this.withoutVolumes(spec.image) : await this.imageOf(request, spec);
      await (await this.create(request.owner, spec, image)).start();
    }
    return this.ready(docker.getContainer(name), spec, signal);
  }

  private create(owner: Owner, spec: ServiceSpec, image: string): Promise<Docker.Container> {
    return this.host.docker.createContainer({
      name: containerOf(owner, spec.name),
      Image: image,
      Hostname: spec.name,
      ...(spec.start ? { Entrypoint: [], Cmd: ['bash', '-c', spec.start] } : {}),
      Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
      Labels: {
        ...runLabels(owner),
        [LABEL.scope]: this.host.scope,
        [LABEL.role]: `service-${spec.name}`,
        [MADE_FROM]: digestOf(spec),
      },
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
  private async imageOf({ owner, base, install }: SiblingsRequest, spec: ServiceSpec): Promise<string> {
    const tag = digestOf({ base, packages: spec.packages });
    const image = `${REPOSITORY}:${tag}`;
    if (await this.has(image)) return image;
    await openWorkshop(
      { host: this.host },
      { owner, role: `make-${spec.name}`, image: base, workdir: '/', network: 'bridge' },
      async ({ container, env, bundle }) => {
        const done = await runInGuest(container, { command: install(spec) ?? 'true', env, timeoutMs: 900_000 });
        if (done.exitCode !== 0)
          throw new Error(`packages of ${spec.name}: ${done.stderr.toString('utf8').slice(-500)}`);
        await runInGuest(container, {
          command: `rm -rf /var/lib/apt/lists/* /opt/pointsman ${bundle ?? ''}`,
          timeoutMs: 30_000,
        });
        const labels = { [LABEL.lease]: 'environment', [LABEL.run]: '', [LABEL.workflow]: '', [LABEL.scope]: '' };
        const changes = Object.entries(labels).map(([key, value]) => `LABEL ${key}=${JSON.stringify(value)}`);
        await container.commit({ repo: REPOSITORY, tag, changes: changes.join('\n') });
      },
    );
    return image;
  }

  /** The same image, its volumes plain folders: made once a host, and only where it declares any. */
  private async withoutVolumes(given: string): Promise<string> {
    const { Id, Config } = await this.host.docker.getImage(given).inspect();
    if (Object.keys(Config.Volumes ?? {}).length === 0) return given;
    const tag = digestOf({ withoutVolumes: Id });
    const image = `${REPOSITORY}:${tag}`;
    if (!(await this.has(image))) await flatten(this.host.docker, given, { repo: REPOSITORY, tag });
    return image;
  }

  private has(image: string): Promise<boolean> {
    return this.host.docker
      .getImage(image)
      .inspect()
      .then(
        () => true,
        () => false,
      );
  }
}

/** Whether a service answers, seen from its own container. */
export async function isReady(container: Docker.Container, spec: ServiceSpec, signal: AbortSignal): Promise<boolean> {
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
