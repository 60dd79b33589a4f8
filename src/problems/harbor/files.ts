import { createHash } from 'node:crypto';
import { PointsmanError } from '../../contract/errors';
import type { TestFile } from '../../contract/problem';

/** A file of a task's folder. */
export interface TaskFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Of images that are made of a task's files, tagged with their digest. */
export const REPOSITORY = 'pointsman/task';

/** The files of a folder, their paths from there. */
export function filesBelow(files: ReadonlyMap<string, TaskFile>, folder: string): TestFile[] {
  return [...files].flatMap(([path, { bytes, executable }]) => {
    if (!path.startsWith(`${folder}/`)) return [];
    const text = bytes.toString('utf8');
    const content = Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
    return [{ path: path.slice(folder.length + 1), content, ...(executable ? { executable } : {}) }];
  });
}

export function digestOf(files: readonly TestFile[]): string {
  return createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 20);
}

export const refused = (why: string) =>
  new PointsmanError('InvalidInput', why, 'docs/guide-problems.md says what is read of tasks in this layout.');
