import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type Docker from 'dockerode';
import { isPointsmanError } from '../../contract/errors';
import type { Frame, SandboxProfile } from '../../contract/sandbox';
import { LABEL, type Owner, runName } from '../labels';
import type { FrameRequest, Journal } from '../sandbox';
import { parseExports } from '../shell-state';
import { type ContainerSpec, EGRESS_NETWORK, ensureContainer, removeContainer, setAside } from './container';
import { frameLost } from './engine';
import { commitOfRun, flatten, inspectImage, removeImage } from './images';
import type { Reach } from './reach';

/** overlay2 refuses a 126th layer; flattening earlier leaves room for the commits of one run. */
const LAYER_LIMIT = 110;

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
    const changes = Object.entries(labels).map(([name, value]) => `LABEL ${name}=${JSON.stringify(value)}`);
    await commitOfRun(docker, container, { repo, tag }, changes.join('\n'));
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
 * `dropFrames`; the frame itself is not consumed. Takes about 0.3 s whatever was changed, with a network 0.6, because what was there before is
 * only removed once its successor has started: `removed` says when that is done, and need not be waited for. What an attempt
 * that was cut off has set aside goes with it, or with the run.
 */
export async function restore(
  docker: Docker,
  spec: Omit<ContainerSpec, 'image'>,
  frame: Frame,
  reach: Reach,
): Promise<{ removed: Promise<void> }> {
  const aside = `${spec.name}-gone-`;
  await setAside(docker, spec.name, `${aside}${randomUUID().slice(0, 8)}`);
  const profile = { ...spec.profile, network: frame.network as SandboxProfile['network'] };
  await ensureContainer(docker, { ...spec, image: frame.image, profile }, reach).catch((error: unknown) => {
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

const WRITE_BACK_MS = 1000;
let writeBackPlanned = false;

/**
 * Has the kernel write to disk what a commit left in memory, a second later, when a model is thinking. Otherwise the next
 * container waits for it: the engine unmounts a first layer before it starts one, and unmounting an overlay writes out the
 * whole disk below (0.7 s after 200 frames that were taken within a minute). Does nothing where the engine is elsewhere.
 */
function writeBackSoon(docker: Docker): void {
  const { socketPath } = docker.modem as { socketPath?: string };
  if (writeBackPlanned || !socketPath) return;
  writeBackPlanned = true;
  setTimeout(() => {
    writeBackPlanned = false;
    // A host without `sync` is only slower.
    spawn('sync', { stdio: 'ignore' })
      .on('error', () => {})
      .unref();
  }, WRITE_BACK_MS).unref();
}
