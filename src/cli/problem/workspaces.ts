import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseInput } from '../../contract';
import { pointsmanHome } from '../../home';

const Exported = z.strictObject({ image: z.string(), task: z.string() });
type Exported = z.infer<typeof Exported>;

/** The sandboxes that this home kept as images, and the task that each was kept for. */
const file = () => join(pointsmanHome(), 'workspaces.jsonl');

/** Writes down what a task is made of; `task` is its folder. */
export function rememberWorkspace(image: string, task: string): void {
  appendFileSync(file(), `${JSON.stringify({ image, task })}\n`);
}

/** Images that no task needs any more: the folder of each is gone, or holds another. */
export function unneededWorkspaces(): string[] {
  const known = exported();
  const needed = new Set(known.filter(isThere).map(({ image }) => image));
  return [...new Set(known.map(({ image }) => image))].filter((image) => !needed.has(image));
}

export function forgetWorkspaces(images: readonly string[]): void {
  const kept = exported().filter(({ image }) => !images.includes(image));
  writeFileSync(file(), kept.map((each) => `${JSON.stringify(each)}\n`).join(''));
}

function exported(): Exported[] {
  if (!existsSync(file())) return [];
  const lines = readFileSync(file(), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => parseInput(Exported, JSON.parse(line), file()));
}

function isThere({ image, task }: Exported): boolean {
  const dockerfile = join(task, 'environment', 'Dockerfile');
  return existsSync(dockerfile) && readFileSync(dockerfile, 'utf8').includes(`FROM ${image}\n`);
}
