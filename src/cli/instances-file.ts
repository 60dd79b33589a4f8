import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { FunctionInstance, parseInput, SwitchyardError } from '../contract';

/** The file that a path means; undefined where there is none of that name, which may be a build's id. */
export function instancesFile(from: string): string | undefined {
  if (!existsSync(from)) return undefined;
  if (!statSync(from).isDirectory()) return resolve(from);
  const file = join(resolve(from), 'problems.jsonl');
  if (existsSync(file)) return file;
  throw new SwitchyardError(
    'NotFound',
    `${from} holds no problems.jsonl`,
    'Give the folder of `problems build --out`.',
  );
}

/** Throws `InvalidInput` that names the line. */
export function instancesIn(text: string, name: string): FunctionInstance[] {
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const where = `${name}: line ${at + 1}`;
    return [parseInput<FunctionInstance>(FunctionInstance, jsonOf(line, where), where)];
  });
}

function jsonOf(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SwitchyardError(
      'InvalidInput',
      `${where}: not JSON: ${(error as Error).message}`,
      'A problems.jsonl holds one function problem a line.',
    );
  }
}
