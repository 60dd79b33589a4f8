import { existsSync, statSync } from 'node:fs';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { PointsmanError } from '../contract';
import { type SourceTree, TreeBuilder } from './tree';

const LEFT_BEHIND = ['.git', '__pycache__', '.venv', '.pytest_cache', 'node_modules'];

/**
 * A folder of this host, without version control and what tools left behind. Throws `InvalidInput` where it is missing,
 * empty, or holds a link that leads out of it.
 */
export async function readFolder(folder: string): Promise<SourceTree> {
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
      const info = await lstat(join(folder, path));
      into.enter();
      if (info.isDirectory()) await visit(path);
      else if (info.isSymbolicLink()) into.link(path, await readlink(join(folder, path)));
      else if (info.isFile()) {
        into.count(info.size);
        into.file(path, await readFile(join(folder, path)), (info.mode & 0o100) !== 0);
      }
    }
  };
  await visit('');
  return into.finished();
}
