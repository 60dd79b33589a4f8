import { DockerSandboxes } from '../docker/sandboxes';
import type { Sandboxes } from '../sandbox';

/** The Docker engine of another machine: all calls go there, and nothing else differs. */
export function remoteSandboxes(scope: string): Sandboxes {
  return new DockerSandboxes(`remote/${scope}`);
}
