import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isPointsmanError, PointsmanError } from '../../contract';
import type { TaskFile } from '../../problems/harbor/files';
import { readHarborTask } from '../../problems/harbor/read';
import type { ImportedRow } from '../../problems/readers';

/** Bytes of one task that are taken along: they travel with the problem. */
const MOST = 64 << 20;

/** The tasks that a path stands for: a task's folder or its `task.toml`, or a folder of such folders. None for anything else. */
export function tasksAt(path: string): string[] {
  const is = (folder: string) => existsSync(join(folder, 'task.toml'));
  if (basename(path) === 'task.toml') return [dirname(resolve(path))];
  if (!existsSync(path) || !statSync(path).isDirectory()) return [];
  if (is(path)) return [resolve(path)];
  const folders = readdirSync(path).map((name) => resolve(path, name));
  return folders.filter(is).sort();
}

/** Each task as a problem, or why it is none; `line` counts them. */
export async function* importTasks(folders: readonly string[], only: readonly string[]): AsyncGenerator<ImportedRow> {
  const seen = new Map<string, string>();
  for (const [at, folder] of folders.entries()) {
    const line = at + 1;
    const name = basename(folder);
    try {
      const { problem, notes } = readHarborTask(filesOf(folder), name);
      const { id } = problem;
      if (only.length > 0 && !only.includes(id) && !only.includes(name)) continue;
      const before = seen.get(id);
      if (before === undefined) yield { line, problem, notes };
      else yield { line, id, reason: `${before} has the same id` };
      seen.set(id, before ?? name);
    } catch (error) {
      if (!isPointsmanError(error)) throw error;
      if (only.length === 0 || only.includes(name)) yield { line, id: name, reason: error.message };
    }
  }
}

/** Links are not followed: a task from elsewhere names no file of this machine. */
function filesOf(folder: string): Map<string, TaskFile> {
  const files = new Map<string, TaskFile>();
  let bytes = 0;
  const look = (path: string) => {
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) {
      for (const name of readdirSync(join(folder, path)).sort()) look(path === '' ? name : `${path}/${name}`);
    } else if (stats.isFile()) {
      bytes += stats.size;
      if (bytes > MOST)
        throw new PointsmanError(
          'InvalidInput',
          `its files are more than ${MOST >> 20} MiB`,
          'Build its image yourself and name it as [environment] docker_image.',
        );
      files.set(path, { bytes: readFileSync(join(folder, path)), executable: (stats.mode & 0o111) !== 0 });
    }
  };
  look('');
  return files;
}
