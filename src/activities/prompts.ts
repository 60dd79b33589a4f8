import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PointsmanError, type View } from '../contract';
import { REPOSITORY } from '../home';
import { PROMPT_NAMES, type Prompts, promptFile } from '../rollout/prompts';

/** Ours, then those of extensions. */
const FOLDERS = [join(REPOSITORY, 'prompts')];
const loaded = new Map<string, Prompts>();

/** Adds the prompts of an extension's dialects. */
export function addPrompts(folder: string): void {
  FOLDERS.push(folder);
}

/** A user's file where the profile's own folder has one, else ours. */
function textOf(ours: string, own: string, { prompts }: Pick<View, 'prompts'>): string {
  const places = [...(prompts ? [join(prompts, own)] : []), ...FOLDERS.map((folder) => join(folder, ours))];
  const file = places.find((path) => existsSync(path));
  if (file) return readFileSync(file, 'utf8');
  throw new PointsmanError(
    'InvalidInput',
    `there is no prompt ${ours}`,
    'It is missing in `view.prompts` of the profile, or in `prompts` of the extension that brings the dialect.',
  );
}

/** The prompts that a rollout's history is rendered with; a user's lie in the folder itself. Read once a process. */
export function promptsFor(view: View): Prompts {
  const key = `${view.dialect} ${view.prompts ?? ''}`;
  const known = loaded.get(key);
  if (known) return known;
  const text = (name: (typeof PROMPT_NAMES)[number]) => textOf(promptFile(view.dialect, name), `${name}.md`, view);
  const prompts = Object.fromEntries(PROMPT_NAMES.map((name) => [name, text(name).replace(/\n$/, '')])) as Prompts;
  loaded.set(key, prompts);
  return prompts;
}

/**
 * The prompts of a folder by name; a user's lie in a folder of the same name. Read each time, so that a prompt which
 * somebody changes is used for the next question.
 */
export function promptFiles<Name extends string>(
  folder: string,
  names: readonly Name[],
  view: Pick<View, 'prompts'>,
): Readonly<Record<Name, string>> {
  const text = (name: Name) => textOf(`${folder}/${name}.md`, join(folder, `${name}.md`), view);
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>;
}
