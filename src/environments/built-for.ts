import type { Deps } from '../deps';
import type { Owner } from '../sandbox/labels';
import type { GuestFile, Sandbox } from '../sandbox/sandbox';
import { type Building, buildingsIn } from '../setup/playbook/ecosystems/python-interpreter';
import { contentTag } from './problem-environment';

interface Request {
  /** Image that the sandbox was made of. */
  readonly base: string;
  /** What a build may take. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Bytes of an archive; an interpreter's is a tenth of it. */
const LARGEST = 1 << 30;

/**
 * Runs a command that may build what is the same everywhere: what its sandbox lacks of that lies there built, and the command
 * unpacks it in place of building for minutes. Safe to repeat.
 */
export async function withBuilt<T>(
  deps: Pick<Deps, 'sandboxes' | 'built'>,
  owner: Owner,
  sandbox: Sandbox,
  request: Request & { readonly command: string },
  run: () => Promise<T>,
): Promise<T> {
  const missing: Building[] = [];
  for (const building of buildingsIn(request.command)) {
    const found = await sandbox.exec({ command: 'command -v "$1"', args: [building.program] });
    if (found.exitCode !== 0) missing.push(building);
  }
  const files = await builtFiles(deps, owner, missing, request);
  if (files.length === 0) return run();
  await sandbox.write(files);
  const result = await run();
  // A command that did not come to it leaves none of it.
  await sandbox.exec({ command: 'rm -f "$@"', args: files.map(({ path }) => path) });
  return result;
}

/** What a script on the base image would build, built. */
export function builtFor(
  deps: Pick<Deps, 'sandboxes' | 'built'>,
  owner: Owner,
  script: string,
  request: Request,
): Promise<GuestFile[]> {
  return builtFiles(deps, owner, buildingsIn(script), request);
}

/**
 * Each is built once, in a sandbox of the base image that nothing of a repository has ever been in, and kept for all hosts that
 * share the store. What cannot be built here is left out: the command builds it itself then, and says what is wrong. Throws only
 * what the signal was aborted with.
 */
async function builtFiles(
  { sandboxes, built }: Pick<Deps, 'sandboxes' | 'built'>,
  owner: Owner,
  buildings: readonly Building[],
  { base, seconds, signal }: Request,
): Promise<GuestFile[]> {
  const image = buildings.length > 0 ? await sandboxes.images.find(base) : undefined;
  if (!image) return [];
  const files: GuestFile[] = [];
  for (const { script, archive } of buildings) {
    const make = () =>
      sandboxes.workshop({ owner, role: 'built', image: base, workdir: '/', network: 'bridge' }, async (sandbox) => {
        const done = await sandbox.exec({ command: script, env: sandbox.env, timeoutMs: seconds * 1000, signal });
        if (done.exitCode !== 0) throw new Error(`it ended with ${done.exitCode}`);
        return (await sandbox.read(archive, { bytes: LARGEST })).get(archive) ?? null;
      });
    const bytes = await built.get(contentTag({ image: image.id, script }), make).catch(() => null);
    signal.throwIfAborted();
    if (bytes) files.push({ path: archive, bytes });
  }
  return files;
}
