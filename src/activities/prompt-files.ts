import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { View } from '../contract';

const OURS = resolve(__dirname, '../../prompts');

/**
 * The prompts of a folder by name: a user's file in the folder of that name in the profile's own, else ours. Read each time,
 * so that a prompt which somebody mends is used for the next question.
 */
export function promptFiles<Name extends string>(
  folder: string,
  names: readonly Name[],
  { prompts }: Pick<View, 'prompts'>,
): Readonly<Record<Name, string>> {
  const text = (name: Name) => {
    const own = prompts ? join(prompts, folder, `${name}.md`) : undefined;
    return readFileSync(own && existsSync(own) ? own : join(OURS, folder, `${name}.md`), 'utf8');
  };
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>;
}
