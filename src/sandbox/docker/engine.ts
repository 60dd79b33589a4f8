import Docker from 'dockerode';
import { PointsmanError } from '../../contract/errors';

/** The Docker Engine that DOCKER_HOST names, or the local socket. */
export function connectEngine(): Docker {
  return new Docker();
}

export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}

/** Runs an engine call whose object may be gone already: 404 is success, so removal may be retried. */
export async function ignoreMissing(call: Promise<unknown>): Promise<void> {
  await call.catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}

export async function assertEngine(docker: Docker): Promise<void> {
  await docker.ping().catch((error: Error) => {
    throw new PointsmanError(
      'Unavailable',
      `no Docker engine answers: ${error.message}`,
      'Start Docker, or set DOCKER_HOST; `pointsman doctor` checks it.',
    );
  });
}

/** The image of a frame is no longer there: somebody pruned the engine's images. What was recorded makes it again. */
export function frameLost(image: string): PointsmanError {
  return new PointsmanError(
    'FrameLost',
    `the frame ${image} is not on this host`,
    'Start the set-up again; its frames are made anew.',
  );
}
