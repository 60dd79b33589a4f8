import { PointsmanError } from '../contract/errors';
import { openSandboxes } from '../sandbox';
import { canInstallPackages, installPackages, onPath, type Provided, type Report } from './command';
import { startEngine } from './dockerd';

const HINT =
  'Install and start a Docker engine (Docker Desktop, or `apt-get install docker.io` as root), make sure that this user may use it, or set DOCKER_HOST.';

/**
 * Finds a Docker engine that answers. Without one, as root on Debian or Ubuntu, installs `docker.io` and starts the
 * daemon, which outlives this process.
 */
export async function ensureDocker(report: Report): Promise<Provided> {
  const running = await engineVersion();
  if (running) return provided(running, false);
  if (process.env.DOCKER_HOST) {
    throw new PointsmanError(
      'Unavailable',
      `no Docker engine answers at DOCKER_HOST (${process.env.DOCKER_HOST})`,
      HINT,
    );
  }
  if (onPath('dockerd').length === 0) {
    if (!canInstallPackages())
      throw new PointsmanError('Unavailable', 'there is no Docker engine on this machine', HINT);
    await installPackages(['docker.io', 'iptables'], report, HINT);
  }
  if (process.getuid?.() !== 0) {
    throw new PointsmanError('Unavailable', 'the Docker engine does not answer, and only root may start it', HINT);
  }
  await startEngine(report, async () => (await engineVersion()) !== undefined);
  return provided((await engineVersion()) ?? '', true);
}

/** `20.10.24 (overlay2)`, undefined when no engine answers. */
export async function engineVersion(): Promise<string | undefined> {
  try {
    return await openSandboxes('doctor').version(3000);
  } catch {
    return undefined;
  }
}

function provided(version: string, made: boolean): Provided {
  return { what: 'Docker engine', found: version, made };
}
