import { runCommand } from './command';

const BUILD_MS = 1_800_000;
const HINT =
  'Is the registry there, and did this user `docker login` to it? One without TLS must be among the engine’s insecure ones.';

/**
 * Builds a folder's Dockerfile and pushes it to a repository, tagged with the image's digest. Gives its full name. By the
 * `docker` command, which knows how this user logged in. Throws `Unavailable` with what it said.
 */
export async function pushBuilt(folder: string, repository: string): Promise<string> {
  const docker = (...args: string[]) => runCommand('docker', args, { timeoutMs: BUILD_MS, hint: HINT });
  const id = (await docker('build', '--quiet', folder)).trim().split('\n').at(-1)!;
  const image = `${repository}:${id.replace(/^sha256:/, '').slice(0, 20)}`;
  await docker('tag', id, image);
  await docker('push', '--quiet', image);
  return image;
}
