import type Docker from 'dockerode';
import { BASE_IMAGE } from '../../contract/sandbox';
import { LABEL } from '../labels';
import { statusOf } from './engine';
import { freeGiBOf } from './held';
import { removeImage } from './images';

/** When sweeps saw an image in use last; before that, its last tag, which a pull and a commit set. */
const seen = new Map<string, number>();

/**
 * Removes images that can be had again, the least recently used first, until the engine's disk has that much free. Nothing
 * that a container runs on, that a run leases, or that sandboxes need to begin. Gives their names.
 */
export async function makeRoom(
  docker: Docker,
  freeDiskGiB: number,
  canBeHad: (names: readonly string[]) => Promise<boolean>,
): Promise<string[]> {
  const containers = await docker.listContainers({ all: true });
  const inUse = new Set(containers.map(({ ImageID }) => ImageID));
  for (const id of inUse) seen.set(id, Date.now());
  const enough = async () => ((await freeGiBOf(docker)) ?? Number.POSITIVE_INFINITY) >= freeDiskGiB;
  if (await enough()) return [];
  const removed: string[] = [];
  for (const { id, names } of await byUse(docker)) {
    if (inUse.has(id) || !(await canBeHad(names))) continue;
    // By its names, without force: whatever is made of it meanwhile keeps it.
    for (const name of names) await removeImage(docker, name);
    removed.push(...names);
    if (await enough()) break;
  }
  return removed;
}

async function byUse(docker: Docker): Promise<{ id: string; names: string[]; at: number }[]> {
  const base = BASE_IMAGE.split(':')[0]!;
  const found: { id: string; names: string[]; at: number }[] = [];
  for (const { Id, RepoTags, RepoDigests, Labels } of await docker.listImages()) {
    const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])].filter((name) => !name.includes('<none>'));
    if (names.length === 0 || Labels?.[LABEL.lease] === 'run') continue;
    if (names.some((name) => name.startsWith(`${base}:`))) continue;
    const inspected = await docker
      .getImage(Id)
      .inspect()
      .catch((error: unknown) => {
        if (statusOf(error) === 404) return undefined;
        throw error;
      });
    if (!inspected) continue;
    const { Metadata } = inspected as { Metadata?: { LastTagTime?: string } };
    const tagged = Date.parse(Metadata?.LastTagTime ?? '') || 0;
    found.push({ id: Id, names, at: Math.max(tagged, seen.get(Id) ?? 0) });
  }
  return found.sort((a, b) => a.at - b.at);
}
