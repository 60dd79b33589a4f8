import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { isPointsmanError } from '../contract/errors';
import type { Frame, SandboxProfile } from '../contract/sandbox';
import { type ContainerSpec, ensureContainer, removeContainer, setAside } from './container';
import { EGRESS_NETWORK } from './egress';
import { frameLost, ignoreMissing, statusOf } from './engine';
import type { Journal } from './journal';
import { LABEL, type Owner, runName } from './labels';
import { parseExports } from './shell-state';
import { writeBackSoon } from './write-back';

/** overlay2 refuses a 126th layer; flattening earlier leaves room for the commits of one run. */
const LAYER_LIMIT = 110;

export interface FrameRequest {
  readonly owner: Owner;
  readonly index: number;
  readonly label: string;
  readonly services?: readonly string[];
  /** One layer instead of the whole chain: takes seconds, and makes the frames below independent of this one. */
  readonly squash?: boolean;
}

function tagOf(owner: Owner, index: number): { repo: string; tag: string; image: string } {
  const repo = runName(owner, 'frame');
  return { repo, tag: String(index), image: `${repo}:${index}` };
}

/**
 * Commits the container as the frame of that index. Retry-safe: a tag that the same position already has is taken as it
 * is, and a commit that the engine finished after its client died is found by that tag.
 */
export async function checkpoint(
  docker: Docker,
  container: Docker.Container,
  journal: Journal,
  request: FrameRequest,
): Promise<Frame> {
  const { owner, index, label } = request;
  const { repo, tag, image } = tagOf(owner, index);
  const began = performance.now();
  const [state, position, inspected] = await Promise.all([
    journal.state(),
    journal.position(),
    container.inspect({ size: true } as object),
  ]);
  const existing = await inspectImage(docker, image);
  const labels = { [LABEL.frame]: String(index), 'pointsman.position': position };
  if (existing?.Config?.Labels?.['pointsman.position'] !== position) {
    if (existing) await removeImage(docker, image);
    // Container labels are copied into the image, so the run's ownership comes along.
    await container.commit({
      repo,
      tag,
      pause: true,
      changes: Object.entries(labels)
        .map(([name, value]) => `LABEL ${name}=${JSON.stringify(value)}`)
        .join('\n'),
    });
    writeBackSoon(docker);
  }
  const committed = await docker.getImage(image).inspect();
  const layers = committed.RootFS.Layers?.length ?? 1;
  const imageId =
    layers > (request.squash ? 1 : LAYER_LIMIT) ? await flatten(docker, image, { repo, tag }) : committed.Id;
  return {
    index,
    label,
    image,
    imageId,
    cwd: state.cwd,
    env: parseExports(state.env),
    services: [...(request.services ?? [])],
    network: inspected.HostConfig.NetworkMode === EGRESS_NETWORK ? 'bridge' : 'none',
    position,
    mib: Math.round(((inspected as { SizeRw?: number }).SizeRw ?? 0) / 104857.6) / 10,
    seconds: Math.round(performance.now() - began) / 1000,
  };
}

/**
 * Puts the run's container back to a frame: files, directory, variables and network. Frames above it stay until
 * `dropFrames`; the frame itself is not consumed. Takes about 0.3 s whatever was changed, because what was there before is
 * only removed once its successor has started: `removed` says when that is done, and need not be waited for. What an attempt
 * that was cut off has set aside goes with it, or with the run.
 */
export async function restore(
  docker: Docker,
  spec: Omit<ContainerSpec, 'image'>,
  frame: Frame,
): Promise<{ removed: Promise<void> }> {
  const aside = `${spec.name}-gone-`;
  await setAside(docker, spec.name, `${aside}${randomUUID().slice(0, 8)}`);
  const profile = { ...spec.profile, network: frame.network as SandboxProfile['network'] };
  await ensureContainer(docker, { ...spec, image: frame.image, profile }).catch((error: unknown) => {
    if (isPointsmanError(error) && error.code === 'NotFound') throw frameLost(frame.image);
    throw error;
  });
  const removed = removeNamed(docker, aside);
  removed.catch(() => {});
  return { removed };
}

async function removeNamed(docker: Docker, prefix: string): Promise<void> {
  const found = await docker.listContainers({ all: true, filters: { name: [`^/${prefix}`] } });
  await Promise.all(found.map(({ Id }) => removeContainer(docker, Id)));
}

/** Removes frames from the top down to (and without) `keep`. Removing what is gone already is success. */
export async function dropFrames(docker: Docker, owner: Owner, indexes: readonly number[]): Promise<void> {
  for (const index of [...indexes].sort((a, b) => b - a)) await removeImage(docker, tagOf(owner, index).image);
}

async function inspectImage(docker: Docker, image: string): Promise<Docker.ImageInspectInfo | undefined> {
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
