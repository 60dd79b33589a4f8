import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import { type Frame, SandboxProfile } from '../../contract/sandbox';
import { LABEL, type Owner, runLabels, runName } from '../labels';
import { Places, placesOf } from '../places';
import type {
  Allowed,
  ConfinedSpec,
  Images,
  Removed,
  Sandboxes,
  SandboxSpec,
  Services,
  ThrowawayCommand,
  ThrowawayOutcome,
  ThrowawaySpec,
  Workshop,
  WorkshopSpec,
} from '../sandbox';
import { type ContainerSpec, confined, ensureContainer, NO_NETWORK, removeContainer } from './container';
import { ignoreMissing, statusOf } from './engine';
import { dropFrames, restore } from './frames';
import { assertRoom, heldAs, heldOn, MAIN, obstacleOn } from './held';
import { DockerImages, IMAGES, inspectImage, removeImage } from './images';
import { JournalStreams } from './journal';
import { makeRoom } from './make-room';
import { runOnce } from './once';
import { Reach } from './reach';
import { DockerSandbox } from './sandbox';
import { DockerServices } from './services';
import { runInThrowaway } from './throwaway';

/** Limits of what we run ourselves. */
const ROOM = SandboxProfile.parse({ memoryMiB: 4096, pids: 1024 });
/** Proves what journals say where no other process follows a command that was begun here. */
const OF_THIS_PROCESS = randomBytes(32);

/** Sandboxes as containers of the Docker Engine that DOCKER_HOST names, or the local socket. */
export class DockerSandboxes implements Sandboxes {
  readonly images: Images;
  readonly services: Services;
  readonly places: Places;
  private readonly freeDiskGiB: number;
  private readonly streams: JournalStreams;
  private readonly reach: Reach;

  constructor(
    readonly scope: string,
    secret: Buffer = OF_THIS_PROCESS,
    allowed: Allowed = {},
    private readonly docker: Docker = new Docker(),
  ) {
    this.freeDiskGiB = allowed.freeDiskGiB ?? 0;
    this.reach = new Reach(docker, allowed.reach);
    this.images = new DockerImages(docker, this.reach, scope, allowed.registry);
    this.streams = new JournalStreams(docker, secret);
    const { places = Number.POSITIVE_INFINITY } = allowed;
    this.places = new Places(
      places,
      () => heldOn(docker, scope),
      () => obstacleOn(docker, this.freeDiskGiB),
    );
    this.services = new DockerServices(docker, this, this.reach, allowed.images);
  }

  async claim(spec: SandboxSpec): Promise<DockerSandbox> {
    const container = { ...this.specOf(spec), image: spec.image };
    await this.places.make(heldAs(container.name, container.labels), () =>
      ensureContainer(this.docker, container, this.reach),
    );
    return this.at(container.name);
  }

  at(name: string): DockerSandbox {
    return new DockerSandbox(this.docker, this.streams, name);
  }

  async restore(spec: Omit<SandboxSpec, 'image'>, frame: Frame) {
    // What the sandbox kept is on its frames.
    const kept = (await inspectImage(this.docker, frame.image))?.Config.Labels?.[LABEL.keeps];
    const container = this.specOf(spec);
    if (kept) container.labels[LABEL.keeps] = kept;
    this.streams.forget(container.name);
    const { removed } = await this.places.make(heldAs(container.name, container.labels), () =>
      restore(this.docker, container, frame, this.reach),
    );
    return { sandbox: this.at(container.name), removed };
  }

  dropFrames(owner: Owner, indexes: readonly number[]): Promise<void> {
    return dropFrames(this.docker, owner, indexes);
  }

  async workshop<T>(spec: WorkshopSpec, use: (workshop: Workshop) => Promise<T>): Promise<T> {
    await this.remove(spec.owner, spec.role);
    const profile = { ...(spec.profile ?? ROOM), network: spec.network, hostCertificates: false };
    try {
      const made = await this.claim({ ...spec, profile });
      if (spec.network === 'bridge') made.env = await made.lendAccess();
      return await use(made);
    } finally {
      await this.remove(spec.owner, spec.role);
    }
  }

  throwaway(spec: ThrowawaySpec, command: ThrowawayCommand): Promise<ThrowawayOutcome> {
    const labels = this.labelsOf(spec);
    return this.places.make(heldAs(runName(spec.owner, spec.role), labels), () =>
      runInThrowaway(this.docker, labels, spec, command).finally(() => assertRoom(this.docker)),
    );
  }

  confined(spec: ConfinedSpec): Promise<DockerSandbox> {
    const name = runName(spec.owner, spec.role);
    return this.places.make(heldAs(name, this.labelsOf(spec)), () => this.startConfined(name, spec));
  }

  private async startConfined(name: string, spec: ConfinedSpec): Promise<DockerSandbox> {
    const { image, profile } = spec;
    await removeContainer(this.docker, name);
    const create = this.docker.createContainer({
      name,
      Image: image,
      Hostname: 'sandbox',
      ...NO_NETWORK,
      User: '0:0',
      Entrypoint: [],
      Cmd: ['bash', '-c', 'while :; do sleep 3600 & wait; done'],
      WorkingDir: '/',
      Env: Object.entries(profile.env).map(([name, value]) => `${name}=${value}`),
      Labels: this.labelsOf(spec),
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
      await removeContainer(this.docker, name);
      throw error;
    });
    return this.at(name);
  }

  remove(owner: Owner, role: string): Promise<void> {
    return this.at(runName(owner, role)).remove();
  }

  async removeAll(firstRunId: string, { untold = false } = {}): Promise<Removed> {
    const filters = { label: [`${LABEL.run}=${firstRunId}`, `${LABEL.lease}=run`] };
    const containers = await this.docker.listContainers({ all: true, filters });
    for (const { Id, Names } of containers) {
      this.streams.forget(Names[0]?.slice(1) ?? Id);
      await removeContainer(this.docker, Id);
    }
    const networks = await this.docker.listNetworks({ filters });
    for (const { Id } of networks) await ignoreMissing(this.docker.getNetwork(Id).remove());
    const { Volumes } = await this.docker.listVolumes({ filters });
    const volumes = Volumes ?? [];
    const told = volumes.some(({ Labels }) => Labels?.[LABEL.role] === IMAGES);
    const images = told || untold ? await this.removeImages(filters) : 0;
    for (const { Name } of volumes) await ignoreMissing(this.docker.getVolume(Name).remove());
    return {
      containers: containers.length,
      networks: networks.length,
      volumes: volumes.length - (told ? 1 : 0),
      images,
    };
  }

  makeRoom(canBeHad: (names: readonly string[]) => Promise<boolean>): Promise<string[]> {
    return makeRoom(this.docker, this.freeDiskGiB, canBeHad);
  }

  async leftovers(olderThanSeconds: number): Promise<Map<string, string>> {
    const filters = { label: [`${LABEL.lease}=run`, `${LABEL.scope}=${this.scope}`] };
    const before = Date.now() / 1000 - olderThanSeconds;
    const [containers, images, networks, { Volumes }] = await Promise.all([
      this.docker.listContainers({ all: true, filters }),
      this.docker.listImages({ filters }),
      this.docker.listNetworks({ filters }),
      this.docker.listVolumes({ filters }),
    ]);
    const volumes = (Volumes ?? []) as (Docker.VolumeInspectInfo & { CreatedAt: string })[];
    const found = [
      ...containers.map((each) => ({ labels: each.Labels, created: each.Created })),
      ...images.map((each) => ({ labels: each.Labels, created: each.Created })),
      ...networks.map((each) => ({ labels: each.Labels, created: Date.parse(each.Created) / 1000 })),
      ...volumes.map((each) => ({ labels: each.Labels, created: Date.parse(each.CreatedAt) / 1000 })),
    ];
    const young = new Set(found.filter(({ created }) => created > before).map(({ labels }) => labels?.[LABEL.run]));
    const runs = new Map<string, string>();
    for (const { labels } of found) {
      const run = labels?.[LABEL.run];
      if (run && !young.has(run)) runs.set(run, labels[LABEL.workflow] ?? '');
    }
    return runs;
  }

  async running(): Promise<Map<string, string>> {
    const filters = { label: [`${LABEL.lease}=run`, `${LABEL.role}=main`, `${LABEL.scope}=${this.scope}`] };
    const running = await this.docker.listContainers({ filters });
    // By run: right after a rollback there are two of one.
    return new Map(running.map(({ Labels }) => [Labels[LABEL.run] ?? '', Labels[LABEL.workflow] ?? '']));
  }

  async version(withinMs: number): Promise<string> {
    // `info` is slow on a busy engine, and a socket that nobody serves would hang: ping has its own limit.
    await Promise.race([
      this.docker.ping(),
      sleep(withinMs, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
    ]);
    const info = await this.docker.info();
    return `${info.ServerVersion} (${info.Driver})`;
  }

  async tryOut(image: string, command: string): Promise<string> {
    return runOnce(this.docker, {
      image,
      command: ['bash', '-c', command],
      labels: { [LABEL.managed]: '1', [LABEL.lease]: 'doctor' },
      host: { NetworkMode: 'none', Init: true },
    });
  }

  close(): void {
    this.streams.close();
  }

  private specOf(spec: Omit<SandboxSpec, 'image'>): Omit<ContainerSpec, 'image'> {
    const { owner, role, workdir, profile } = spec;
    return { name: runName(owner, role), workdir, labels: this.labelsOf(spec), profile };
  }

  private labelsOf({
    owner,
    role,
    profile,
    beside = 0,
  }: Omit<SandboxSpec, 'image' | 'workdir'>): Record<string, string> {
    const takes = placesOf(profile);
    return {
      ...runLabels(owner),
      [LABEL.scope]: this.scope,
      [LABEL.role]: role,
      // Said each time: a container has the labels of its image as well, where it says nothing itself.
      [LABEL.takes]: String(takes),
      [LABEL.keeps]: String(role === MAIN ? takes + beside : 0),
    };
  }

  /**
   * Children before parents: what still has a child loses its name at first, and goes in a later round. A parent without a
   * name is listed once it has no child any more, so rounds go on as long as anything changes.
   */
  private async removeImages(filters: { label: string[] }): Promise<number> {
    const named = (image: Docker.ImageInfo) => (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>');
    const gone = new Set<string>();
    for (let before = ''; ; ) {
      const images = await this.docker.listImages({ filters });
      const now = images.map((image) => `${image.Id} ${named(image)}`).join('\n');
      if (now === before) return gone.size - images.length;
      before = now;
      const dangling = images.filter((image) => named(image).length === 0).map((image) => image.Id);
      for (const image of [...images.flatMap(named).sort(byFrame), ...dangling]) await removeImage(this.docker, image);
      for (const { Id } of images) gone.add(Id);
    }
  }
}

/** Frame numbers are tags: the top of the stack first, because a parent cannot go before its child. */
function byFrame(a: string, b: string): number {
  return Number(b.split(':').at(-1)) - Number(a.split(':').at(-1));
}
