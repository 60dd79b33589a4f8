import { openSandboxes } from '../sandbox';

/** Digest of an image as the engine of this host has it; undefined where it has none of that name, or where none answers. */
export async function imageDigest(name: string): Promise<string | undefined> {
  try {
    return (await openSandboxes('provision').images.find(name))?.id;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'EACCES') return undefined;
    throw error;
  }
}
