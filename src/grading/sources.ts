import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../activities/deps';
import { SwitchyardError } from '../contract';
import type { Owner } from '../sandbox/labels';
import { readArchive, readFolder, type SourceTree } from './archive';
import { type GuestResult, runInGuest } from './guestExec';
import { getFiles, putFiles } from './guestFiles';
import { openWorkshop } from './workshop';

export interface Source {
  readonly tree: SourceTree;
  /** Of the archive as fetched; of a folder, the digest of its files. */
  readonly sha256: string;
}

/**
 * Fetches a source once: an archive whose sha256 is known and in the blob store is taken from there, so what was built
 * can be built again without a network. Throws `InvalidInput` for what is not there or is not what was announced.
 */
export async function fetchSource(
  deps: Deps,
  owner: Owner,
  name: string,
  known: string | undefined,
  base: string,
  signal: AbortSignal,
): Promise<Source> {
  const [kind, rest] = [name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1)];
  if (kind === 'dir') return fromFolder(rest);
  const [path, announced] = rest.split('#sha256=') as [string, string | undefined];
  const expected = known ?? announced;
  if (expected && (await deps.blobs.has(expected))) {
    return { tree: await readArchive(await deps.blobs.get(expected), name), sha256: expected };
  }
  const bytes = kind === 'pypi' ? await fromIndex(deps, owner, rest, base, signal) : fromFile(path);
  const { sha256 } = await deps.blobs.put(bytes);
  if (expected && sha256 !== expected) {
    throw new SwitchyardError(
      'InvalidInput',
      `source ${name}: sha256 is ${sha256}, expected ${expected}`,
      'Fetch it again, or correct the digest.',
    );
  }
  return { tree: await readArchive(bytes, name), sha256 };
}

async function fromFolder(folder: string): Promise<Source> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new SwitchyardError(
      'InvalidInput',
      `source dir:${folder}: no such folder on this host`,
      'Paths are those of the worker that builds.',
    );
  }
  const tree = await readFolder(folder);
  const hash = createHash('sha256');
  for (const [path, file] of tree) {
    const body = createHash('sha256')
      .update(file.link ?? file.bytes)
      .digest('hex');
    hash.update(`${path}\0${file.link === undefined ? '' : 'link'}${file.executable}\0${body}\n`);
  }
  return { tree, sha256: hash.digest('hex') };
}

function fromFile(path: string): Buffer {
  if (existsSync(path)) return readFileSync(path);
  throw new SwitchyardError(
    'InvalidInput',
    `source archive:${path}: no such file on this host`,
    'Paths are those of the worker that builds.',
  );
}

/** In a container, because it has the pip whose configuration counts; the host needs no Python. */
async function fromIndex(deps: Deps, owner: Owner, spec: string, base: string, signal: AbortSignal): Promise<Buffer> {
  const [name, version] = spec.split('==') as [string, string];
  return openWorkshop(
    deps,
    { owner, role: 'fetch', image: base, workdir: '/', network: 'bridge' },
    async ({ container, env }) => {
      const script = readFileSync(join(__dirname, '..', 'sandbox', 'guest', 'sdist.py'));
      await putFiles(container, [{ path: '/tmp/sdist.py', bytes: script }]);
      const done: GuestResult = await runInGuest(container, {
        command: 'python3 /tmp/sdist.py "$@"',
        args: [name, version, '/opt/sdist'],
        env,
        timeoutMs: 600_000,
        signal,
      });
      if (done.exitCode === 0) return (await getFiles(container, '/opt/sdist')).get('/opt/sdist')!;
      const said = done.stderr.toString('utf8').trim().split('\n').at(-1) ?? '';
      if (said.startsWith('no source distribution')) {
        throw new SwitchyardError(
          'InvalidInput',
          `source pypi:${spec}: ${said}`,
          'Name a version that has a source distribution.',
        );
      }
      throw new SwitchyardError(
        'Unavailable',
        `source pypi:${spec}: ${said}`,
        'The package index must be reachable; see PIP_INDEX_URL and proxy settings.',
      );
    },
  );
}
