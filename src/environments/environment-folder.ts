import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Ref, RepoSetupResult } from '../contract';
import { readableByAll } from '../home';
import { Roots } from '../roots';
import { openSandboxes } from '../sandbox';
import type { Owner } from '../sandbox/labels';
import type { Allowed } from '../sandbox/sandbox';
import type { Given } from '../setup/given';
import { fetchSource } from '../sources/fetch';
import type { SourceTree } from '../sources/tree';
import type { BlobStore } from '../store/blobs';
import { SetupChains } from '../store/setup-chains';

export type KeptResult = RepoSetupResult & { readonly dockerfile: Ref; readonly script: Ref };

/** Whose containers these are: of no workflow that a server knows. */
export const ENVIRONMENT_SCOPE = 'environment';

/** The owner of what is made for one of an environment's sources. */
export function environmentOwner({ id }: KeptResult, sha256: string): Owner {
  return { workflowId: `${ENVIRONMENT_SCOPE}/${id}`, firstRunId: sha256 };
}

/**
 * Writes what an environment is built from into an empty folder, and says what it wrote, folders with a slash: Dockerfile,
 * script, lock, services, and the sources that the run fetched. Those are taken from the blob store; where it has lost
 * them, they are fetched again and have to be the same.
 */
export async function writeEnvironment(
  blobs: BlobStore,
  result: KeptResult,
  folder: string,
  allowed: Allowed,
): Promise<string[]> {
  const text = async ({ sha256 }: Ref) => (await blobs.get(sha256)).toString('utf8');
  const { opening } = await new SetupChains(blobs).chain(result.head);
  const given = JSON.parse(await text(opening.given)) as Given;
  const files = {
    Dockerfile: await text(result.dockerfile),
    'install.sh': await text(result.script),
    ...(result.lock ? { 'lock.txt': await text(result.lock) } : {}),
    'services.json': `${JSON.stringify(result.services, null, 2)}\n`,
  };
  for (const [name, body] of Object.entries(files)) writeFileSync(join(folder, name), body);
  const deps = { blobs, sandboxes: openSandboxes(ENVIRONMENT_SCOPE, undefined, allowed), roots: Roots.any };
  const sources = [{ ...given, name: 'source' }, ...given.components];
  for (const { name, source, sha256 } of sources) {
    const owner = environmentOwner(result, sha256);
    const { tree } = await fetchSource(deps, owner, source, sha256, given.base, new AbortController().signal);
    readableByAll(() => writeTree(tree, join(folder, name)));
  }
  return [...Object.keys(files), ...sources.map(({ name }) => `${name}/`)];
}

/** Has the engine build such a folder. Throws what the build ended with. */
export function buildEnvironment(
  folder: string,
  tag: string,
  report: (line: string) => void,
  allowed: Allowed,
): Promise<void> {
  return openSandboxes(ENVIRONMENT_SCOPE, undefined, allowed).images.build(folder, tag, report);
}

function writeTree(tree: SourceTree, into: string): void {
  for (const [path, { bytes, executable, link }] of tree) {
    const file = join(into, path);
    mkdirSync(dirname(file), { recursive: true });
    if (link === undefined) writeFileSync(file, bytes, { mode: executable ? 0o755 : 0o644 });
    else symlinkSync(link, file);
  }
}
