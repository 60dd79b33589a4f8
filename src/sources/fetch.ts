import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { lstat, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  keptPath,
  LEFT_BEHIND,
  PointsmanError,
  parseSource,
  type RegistrySource,
  type SourceOf,
  type SourceSpec,
} from '../contract';
import { isWithin, type Roots } from '../roots';
import type { Owner } from '../sandbox/labels';
import type { GuestFile } from '../sandbox/sandbox';
import type { BlobStore } from '../store/blobs';
import { factsIn, needsInflating, readArchive } from './archive';
import { type Facts, type FetchHost, fetchInGuest, type GuestFetch } from './guest';
import { licenceOf } from './licence';
import { registrySettings } from './registries';
import { isUnnamable, refused, type SourceTree, TreeBuilder } from './tree';

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
  readonly roots: Roots;
}

type Place = Pick<GuestFetch, 'owner' | 'base' | 'source' | 'signal'>;

/** How one kind of source is fetched. Folders are read where they are and have no `bytes`. */
interface Fetcher<Spec> {
  /** The archive, from a container that may reach the network; safe to repeat. */
  bytes(spec: Spec, deps: FetchDeps, place: Place): Promise<{ bytes: Buffer; facts: Facts }>;
  /** What it was in the end: the package, the repository's URL, or the path. */
  resolved(spec: Spec, facts: Facts): Omit<Source['resolved'], 'kind'>;
  /** What a user should know of all of this kind. */
  notes?(facts: Facts): string[];
}

/** A registry is asked by a program of `guest/`, which bears the kind's name. */
function fromRegistry(kind: RegistrySource['kind']): Fetcher<RegistrySource> {
  return {
    async bytes(spec, deps, place) {
      const env = await registrySettings(spec);
      return fetchInGuest(deps, { ...place, network: 'bridge', script: kind, args: [spec.name, spec.version], env });
    },
    resolved: ({ name, version }) => ({ name, version }),
  };
}

/** Every kind of source. */
const FETCHERS: { readonly [Kind in SourceSpec['kind']]: Fetcher<SourceOf<Kind>> } = {
  pypi: fromRegistry('pypi'),
  npm: fromRegistry('npm'),
  go: fromRegistry('go'),
  crate: fromRegistry('crate'),
  'deb-src': {
    bytes: ({ name, version }, deps, place) =>
      fetchInGuest(deps, { ...place, network: 'bridge', script: 'deb', args: [name, version] }),
    resolved: ({ name, version }) => ({ name, version }),
    notes({ patched }) {
      const state = patched ? 'the patches in debian/patches are applied' : 'the package has no patches of its own';
      return [`${state}; verified by apt against the archive's signed lists`];
    },
  },
  git: {
    bytes({ url, revision }, deps, place) {
      const bring = url.startsWith('file:') ? localRepositories(url, deps.roots) : undefined;
      return fetchInGuest(deps, { ...place, network: 'bridge', script: 'git', args: [url, revision], bring });
    },
    resolved: ({ url }, { revision, version }) => ({
      name: url,
      version: typeof version === 'string' ? version : undefined,
      revision: typeof revision === 'string' ? revision : undefined,
    }),
    notes({ submodules, version }) {
      const parts = typeof submodules === 'number' && submodules > 0 ? [`submodules in the tree: ${submodules}`] : [];
      if (version !== undefined) return parts;
      return [...parts, 'no tag with a version points at the commit: what takes its version from git will not find it'];
    },
  },
  dir: {
    bytes: () => Promise.reject(new Error('a folder is read where it is')),
    resolved: ({ path }) => ({ name: keptPath(path)?.path ?? path }),
  },
  archive: {
    async bytes({ location }, deps, place) {
      if (location.startsWith('/') || keptPath(location))
        return { bytes: fromFile(await deps.roots.here(location, 'source')), facts: {} };
      return fetchInGuest(deps, { ...place, network: 'bridge', script: 'url', args: [location] });
    },
    resolved: ({ location }) => ({ name: keptPath(location)?.path ?? location }),
  },
};

function fetcherOf(source: SourceSpec): Fetcher<SourceSpec> {
  return FETCHERS[source.kind] as Fetcher<SourceSpec>;
}

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
    if (kept) return describe(source, { tree: kept, notes: [] }, known!, {});
    const found = await readFolder(await deps.roots.here(source.path, 'source', { links: true }));
    const sha256 = await keepFolder(deps.blobs, found.tree);
    assertExpected(name, sha256, known);
    return describe(source, found, sha256, {});
  }
  const place: Place = { owner, base, source: name, signal };
  const expected = known ?? (source.kind === 'archive' ? source.sha256 : undefined);
  if (expected && (await deps.blobs.has(expected))) {
    const bytes = await deps.blobs.get(expected);
    return describe(source, await unpack(deps, place, bytes), expected, factsIn(bytes) ?? {});
  }
  const { bytes, facts } = await fetcherOf(source).bytes(source, deps, place);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  assertExpected(name, sha256, expected);
  // Unpacked first: what is refused is not kept.
  const found = await unpack(deps, place, bytes);
  await deps.blobs.put(bytes);
  return describe(source, found, sha256, facts);
}

function assertExpected(name: string, sha256: string, expected: string | undefined): void {
  if (expected === undefined || sha256 === expected) return;
  throw new PointsmanError(
    'InvalidInput',
    `source ${name}: sha256 is ${sha256}, expected ${expected}`,
    'Fetch it again, or correct the digest.',
  );
}

/** A tree, and notes on what of it was left out. */
type Found = Awaited<ReturnType<typeof readArchive>>;

async function unpack(deps: FetchDeps, place: Place, bytes: Buffer): Promise<Found> {
  if (!needsInflating(bytes)) return readArchive(bytes, place.source);
  const packed = { path: '/var/tmp/pointsman-source/packed', bytes };
  const inflated = await fetchInGuest(deps, {
    ...place,
    network: 'none',
    script: 'inflate',
    args: [packed.path],
    files: [packed],
  });
  return readArchive(inflated.bytes, place.source);
}

function fromFile(path: string): Buffer {
  const info = statSync(path, { throwIfNoEntry: false });
  // A device has no end, and a pipe makes whoever opens it wait.
  if (info && !info.isFile()) throw refused(`archive:${path}`, 'it is no regular file');
  if (info && info.size > MAX_BYTES) throw refused(`archive:${path}`, 'it is larger than 1 GiB');
  if (info) return readFileSync(path);
  throw new PointsmanError(
    'InvalidInput',
    `source archive:${path}: no such file on this host`,
    'Paths are those of the worker that builds.',
  );
}

function describe(source: SourceSpec, { tree, notes }: Found, sha256: string, facts: Facts): Source {
  return {
    tree,
    sha256,
    licence: licenceOf(tree, source.kind),
    notes: [...notesOn(source.kind, tree, facts), ...notes],
    resolved: { kind: source.kind, ...fetcherOf(source).resolved(source, facts) },
    released: typeof facts.released === 'string' ? facts.released : null,
  };
}

/**
 * A folder of this host, without version control and what tools left behind. Throws `InvalidInput` where it is missing or
 * empty.
 */
async function readFolder(folder: string): Promise<Found> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new PointsmanError(
      'InvalidInput',
      `source dir:${folder}: no such folder on this host`,
      'Paths are those of the worker that builds.',
    );
  }
  const into = new TreeBuilder(`dir:${folder}`);
  const visit = async (at: string): Promise<void> => {
    for (const name of (await readdir(join(folder, at))).sort()) {
      if (LEFT_BEHIND.includes(name)) continue;
      const path = at === '' ? name : `${at}/${name}`;
      into.enter();
      // Read as text, a name of other bytes is none that this host would know.
      const info = await lstat(join(folder, path)).catch((error) => (isUnnamable(path) ? null : Promise.reject(error)));
      if (info === null) into.file(path, Buffer.alloc(0), false);
      else if (info.isDirectory()) await visit(path);
      else if (info.isSymbolicLink()) into.link(path, await readlink(join(folder, path)));
      else if (info.isFile()) {
        into.count(info.size);
        into.file(path, await readFile(join(folder, path)), (info.mode & 0o100) !== 0);
      }
    }
  };
  await visit('');
  return { tree: into.finished(), notes: into.notes };
}

/**
 * Keeps the files of a folder as blobs and their list as one more, whose digest names the folder: what was built from it
 * can be built again after it has changed, or where it is not. Safe to repeat: content-addressed.
 */
async function keepFolder(blobs: BlobStore, tree: SourceTree): Promise<string> {
  const lines: string[] = [];
  for (const [path, { bytes, link, executable }] of tree) {
    const body = link === undefined ? await blobs.put(bytes) : await blobs.put(link);
    lines.push(`${path}\0${link === undefined ? '' : 'link'}${executable}\0${body.sha256}\n`);
  }
  return (await blobs.put(lines.join(''))).sha256;
}

/** The folder of that name as it was kept; undefined where this store has none. */
async function keptFolder(blobs: BlobStore, sha256: string): Promise<SourceTree | undefined> {
  if (!(await blobs.has(sha256))) return undefined;
  const tree: SourceTree = new Map();
  for (const [, path, link, executable, body] of (await blobs.get(sha256)).toString('utf8').matchAll(LINE)) {
    const bytes = await blobs.get(body!);
    const kept = link ? { bytes: Buffer.alloc(0), link: bytes.toString('utf8') } : { bytes };
    tree.set(path!, { ...kept, executable: executable === 'true' });
  }
  return tree;
}

/** A name may hold anything but NUL, a line break too. */
const LINE = /([^\0]+)\0(link)?(true|false)\0([0-9a-f]{64})\n/gy;

/** What git-lfs leaves in place of a file, as its specification says: three lines, the first with the format's address. */
const POINTER =
  /^version https:\/\/[^\n]*\bgit-lfs\b[^\n]*\/v1\n(?:ext-[^\n]*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/;

/** What a user should know of a fetched tree: how far it was verified, and what is not in it. */
function notesOn(kind: SourceSpec['kind'], tree: SourceTree, facts: Facts): string[] {
  const said = Array.isArray(facts.notes) ? facts.notes.map(String) : [];
  return [...said, ...(FETCHERS[kind].notes?.(facts) ?? []), ...lfsNotes(tree)];
}

/** The contents of such files are elsewhere, and tests that need them fail. */
function lfsNotes(tree: SourceTree): string[] {
  const pointers = [...tree]
    .filter(([, { bytes }]) => bytes.length > 100 && bytes.length < 1024 && POINTER.test(bytes.toString('utf8')))
    .map(([path]) => path)
    .sort();
  if (pointers.length === 0) return [];
  const named = pointers.slice(0, 5).join(', ');
  const more = pointers.length > 5 ? `, and ${pointers.length - 5} more` : '';
  const what = pointers.length === 1 ? '1 file is a Git LFS pointer' : `${pointers.length} files are Git LFS pointers`;
  return [`${what}, the contents were not fetched: ${named}${more}`];
}

const MAX_BYTES = 1 << 30;

/** What git of a container needs of a repository; hooks are often links, and never run. */
const NOT_NEEDED = ['hooks'];
/** Where a repository says that objects of others are its own. */
const BORROWED = ['objects/info/alternates', 'objects/info/http-alternates', 'commondir'];

/**
 * Brings repositories of this host that a source is made of: the one that it names, then those that it names as submodules
 * itself, which its author chose and not the operator. These have to be below the root that the first is allowed by, or
 * beside it where that root is the whole disk.
 */
function localRepositories(url: string, roots: Roots): (folder: string) => Promise<GuestFile[]> {
  const first = fileURLToPath(url);
  return async (folder) => {
    const top = repositoryAt(folder, roots);
    if (resolve(folder) !== resolve(first)) {
      const root = roots.rootOf(first, 'source');
      const around = root === '/' ? dirname(realpathSync(first)) : root;
      if (!isWithin(realpathSync(top), around)) {
        throw refused(`git+${url}`, `its submodule ${folder} is not below ${around}, where it is itself`);
      }
    }
    return localRepository(folder, top);
  };
}

/** The folder of its history. Throws `InvalidInput` for what is no repository, or one that a workflow may not have read. */
function repositoryAt(folder: string, roots: Roots): string {
  const inner = join(folder, '.git');
  const top = roots.allowed(existsSync(inner) ? inner : folder, 'source');
  if (['HEAD', 'objects', 'refs'].every((name) => existsSync(join(top, name)))) return top;
  throw new PointsmanError(
    'InvalidInput',
    `source git+file://${folder}: no git repository on this host`,
    'Paths are those of the worker that builds; name the main work tree or a bare repository.',
  );
}

/**
 * The history of a repository of this host, to be put at the same path of a container: git runs there, because a
 * repository may configure programs that git starts. Only what is really below `top` is read: throws `InvalidInput` for
 * links that lead out of it and for objects that are borrowed elsewhere.
 */
async function localRepository(folder: string, top: string): Promise<GuestFile[]> {
  const source = `git+file://${folder}`;
  const real = realpathSync(top);
  const borrows = BORROWED.find((name) => existsSync(join(top, name)));
  if (borrows) {
    throw new PointsmanError(
      'InvalidInput',
      `source ${source}: it borrows objects of another repository (${borrows})`,
      'Make a clone of it that has its own: git clone --no-local.',
    );
  }
  // git wants the folder, also where all references are packed; it takes no file with such a name for a reference.
  const files: GuestFile[] = [{ path: join(top, 'refs', '.kept'), bytes: Buffer.alloc(0) }];
  let total = 0;
  const visit = async (at: string): Promise<void> => {
    for (const name of await readdir(join(top, at))) {
      const inside = join(at, name);
      if (NOT_NEEDED.includes(inside)) continue;
      const path = join(top, inside);
      const info = await lstat(path);
      if (info.isDirectory()) await visit(inside);
      else if (info.isSymbolicLink()) {
        if (!isWithin(await realpath(path).catch(() => real), real)) throw refused(source, `${path} leads out of it`);
        files.push({ path, bytes: Buffer.alloc(0), link: await readlink(path) });
      } else if (info.isFile()) {
        total += info.size;
        if (total > MAX_BYTES) {
          throw new PointsmanError(
            'InvalidInput',
            `source ${source}: its history is larger than 1 GiB`,
            'Make a shallow clone of it.',
          );
        }
        files.push({ path, bytes: await readFile(path) });
      }
    }
  };
  await visit('');
  return files;
}
