import { randomUUID } from 'node:crypto';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { isPointsmanError } from '../../contract/errors';
import { BASE_IMAGE, SandboxProfile } from '../../contract/sandbox';
import { BUNDLE_FILE, BUNDLE_INSIDE, hostAccess } from '../host-access';
import { LABEL, runLabels, runName } from '../labels';
import type { CommitOptions, ImageFacts, Images, Report } from '../sandbox';
import { variablesOf } from '../shell-state';
import { ensureContainer, removeContainer } from './container';
import { ignoreMissing, statusOf } from './engine';
import type { Reach } from './reach';
import { credentialsFor, registryFailure } from './registry';

/** Images that we make: names of this host, which a registry has below its own. */
const OURS = /^pointsman[/-]/;

/** The images of one engine. */
export class DockerImages implements Images {
  constructor(
    private readonly docker: Docker,
    private readonly reach: Reach,
    private readonly scope: string,
    /** Repositories of ours are below it. */
    private readonly registry?: string,
  ) {}

  async find(image: string): Promise<ImageFacts | undefined> {
    const found = await inspectImage(this.docker, image);
    return found && { id: found.Id, bytes: found.Size, env: variablesOf(found.Config?.Env ?? []) };
  }

  async label(image: string, name: string): Promise<unknown> {
    const found = await inspectImage(this.docker, image);
    if (!found) return undefined;
    const text = found.Config?.Labels?.[name];
    return text ? JSON.parse(Buffer.from(text, 'base64').toString('utf8')) : null;
  }

  async pull(image: string, { signal, report }: { signal?: AbortSignal; report?: Report } = {}): Promise<void> {
    const authconfig = await credentialsFor(image);
    try {
      const stream = await this.docker.pull(image, { authconfig, ...(signal ? { abortSignal: signal } : {}) });
      await followBuild(this.docker, stream, report);
    } catch (error) {
      throw registryFailure('pulled', image, error);
    }
  }

  async fetch(image: string): Promise<boolean> {
    if (await this.find(image)) return true;
    if (!OURS.test(image)) {
      await this.pull(image);
      return true;
    }
    if (!this.registry) return false;
    try {
      await this.pull(this.named(image));
    } catch (error) {
      if (isPointsmanError(error) && error.code === 'NotFound') return false;
      throw error;
    }
    await this.tag(this.named(image), image);
    return true;
  }

  async share(image: string): Promise<string> {
    if (!this.registry || !OURS.test(image)) return image;
    const name = this.named(image);
    await this.tag(image, name);
    try {
      const { repo, tag } = splitName(name);
      const stream = await this.docker.getImage(repo).push({ tag, authconfig: await credentialsFor(name) });
      await followBuild(this.docker, stream);
    } catch (error) {
      throw registryFailure('pushed', name, error);
    }
    const { repo } = splitName(name);
    const { RepoDigests = [] } = await this.docker.getImage(name).inspect();
    return RepoDigests.find((digest) => digest.startsWith(`${repo}@`)) ?? name;
  }

  async offer(image: string): Promise<void> {
    if (!this.registry) return;
    const name = this.named(image);
    try {
      await this.docker.getImage(name).distribution({ authconfig: await credentialsFor(name) });
    } catch (error) {
      // What is not there is refused like what is not for us, at some registries: a push says which it is.
      const failure = registryFailure('looked for', name, error);
      if (failure.code === 'Unavailable') throw failure;
      await this.share(image);
    }
  }

  async pinned(image: string): Promise<string> {
    if (image.includes('@')) return image;
    const digests = (await inspectImage(this.docker, image))?.RepoDigests ?? [];
    const found = digests.find((each) => each.startsWith(`${familiar(splitName(image).repo)}@`));
    return found ? `${image}${found.slice(found.indexOf('@'))}` : image;
  }

  async save(image: string): Promise<{ id: string; archive: NodeJS.ReadableStream }> {
    const { Id } = await this.docker.getImage(image).inspect();
    // By its id: the archive holds no name, and is the same wherever it is made.
    return { id: Id, archive: await this.docker.getImage(Id).get() };
  }

  async loadSaved(archive: NodeJS.ReadableStream, id: string, image: string): Promise<void> {
    const stream = await this.docker.loadImage(archive);
    await followBuild(this.docker, stream);
    await this.tag(id, image);
  }

  /** Where the registry has an image of ours. */
  private named(image: string): string {
    return `${this.registry}/${image.replace(OURS, '')}`;
  }

  async tag(image: string, as: string): Promise<void> {
    await this.docker.getImage(image).tag(splitName(as));
  }

  remove(image: string): Promise<void> {
    return removeImage(this.docker, image);
  }

  async build(folder: string, image: string, report: Report): Promise<void> {
    const { env, bundle } = hostAccess();
    const lent = Object.entries(env).map(([name, value]) => [name, value === bundle?.inside ? BUNDLE_INSIDE : value]);
    const copied = join(folder, BUNDLE_FILE);
    if (bundle) copyFileSync(bundle.file, copied);
    // What it runs is anybody's, so its steps run in the network of a container whose reach is limited.
    const owner = { workflowId: `build/${image}`, firstRunId: randomUUID() };
    const network = {
      name: runName(owner, 'network'),
      image: BASE_IMAGE,
      workdir: '/',
      labels: { ...runLabels(owner), [LABEL.scope]: this.scope },
      profile: SandboxProfile.parse({ network: 'bridge', hostCertificates: false, memoryMiB: 64, pids: 16 }),
    };
    try {
      await ensureContainer(this.docker, network, this.reach);
      const context = { context: folder, src: ['.'] };
      // Layers that an earlier build left would hide what registries give today.
      const options = {
        t: image,
        buildargs: Object.fromEntries(lent),
        forcerm: true,
        nocache: true,
        networkmode: `container:${network.name}`,
      };
      await followBuild(this.docker, await this.docker.buildImage(context, options), report);
    } finally {
      await removeContainer(this.docker, network.name);
      if (bundle) rmSync(copied, { force: true });
    }
  }

  async buildText(dockerfile: string, image: string, report: Report): Promise<void> {
    const context = pack();
    context.entry({ name: 'Dockerfile' }, dockerfile);
    context.finalize();
    // Proxy variables as build arguments reach the build and stay out of the image.
    const options = { t: image, buildargs: hostAccess().env, forcerm: true };
    await followBuild(this.docker, await this.docker.buildImage(Readable.from(context), options), report);
  }

  async load(rootfs: Readable, image: string, instructions: readonly string[]): Promise<void> {
    const { repo, tag } = splitName(image);
    await followBuild(this.docker, await this.docker.importImage(rootfs, { repo, tag, changes: [...instructions] }));
  }
}

/** Waits for an engine's progress stream and fails with the error that it carries: the HTTP status came too early to know. */
async function followBuild(docker: Docker, stream: NodeJS.ReadableStream, report?: Report): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(
      stream,
      (error: Error | null) => (error ? reject(error) : resolve()),
      (event: { stream?: string; error?: string }) => {
        if (event.error) reject(new Error(event.error));
        const line = event.stream?.trim();
        if (line?.startsWith('Step')) report?.(line);
      },
    );
  });
}

/** As engines list a repository: Docker Hub's without its host. */
const familiar = (repository: string) => repository.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, '');

export function splitName(image: string): { repo: string; tag: string } {
  const at = image.lastIndexOf(':');
  return at > image.lastIndexOf('/')
    ? { repo: image.slice(0, at), tag: image.slice(at + 1) }
    : { repo: image, tag: 'latest' };
}

/** What a commit changes, as Dockerfile instructions. Values of labels become base64, which no engine quotes. */
export function changesOf({ labels = {}, instructions = [], kept }: CommitOptions): string {
  const nobody: Record<string, string> = kept
    ? { [LABEL.lease]: 'environment', [LABEL.run]: '', [LABEL.workflow]: '', [LABEL.scope]: '' }
    : {};
  const given = Object.entries(labels).map(([name, value]) => [
    name,
    Buffer.from(JSON.stringify(value)).toString('base64'),
  ]);
  const all = [...Object.entries(nobody), ...given].map(([name, value]) => `LABEL ${name}=${JSON.stringify(value)}`);
  return [...all, ...instructions].join('\n');
}

/** Role of the volume that tells of a run's images. */
export const IMAGES = 'images';

/**
 * Commits a container of a run as an image that is the run's too: its labels come along. A volume of the run says first that it
 * has images: an engine that is asked for those of one label reads every image that it has (0.6 ms each, measured with 700).
 */
export async function commitOfRun(
  docker: Docker,
  container: Docker.Container,
  { repo, tag }: { repo: string; tag: string },
  changes?: string,
): Promise<void> {
  const { Labels } = (await container.inspect()).Config;
  const owner = { workflowId: Labels[LABEL.workflow] ?? '', firstRunId: Labels[LABEL.run] ?? '' };
  await docker.createVolume({ Name: runName(owner, IMAGES), Labels: { ...Labels, [LABEL.role]: IMAGES } });
  const options: { repo: string; tag: string; pause: true; changes?: string } = { repo, tag, pause: true };
  // The engine refuses changes that are none.
  if (changes) options.changes = changes;
  await container.commit(options);
}

export async function inspectImage(docker: Docker, image: string): Promise<Docker.ImageInspectInfo | undefined> {
  return docker
    .getImage(image)
    .inspect()
    .catch((error: unknown) => {
      if (statusOf(error) === 404) return undefined;
      throw error;
    });
}

/**
 * `noprune`, because removing the top of a chain would take its untagged parents along. A parent whose children are
 * still there (409) goes with them later.
 */
export async function removeImage(docker: Docker, image: string): Promise<void> {
  await ignoreMissing(docker.getImage(image).remove({ force: true, noprune: true } as object)).catch(
    (error: unknown) => {
      if (statusOf(error) !== 409) throw error;
    },
  );
}

/**
 * One layer instead of many: export and import, with the metadata that an export loses given back, all but volumes. Gives
 * the new image's id.
 */
export async function flatten(docker: Docker, image: string, to: { repo: string; tag: string }): Promise<string> {
  const before = await docker.getImage(image).inspect();
  const { Labels, Env, WorkingDir, User, Cmd, Entrypoint } = before.Config;
  const scratch = await docker.createContainer({ Image: image, Cmd: ['true'], Labels });
  try {
    const changes = [
      ...(Env ?? []).map((entry) => `ENV ${quoteEnv(entry)}`),
      ...Object.entries(Labels ?? {}).map(([name, value]) => `LABEL ${name}=${JSON.stringify(value)}`),
      `WORKDIR ${WorkingDir || '/'}`,
      ...(User ? [`USER ${User}`] : []),
      ...(Entrypoint ? [`ENTRYPOINT ${JSON.stringify(Entrypoint)}`] : []),
      ...(Cmd || !Entrypoint ? [`CMD ${JSON.stringify(Cmd ?? ['sleep', 'infinity'])}`] : []),
    ];
    const archive = await scratch.export();
    const stream = await docker.importImage(archive, { ...to, changes } as object);
    await new Promise((resolve, reject) =>
      docker.modem.followProgress(stream, (error: Error | null, output: unknown) =>
        error ? reject(error) : resolve(output),
      ),
    );
  } finally {
    await ignoreMissing(scratch.remove({ force: true, v: true }));
  }
  return (await docker.getImage(`${to.repo}:${to.tag}`).inspect()).Id;
}

/** The engine would expand a bare `$`. */
function quoteEnv(entry: string): string {
  const at = entry.indexOf('=');
  return `${entry.slice(0, at)}="${entry.slice(at + 1).replace(/[\\"$]/g, '\\$&')}"`;
}
