import { existsSync } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PointsmanError } from '../contract';
import type { GuestFile } from '../sandbox/sandbox';

const MAX_BYTES = 1 << 30;

/**
 * The history of a repository of this host, to be put at the same path of a container: git runs there, because a
 * repository may configure programs that git starts. Throws `InvalidInput` for what is no repository, so that a
 * submodule's address cannot make a worker give other folders away.
 */
export async function localRepository(folder: string): Promise<GuestFile[]> {
  const inner = join(folder, '.git');
  const top = existsSync(inner) ? inner : folder;
  if (!['HEAD', 'objects', 'refs'].every((name) => existsSync(join(top, name)))) {
    throw new PointsmanError(
      'InvalidInput',
      `source git+file://${folder}: no git repository on this host`,
      'Paths are those of the worker that builds; name the main work tree or a bare repository.',
    );
  }
  // git wants the folder, also where all references are packed; it takes no file with such a name for a reference.
  const files: GuestFile[] = [{ path: join(top, 'refs', '.kept'), bytes: Buffer.alloc(0) }];
  let total = 0;
  for (const name of await readdir(top, { recursive: true, encoding: 'utf8' })) {
    const path = join(top, name);
    const info = await lstat(path);
    if (!info.isFile()) continue;
    total += info.size;
    if (total > MAX_BYTES) {
      throw new PointsmanError(
        'InvalidInput',
        `source git+file://${folder}: its history is larger than 1 GiB`,
        'Make a shallow clone of it.',
      );
    }
    files.push({ path, bytes: await readFile(path) });
  }
  return files;
}
