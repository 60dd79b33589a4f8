import { type Lease, PointsmanError } from '../../contract';
import type { Deps } from '../../deps';
import { Diverged } from '../../sandbox/sandbox';

/** Throws `Unavailable` for a sandbox of another host. */
export function assertHere({ hostName: here }: Pick<Deps, 'hostName'>, { hostName }: Lease): void {
  if (hostName === here) return;
  throw new PointsmanError(
    'Unavailable',
    `a command for ${hostName} reached ${here}`,
    'Only one host may set worker.onlyHost on a task queue.',
  );
}

/** A container that holds another history than the run's is lost to it. */
export function asLost(error: unknown): never {
  if (error instanceof Diverged) throw new PointsmanError('SandboxLost', error.message);
  throw error;
}
