import { spawn } from 'node:child_process';
import { allowedBy, loadSettings } from '../config';
import { PointsmanError } from '../contract/errors';
import { BASE_IMAGE } from '../contract/sandbox';
import { readableByAll } from '../home';
import { openSandboxes } from '../sandbox';
import type { Images } from '../sandbox/sandbox';
import { canInstallPackages, installPackages, lastLines, onPath, type Provided, type Report } from './command';

export { BASE_IMAGE };

/** The same image under a name that says what is in it. The number goes up when something is needed there: older ones are made again. */
const GENERATION = `${BASE_IMAGE}-2`;

/** A tag, which its registry may move. Who wants the same each time names it by its digest: `debian@sha256:…`. */
const DEBIAN = process.env.POINTSMAN_DEBIAN ?? 'debian:bookworm';
/** iptables is not for what runs in sandboxes: it limits what those with a network reach. */
const PACKAGES = ['python3', 'python3-venv', 'python3-pip', 'git', 'ca-certificates', 'iptables'];
const UNREAD = ['doc', 'info', 'locale', 'man'];
const PULL_MS = 60_000;
const BUILD_MS = 600_000;
const HINT = `Let the engine pull ${DEBIAN}, or install mmdebstrap (root on Debian or Ubuntu), or load an image tagged ${GENERATION}.`;

/**
 * Finds the base image on the engine or in the configured registry, or makes it: on top of Debian's official image where one can
 * be pulled, else from Debian's packages alone with mmdebstrap (about 35 s), which needs no image registry.
 */
export async function ensureImage(report: Report): Promise<Provided> {
  const images = imagesHere();
  // Another host may have made it: then all have the same.
  await images.fetch(GENERATION);
  const there = await imageSize(images);
  if (there) {
    await images.tag(GENERATION, BASE_IMAGE);
    return { what: 'Base image', found: `${GENERATION}, ${there}`, made: false };
  }
  const pulled = await pullDebian(images, report);
  const built =
    pulled &&
    (await buildOnDebian(images, report).then(
      () => true,
      () => false,
    ));
  if (!built) await bootstrap(images, report);
  await images.tag(GENERATION, BASE_IMAGE);
  return { what: 'Base image', found: `${GENERATION}, ${await imageSize(images)}`, made: true };
}

/** Lets hosts that join take this host's base image, where the configured registry has none yet. */
export function offerImage(): Promise<void> {
  return imagesHere().offer(GENERATION);
}

function imagesHere(): Images {
  return openSandboxes('provision', undefined, allowedBy(loadSettings().config)).images;
}

/** Its size for people, undefined when the engine does not have it. */
export async function imageSize(images: Images = openSandboxes('provision').images): Promise<string | undefined> {
  const found = await images.find(GENERATION);
  return found && `${Math.round(found.bytes / 1e6)} MB`;
}

/** Takes a name away. What is gone is success, and what something runs on stays. */
export function removeImage(name: string): Promise<void> {
  return openSandboxes('provision').images.remove(name);
}

/** False when no registry answers soon: offline machines should not wait for it. */
async function pullDebian(images: Images, report: Report): Promise<boolean> {
  report(`pulling ${DEBIAN}`);
  try {
    await images.pull(DEBIAN, { signal: AbortSignal.timeout(PULL_MS), report });
    return true;
  } catch {
    return false;
  }
}

async function buildOnDebian(images: Images, report: Report): Promise<void> {
  // By its digest: on what was pulled, whatever the name comes to mean meanwhile.
  const { id } = (await images.find(DEBIAN))!;
  report(`building ${GENERATION} on ${DEBIAN}, ${id}`);
  const lines = [
    `FROM ${id}`,
    `LABEL pointsman.from=${id}`,
    'ENV LANG=C.UTF-8',
    `RUN apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')} && rm -rf /var/lib/apt/lists/*`,
  ];
  await images.buildText(`${lines.join('\n')}\n`, GENERATION, report);
}

async function bootstrap(images: Images, report: Report): Promise<void> {
  if (onPath('mmdebstrap').length === 0) {
    if (!canInstallPackages())
      throw new PointsmanError('Unavailable', `the image ${GENERATION} cannot be made here`, HINT);
    await installPackages(['mmdebstrap', 'debian-archive-keyring'], report, HINT);
  }
  report(`making ${GENERATION} with mmdebstrap (about 35 s)`);
  const args = [
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    '--aptopt=Acquire::Languages "none"',
    // Nobody reads manuals in a sandbox: a quarter of the image.
    ...UNREAD.map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    'bookworm',
    '-',
  ];
  const child = readableByAll(() =>
    spawn('mmdebstrap', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: BUILD_MS }),
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-20_000);
  });
  const ended = new Promise<number | null>((resolve) => child.on('error', () => resolve(null)).on('close', resolve));
  // Imported under a name that nobody uses yet: a half archive must never be taken for the image.
  const unfinished = `${GENERATION}-unfinished`;
  const imported = await images.load(child.stdout, unfinished, ['ENV LANG=C.UTF-8', 'CMD ["bash"]']).then(
    () => '',
    (error: Error) => error.message,
  );
  if ((await ended) === 0 && !imported) {
    await images.tag(unfinished, GENERATION);
    await images.remove(unfinished);
    return;
  }
  await images.remove(unfinished).catch(() => undefined);
  throw new PointsmanError(
    'Unavailable',
    `mmdebstrap could not make ${GENERATION}:\n${imported || lastLines(said)}`,
    HINT,
  );
}

/** Digest of an image as the engine of this host has it; undefined where it has none of that name, or where none answers. */
export async function imageDigest(name: string): Promise<string | undefined> {
  try {
    return (await openSandboxes('provision').images.find(name))?.id;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'EACCES') return undefined;
    throw error;
  }
}
