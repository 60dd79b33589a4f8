import { DockerSandboxes } from './docker/sandboxes';
import type { Allowed, Sandboxes } from './sandbox';

/** Every backend, by the name of what it runs sandboxes on. A new one is a folder beside `docker/` and a line here. */
const BACKENDS = {
  docker: (scope: string, secret?: Buffer, allowed?: Allowed): Sandboxes => new DockerSandboxes(scope, secret, allowed),
} as const satisfies Record<string, (scope: string, secret?: Buffer, allowed?: Allowed) => Sandboxes>;
type BackendName = keyof typeof BACKENDS;

/** The one that workers of this version use: an option comes with the second. */
const BACKEND: BackendName = 'docker';

/**
 * The sandboxes of this host for the runs of one server's namespace (`CLUSTER/NAMESPACE`). Connects when first used. What
 * journals say is proved with `secret`: processes that follow each other's commands share one, others need none.
 */
export function openSandboxes(scope: string, secret?: Buffer, allowed?: Allowed): Sandboxes {
  return BACKENDS[BACKEND](scope, secret, allowed);
}
