import { type Lease, PointsmanError } from '../../contract';
import type { Deps } from '../../deps';
import type { Owner } from '../../sandbox/labels';
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

/** Refuses another run's sandbox when this host has as many as it may; the claim is tried again, here or elsewhere. */
export async function assertRoom(
  { sandboxes, config }: Pick<Deps, 'sandboxes' | 'config'>,
  owner: Owner,
): Promise<void> {
  const most = config.worker.sandboxes;
  const others = new Set((await sandboxes.capacity()).runs);
  others.delete(owner.firstRunId);
  if (others.size < most) return;
  throw new PointsmanError(
    'Unavailable',
    `this host runs ${others.size} sandboxes of at most ${most}`,
    'It is tried again.',
  );
}
