import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import { SandboxProfile } from '../contract/sandbox';
import { putFiles } from './guest-files';
import type { SandboxHost } from './host';
import { hostAccess } from './host-access';
import type { Owner } from './labels';

export interface Workshop {
  readonly container: Docker.Container;
  readonly name: string;
  /** What commands need to reach registries. Given to commands and not to the container: an image keeps the latter. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the host's CA bundle in the container, to be removed before a commit. */
  readonly bundle: string | undefined;
}

export interface WorkshopSpec {
  readonly owner: Owner;
  readonly role: string;
  readonly image: string;
  readonly workdir: string;
  readonly network: 'none' | 'bridge';
  /** Limits and variables of the sandbox that it stands for; without it there is room for what we run ourselves. */
  readonly profile?: SandboxProfile;
}

const ROOM = SandboxProfile.parse({ memoryMiB: 4096, pids: 1024 });

/**
 * A container for as long as `use` takes. It begins fresh, so an activity that is tried again repeats nothing on top of
 * what a killed attempt left; it carries the run's lease, so the janitor removes what a killed worker left.
 */
export async function openWorkshop<T>(
  { host }: { readonly host: SandboxHost },
  spec: WorkshopSpec,
  use: (workshop: Workshop) => Promise<T>,
): Promise<T> {
  await host.remove(spec.owner, spec.role);
  const profile = { ...(spec.profile ?? ROOM), network: spec.network, hostCertificates: false };
  try {
    const container = await host.ensure({ ...spec, profile });
    const access = spec.network === 'bridge' ? await lendAccess(container) : { env: {}, bundle: undefined };
    return await use({ container, name: host.nameOf(spec.owner, spec.role), ...access });
  } finally {
    await host.remove(spec.owner, spec.role);
  }
}

/** The bundle is copied in rather than mounted: a mount would leave an empty file in the image. */
export async function lendAccess(container: Docker.Container): Promise<Pick<Workshop, 'env' | 'bundle'>> {
  const { env, binds } = hostAccess();
  const [from, to] = binds[0]?.split(':') ?? [];
  if (from && to) await putFiles(container, [{ path: to, bytes: readFileSync(from) }]);
  return { env, bundle: to };
}
