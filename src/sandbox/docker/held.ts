import { readFile, statfs } from 'node:fs/promises';
import type Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';
import { BASE_IMAGE } from '../../contract/sandbox';
import { LABEL } from '../labels';
import type { Held } from '../places';
import { inspectImage } from './images';
import { runOnce } from './once';

/** Role of the sandbox that a run works in. */
export const MAIN = 'main';
const SERVICE = /^service-/;
/** Limits of a network and looks at the host: a moment each, and next to no memory. */
const HELPERS = ['reach', 'network'];
/** Below this, whatever starts next may be what the kernel kills. */
const FREE_MEMORY_KIB = 512 * 1024;

/** A container of ours as its labels tell it. */
export function heldAs(name: string, labels: Readonly<Record<string, string>>): Held {
  const role = labels[LABEL.role] ?? '';
  return {
    name,
    run: labels[LABEL.run] ?? name,
    workflow: labels[LABEL.workflow],
    kind: role === MAIN || SERVICE.test(role) ? 'lease' : 'errand',
    takes: Number(labels[LABEL.takes] ?? 1),
    keeps: role === MAIN ? Number(labels[LABEL.keeps] ?? 1) : 0,
  };
}

/**
 * What an engine runs of one server's runs. Those of others are theirs to count: what one leaves behind must not keep this one
 * waiting. What a rollback has set aside stands still, and is on its way out.
 */
export async function heldOn(docker: Docker, scope: string): Promise<Held[]> {
  const running = await docker.listContainers({ filters: { label: [`${LABEL.scope}=${scope}`, LABEL.role] } });
  return running
    .filter(
      ({ Labels, Names }) => !HELPERS.includes(Labels[LABEL.role] ?? '') && !/-gone-[0-9a-f]+$/.test(Names[0] ?? ''),
    )
    .map(({ Names, Id, Labels }) => heldAs(Names[0]?.slice(1) ?? Id, Labels));
}

/** Why an engine should be given nothing new, in words. Memory is looked at where the engine is on this machine. */
export async function obstacleOn(docker: Docker, freeDiskGiB: number): Promise<string | undefined> {
  if (!(await inspectImage(docker, BASE_IMAGE))) return `the image ${BASE_IMAGE} is not here yet`;
  const gib = await freeGiBOf(docker);
  if (gib !== undefined && gib < freeDiskGiB)
    return `${gib.toFixed(1)} GiB are free on the engine's disk, less than worker.freeDiskGiB`;
  if (!isLocal(docker)) return undefined;
  const memory = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const free = /^MemAvailable:\s+(\d+) kB/m.exec(memory)?.[1];
  if (free !== undefined && Number(free) < FREE_MEMORY_KIB)
    return `${Math.round(Number(free) / 1024)} MiB of memory are free`;
  return undefined;
}

const isLocal = (docker: Docker) => (docker.modem as { socketPath?: string }).socketPath !== undefined;
const ASKED_MS = 30_000;
const asked = new WeakMap<Docker, { readonly at: number; readonly gib: Promise<number | undefined> }>();

/** What is free where the engine keeps its images; asked inside of a container where that is not to be seen from here. */
export async function freeGiBOf(docker: Docker): Promise<number | undefined> {
  const seen = await seenFreeGiB(docker);
  if (seen !== undefined) return seen;
  const known = asked.get(docker);
  if (known && performance.now() - known.at < ASKED_MS) return known.gib;
  const gib = askInside(docker).catch(() => undefined);
  asked.set(docker, { at: performance.now(), gib });
  return gib;
}

/**
 * Throws `SandboxLost` where the engine's disk is full by now: what has just run may have failed for it, which was nothing that
 * it did, and is no finding. An engine elsewhere is not asked: that would take longer than most commands.
 */
export async function assertRoom(docker: Docker): Promise<void> {
  const gib = await seenFreeGiB(docker);
  if (gib === undefined || gib >= FULL_GIB) return;
  const mib = Math.round(gib * 1024);
  throw new PointsmanError(
    'SandboxLost',
    `the engine's disk is full (${mib} MiB are free): what ran in the sandbox may have failed for that`,
    'It is made again where there is room: `docker system df` says what takes it here.',
  );
}

const FULL_GIB = 1 / 16;
const roots = new WeakMap<Docker, Promise<string>>();

/** Undefined where the engine's files are not to be seen from here. */
async function seenFreeGiB(docker: Docker): Promise<number | undefined> {
  if (!isLocal(docker)) return undefined;
  const root = roots.get(docker) ?? docker.info().then(({ DockerRootDir }: { DockerRootDir: string }) => DockerRootDir);
  roots.set(docker, root);
  root.catch(() => roots.delete(docker));
  const disk = await root.then((path) => statfs(path)).catch(() => undefined);
  return disk && (disk.bavail * disk.bsize) / 1024 ** 3;
}

/** A container's own files lie on the engine's disk. */
async function askInside(docker: Docker): Promise<number | undefined> {
  const said = await runOnce(docker, {
    image: BASE_IMAGE,
    command: ['stat', '--file-system', '--format', '%a %S', '/'],
    labels: { [LABEL.managed]: '1', [LABEL.role]: 'reach' },
    host: { NetworkMode: 'none' },
  });
  const [blocks, size] = said.split(' ').map(Number);
  return blocks === undefined || size === undefined ? undefined : (blocks * size) / 1024 ** 3;
}
