import type Docker from 'dockerode';
import { PointsmanError } from '../contract/errors';
import type { SandboxProfile } from '../contract/sandbox';
import { ensureContainer, removeContainer } from './container';
import { ignoreMissing, statusOf } from './engine';
import { removeImage } from './frames';
import { Journal } from './journal';
import { LABEL, type Owner, runLabels, runName } from './labels';

export interface SandboxSpec {
  readonly owner: Owner;
  /** One run may have several: `main` for the agent, `grade` for the judge. */
  readonly role: string;
  readonly image: string;
  readonly workdir: string;
  readonly profile: SandboxProfile;
}

/**
 * The sandboxes of this host. Streams into containers are kept open between activities, because opening one costs as
 * much as ten commands; they are a cache, and losing them loses nothing.
 */
export class SandboxHost {
  private readonly journals = new Map<string, Promise<Journal>>();
  private closed = false;

  constructor(
    readonly docker: Docker,
    /** The server and namespace that own the runs (`CLUSTER/NAMESPACE`). */
    readonly scope: string,
  ) {}

  nameOf(owner: Owner, role: string): string {
    return runName(owner, role);
  }

  specOf(spec: Omit<SandboxSpec, 'image'>) {
    return {
      name: runName(spec.owner, spec.role),
      workdir: spec.workdir,
      labels: { ...runLabels(spec.owner), [LABEL.scope]: this.scope, [LABEL.role]: spec.role },
      profile: spec.profile,
    };
  }

  /** Idempotent: gives the run's running container, makes or starts it where needed. */
  async ensure(spec: SandboxSpec): Promise<Docker.Container> {
    return ensureContainer(this.docker, { ...this.specOf(spec), image: spec.image });
  }

  /**
   * Runs `use` on the container's journal. A stream that broke is opened once more, which is safe because journal jobs
   * are named: what ran is not run again. Throws `SandboxLost` when the container is gone.
   */
  async journal<T>(container: string, use: (journal: Journal) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const journal = await this.open(container);
      try {
        return await use(journal);
      } catch (error) {
        if (!journal.closed || this.closed || attempt > 1) throw error;
        await this.assertRunning(container);
      }
    }
  }

  /** Refuses another run's sandbox when this host has as many as it may; the claim is tried again, here or elsewhere. */
  async assertRoom(owner: Owner, most: number): Promise<void> {
    const filters = { label: [`${LABEL.lease}=run`, `${LABEL.role}=main`, `${LABEL.scope}=${this.scope}`] };
    const running = await this.docker.listContainers({ filters });
    // By run: right after a rollback there are two of one.
    const others = new Set(running.map(({ Labels }) => Labels[LABEL.run]));
    others.delete(owner.firstRunId);
    if (others.size < most) return;
    throw new PointsmanError(
      'Unavailable',
      `this host runs ${others.size} sandboxes of at most ${most}`,
      'It is tried again.',
    );
  }

  /** Bytes that the container has written over its image. */
  async written(container: string): Promise<number> {
    const { SizeRw } = (await this.docker.getContainer(container).inspect({ size: true } as object)) as {
      SizeRw?: number;
    };
    return SizeRw ?? 0;
  }

  /** Kills the job's process tree, whatever stream started it. */
  async kill(container: string, job: string): Promise<void> {
    await Journal.kill(this.docker.getContainer(container), job, 'cancelled').catch((error: unknown) => {
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
    });
  }

  async remove(owner: Owner, role: string): Promise<void> {
    const name = runName(owner, role);
    this.forget(name);
    await removeContainer(this.docker, name);
  }

  /** Removes all that carries the run's label: containers, then networks, then images from the newest. */
  async removeAll(
    firstRunId: string,
  ): Promise<{ containers: number; networks: number; images: number; volumes: number }> {
    const filters = { label: [`${LABEL.run}=${firstRunId}`, `${LABEL.lease}=run`] };
    const containers = await this.docker.listContainers({ all: true, filters });
    for (const { Id, Names } of containers) {
      this.forget(Names[0]?.slice(1) ?? Id);
      await removeContainer(this.docker, Id);
    }
    const networks = await this.docker.listNetworks({ filters });
    for (const { Id } of networks) await ignoreMissing(this.docker.getNetwork(Id).remove());
    const { Volumes: volumes = [] } = await this.docker.listVolumes({ filters });
    for (const { Name } of volumes) await ignoreMissing(this.docker.getVolume(Name).remove());
    const images = await this.removeImages(filters);
    return { containers: containers.length, networks: networks.length, volumes: volumes.length, images };
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

  forget(container: string): void {
    const journal = this.journals.get(container);
    this.journals.delete(container);
    journal?.then(
      (open) => open.close(),
      () => {},
    );
  }

  /** For good: a stream that was opened anew would keep the process from ending. What runs in sandboxes runs on. */
  close(): void {
    this.closed = true;
    for (const container of [...this.journals.keys()]) this.forget(container);
  }

  /** The one stream into a container, shared by all who ask. */
  private async open(container: string): Promise<Journal> {
    for (let known = this.journals.get(container); known; known = this.journals.get(container)) {
      const journal = await known.catch(() => undefined);
      if (journal && !journal.closed) return journal;
      if (this.journals.get(container) === known) this.journals.delete(container);
    }
    if (this.closed) throw new PointsmanError('Unavailable', 'this worker is ending', 'Another one goes on.');
    const opening = Journal.open(this.docker.getContainer(container));
    this.journals.set(container, opening);
    return opening;
  }

  private async assertRunning(container: string): Promise<void> {
    const state = await this.docker
      .getContainer(container)
      .inspect()
      .catch(() => undefined);
    if (!state?.State.Running) throw new PointsmanError('SandboxLost', `the container ${container} is gone or stopped`);
  }
}

/** Frame numbers are tags: the top of the stack first, because a parent cannot go before its child. */
function byFrame(a: string, b: string): number {
  return Number(b.split(':').at(-1)) - Number(a.split(':').at(-1));
}
