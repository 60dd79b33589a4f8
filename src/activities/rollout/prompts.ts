import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { View } from '../../contract';
import { PROMPT_NAMES, type Prompts, promptFile } from '../../rollout/prompts';

const OURS = resolve(__dirname, '../../../prompts');
const loaded = new Map<string, Prompts>();

/** The prompts of a view: a user's file where the view's folder has one, else ours. Read once a process. */
export function promptsFor(view: View): Prompts {
  const key = `${view.dialect} ${view.prompts ?? ''}`;
  const known = loaded.get(key);
  if (known) return known;
  const prompts = Object.fromEntries(
    PROMPT_NAMES.map((name) => {
      const own = view.prompts ? join(view.prompts, `${name}.md`) : undefined;
      const file = own && existsSync(own) ? own : join(OURS, promptFile(view.dialect, name));
      return [name, readFileSync(file, 'utf8').replace(/\n$/, '')];
    }),
  ) as Prompts;
  loaded.set(key, prompts);
  return prompts;
}
