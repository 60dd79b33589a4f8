import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Problem } from '../../contract';

/** A folder name for an id: what shells and other systems trouble with becomes `-`. */
export function readable(id: string): string {
  return (
    id
      .replace(/^(pypi|dir|archive):/, '')
      .replace(/[^A-Za-z0-9._=-]+/g, '-')
      .replace(/^[-.]+/, '') || 'problem'
  );
}

/**
 * Writes `problem.json`, which holds everything, and beside it for readers the gold patch, the statement and the hidden
 * tests as files. Replaces an earlier problem of the same folder whole. Gives the folder.
 */
export function writeProblem(folder: string, problem: Problem): string {
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'tests'), { recursive: true, force: true });
  const write = (path: string, body: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), body);
  };
  write('statement.md', `${problem.statement.trimEnd()}\n`);
  if (problem.goldPatch !== undefined) write('gold.patch', problem.goldPatch);
  for (const { path, content } of problem.tests.files) {
    if (typeof content === 'string') write(`tests/${path}`, content);
    else if (content && 'base64' in content) write(`tests/${path}`, Buffer.from(content.base64, 'base64'));
  }
  write('problem.json.new', `${JSON.stringify(problem, null, 2)}\n`);
  renameSync(join(folder, 'problem.json.new'), join(folder, 'problem.json'));
  return folder;
}
