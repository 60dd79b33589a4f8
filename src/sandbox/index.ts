import { PointsmanError } from '../contract/errors';
import { DockerSandboxes } from './docker/sandboxes';
import type { Allowed, Sandboxes } from './sandbox';

/** Makes the sandboxes of one backend; see `openSandboxes`. */
export type MakeSandboxes = (scope: string, secret?: Buffer, allowed?: Allowed) => Sandboxes;

/** Every backend, by the name of what it runs sandboxes on. A new one is a folder beside `docker/` and a line here. */
const BACKENDS: Record<string, MakeSandboxes> = {
  docker: (scope, secret, allowed) => new DockerSandboxes(scope, secret, allowed),
};

/** Adds one of an extension. Throws `InvalidInput` for a name that is taken. */
export function addBackend(name: string, make: MakeSandboxes): void {
  if (name in BACKENDS) throw new PointsmanError('InvalidInput', `there is a backend that is called ${name}`);
  BACKENDS[name] = make;
}

/**
 * The sandboxes of this host for the runs of one server's namespace (`CLUSTER/NAMESPACE`). Connects when first used. What
 * journals say is proved with `secret`: processes that follow each other's commands share one, others need none.
 */
export function openSandboxes(scope: string, secret?: Buffer, allowed?: Allowed, backend = 'docker'): Sandboxes {
  const make = BACKENDS[backend];
  if (make) return make(scope, secret, allowed);
  throw new PointsmanError(
    'InvalidInput',
    `sandboxes.backend: there is no backend "${backend}"`,
    `Known: ${Object.keys(BACKENDS).join(', ')}. An extension may add one.`,
  );
}
