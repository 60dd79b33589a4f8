import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { PointsmanError } from '../contract/errors';
import { connectEngine, statusOf } from '../sandbox/engine';
import { hostAccess } from '../sandbox/host-access';
import { followBuild } from '../sandbox/image-build';
import { canInstallPackages, installPackages, lastLines, onPath, type Provided, type Report } from './command';

/** What sandboxes start from when a problem names no image of its own. */
export const BASE_IMAGE = 'pointsman/base:bookworm';

const DEBIAN = 'debian:bookworm';
const PACKAGES = ['python3', 'python3-venv', 'python3-pip', 'git', 'ca-certificates'];
const UNREAD = ['doc', 'info', 'locale', 'man'];
const PULL_MS = 60_000;
const BUILD_MS = 600_000;
const HINT = `Let the engine pull ${DEBIAN}, or install mmdebstrap (root on Debian or Ubuntu), or load an image tagged ${BASE_IMAGE}.`;

/**
 * Finds the base image on the engine, or makes it: on top of Debian's official image where one can be pulled, else from
 * Debian's packages alone with mmdebstrap (about 35 s), which needs no image registry.
 */
export async function ensureImage(report: Report): Promise<Provided> {
  const docker = connectEngine();
  const there = await imageSize(docker);
  if (there) return { what: 'Base image', found: `${BASE_IMAGE}, ${there}`, made: false };
  const pulled = await pullDebian(docker, report);
  const built =
    pulled &&
    (await buildOnDebian(docker, report).then(
      () => true,
      () => false,
    ));
  if (!built) await bootstrap(docker, report);
  return { what: 'Base image', found: `${BASE_IMAGE}, ${await imageSize(docker)}`, made: true };
}

/** Its size for people, undefined when the engine does not have it. */
export async function imageSize(docker: Docker): Promise<string | undefined> {
  try {
    const { Size } = await docker.getImage(BASE_IMAGE).inspect();
    return `${Math.round(Size / 1e6)} MB`;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** False when no registry answers soon: offline machines should not wait for it. */
async function pullDebian(docker: Docker, report: Report): Promise<boolean> {
  report(`pulling ${DEBIAN}`);
  try {
    const abortSignal = AbortSignal.timeout(PULL_MS);
    await followBuild(docker, await docker.pull(DEBIAN, { abortSignal }), report);
    return true;
  } catch {
    return false;
  }
}

async function buildOnDebian(docker: Docker, report: Report): Promise<void> {
  report(`building ${BASE_IMAGE} on ${DEBIAN}`);
  const lines = [
    `FROM ${DEBIAN}`,
    'ENV LANG=C.UTF-8',
    `RUN apt-get update && apt-get install -y --no-install-recommends ${PACKAGES.join(' ')} && rm -rf /var/lib/apt/lists/*`,
  ];
  const context = pack();
  context.entry({ name: 'Dockerfile' }, `${lines.join('\n')}\n`);
  context.finalize();
  // Proxy variables as build arguments reach the build and stay out of the image.
  const buildargs = hostAccess().env;
  const stream = await docker.buildImage(Readable.from(context), { t: BASE_IMAGE, buildargs, forcerm: true });
  await followBuild(docker, stream, report);
}

async function bootstrap(docker: Docker, report: Report): Promise<void> {
  if (onPath('mmdebstrap').length === 0) {
    if (!canInstallPackages())
      throw new PointsmanError('Unavailable', `the image ${BASE_IMAGE} cannot be made here`, HINT);
    await installPackages(['mmdebstrap', 'debian-archive-keyring'], report, HINT);
  }
  report(`making ${BASE_IMAGE} with mmdebstrap (about 35 s)`);
  const args = [
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    '--aptopt=Acquire::Languages "none"',
    // Nobody reads manuals in a sandbox: a quarter of the image.
    ...UNREAD.map((folder) => `--dpkgopt=path-exclude=/usr/share/${folder}/*`),
    'bookworm',
    '-',
  ];
  const child = spawn('mmdebstrap', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: BUILD_MS });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-20_000);
  });
  const ended = new Promise<number | null>((resolve) => child.on('error', () => resolve(null)).on('close', resolve));
  // Imported under a name that nobody uses yet: a half archive must never be taken for the image.
  const [repo, tag] = ['pointsman/base', 'bookworm-unfinished'];
  const changes = ['ENV LANG=C.UTF-8', 'CMD ["bash"]'];
  const stream = await docker.importImage(child.stdout, { repo, tag, changes });
  const imported = await followBuild(docker, stream, () => undefined).then(
    () => '',
    (error: Error) => error.message,
  );
  const unfinished = docker.getImage(`${repo}:${tag}`);
  if ((await ended) === 0 && !imported) {
    await unfinished.tag({ repo, tag: 'bookworm' });
    await unfinished.remove();
    return;
  }
  await unfinished.remove().catch(() => undefined);
  throw new PointsmanError(
    'Unavailable',
    `mmdebstrap could not make ${BASE_IMAGE}:\n${imported || lastLines(said)}`,
    HINT,
  );
}
