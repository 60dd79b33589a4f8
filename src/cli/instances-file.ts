import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PointsmanError } from '../contract';

/** The file that a path means; undefined where there is none of that name, which may be a build's id. */
export function instancesFile(from: string): string | undefined {
  if (!existsSync(from)) return undefined;
  if (!statSync(from).isDirectory()) return resolve(from);
  const file = join(resolve(from), 'problems.jsonl');
  if (existsSync(file)) return file;
  throw new PointsmanError('NotFound', `${from} holds no problems.jsonl`, 'Give the folder of `problems build --out`.');
}
