import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { PointsmanError, parseSource, type SourceSpec } from '../contract';
import type { Owner } from '../sandbox/labels';
import type { BlobStore } from '../store/blobs';
import { factsIn, needsInflating, treeOf } from './archive';
import { readFolder } from './folder';
import { type Facts, type FetchHost, fetchInGuest, type GuestFetch } from './guest';
import { keepFolder, keptFolder } from './kept-folder';
import { licenceOf } from './licence';
import { localRepository } from './local-repository';
import { notesOn } from './notes';
import { registrySettings } from './registries';
import type { SourceTree } from './tree';

export interface Source {
  readonly tree: SourceTree;
  /** Of the archive as fetched; of git and Debian, of the tar that the tree is kept as; of a folder, of its files. */
  readonly sha256: string;
  /** SPDX expression, null where nothing that we read tells it. */
  readonly licence: string | null;
  /** What a user should know: what was not verified, what is missing from the tree. */
  readonly notes: readonly string[];
  readonly resolved: {
    readonly kind: SourceSpec['kind'];
    /** The package, the repository's URL, or the path. */
    readonly name: string;
    /** Of git, the tag on the commit: what takes its version from git must be told. */
    readonly version?: string;
    /** The commit, in full. */
    readonly revision?: string;
  };
  /** When it was published or committed (ISO 8601, UTC); null where nobody says so. */
  readonly released: string | null;
}

interface FetchDeps extends FetchHost {
  readonly blobs: BlobStore;
}

type Place = Pick<GuestFetch, 'owner' | 'base' | 'source' | 'signal'>;

/**
 * Fetches a source once: what has a known sha256 (from an earlier fetch, or in its name) and is in the blob store is taken
 * from there, so what was built can be built again without a network. Throws `InvalidInput` for what is not there or not
 * what was announced, `Unavailable` where asking again may help. Safe to retry: all it leaves is a blob.
 */
export async function fetchSource(
  deps: FetchDeps,
  owner: Owner,
  name: string,
  known: string | undefined,
  base: string,
  signal: AbortSignal,
): Promise<Source> {
  const source = parseSource(name);
  if (source.kind === 'dir') {
    const kept = known === undefined ? undefined : await keptFolder(deps.blobs, known);
    if (kept) return describe(source, kept, known!, {});
    const tree = await readFolder(source.path);
    const sha256 = await keepFolder(deps.blobs, tree);
    assertExpected(name, sha256, known);
    return describe(source, tree, sha256, {});
  }
  const place: Place = { owner, base, source: name, signal };
  const expected = known ?? (source.kind === 'archive' ? source.sha256 : undefined);
  if (expected && (await deps.blobs.has(expected))) {
    const bytes = await deps.blobs.get(expected);
    return describe(source, await unpack(deps, place, bytes), expected, factsIn(bytes) ?? {});
  }
  const { bytes, facts } = await bytesOf(deps, place, source);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assertExpected(name, sha256, expected);
  // Unpacked first: what is refused is not kept.
  const tree = await unpack(deps, place, bytes);
  await deps.blobs.put(bytes);
  return describe(source, tree, sha256, facts);
}

function assertExpected(name: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || sha256 === expected) return;
  throw new PointsmanError(
    'InvalidInput',
    `source ${name}: sha256 is ${sha256}, expected ${expected}`,
    'Fetch it again, or correct the digest.',
  );
}

async function bytesOf(
  deps: FetchDeps,
  place: Place,
  source: Exclude<SourceSpec, { kind: 'dir' }>,
): Promise<{ bytes: Buffer; facts: Facts }> {
  const online = { ...place, network: 'bridge' } as const;
  switch (source.kind) {
    case 'archive':
      if (source.location.startsWith('/')) return { bytes: fromFile(source.location), facts: {} };
      return fetchInGuest(deps, { ...online, script: 'url', args: [source.location] });
    case 'git': {
      const local = source.url.startsWith('file:');
      const args = [source.url, source.revision];
      return fetchInGuest(deps, { ...online, script: 'git', args, ...(local ? { bring: localRepository } : {}) });
    }
    case 'deb-src':
      return fetchInGuest(deps, { ...online, script: 'deb', args: [source.name, source.version] });
    case 'pypi':
    case 'npm':
    case 'go':
    case 'crate': {
      const env = await registrySettings(source);
      return fetchInGuest(deps, { ...online, script: source.kind, args: [source.name, source.version], env });
    }
    default:
      return source satisfies never;
  }
}

async function unpack(deps: FetchDeps, place: Place, bytes: Buffer): Promise<SourceTree> {
  if (!needsInflating(bytes)) return treeOf(bytes, place.source);
  const packed = { path: '/var/tmp/pointsman-source/packed', bytes };
  const inflated = await fetchInGuest(deps, {
    ...place,
    network: 'none',
    script: 'inflate',
    args: [packed.path],
    files: [packed],
  });
  return treeOf(inflated.bytes, place.source);
}

function fromFile(path: string): Buffer {
  if (existsSync(path)) return readFileSync(path);
  throw new PointsmanError(
    'InvalidInput',
    `source archive:${path}: no such file on this host`,
    'Paths are those of the worker that builds.',
  );
}

function describe(source: SourceSpec, tree: SourceTree, sha256: string, facts: Facts): Source {
  return {
    tree,
    sha256,
    licence: licenceOf(tree, source.kind),
    notes: notesOn(source.kind, tree, facts),
    resolved: resolvedOf(source, facts),
    released: typeof facts.released === 'string' ? facts.released : null,
  };
}

function resolvedOf(source: SourceSpec, { revision, version }: Facts): Source['resolved'] {
  const { kind } = source;
  switch (kind) {
    case 'git':
      return {
        kind,
        name: source.url,
        ...(typeof version === 'string' ? { version } : {}),
        ...(typeof revision === 'string' ? { revision } : {}),
      };
    case 'dir':
      return { kind, name: source.path };
    case 'archive':
      return { kind, name: source.location };
    case 'pypi':
    case 'npm':
    case 'go':
    case 'crate':
    case 'deb-src':
      return { kind, name: source.name, version: source.version };
    default:
      return kind satisfies never;
  }
}
