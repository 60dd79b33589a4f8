import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { room } from '../home';
import { onPath } from '../machine/command';
import { temporalEnvironment } from '../machine/local-services';
import { temporalBinary } from '../machine/temporal';
import { quote } from '../rollout/shell';

/** Inputs that are longer are given as a file: nobody copies a patch out of a command line. */
const INLINE_CHARS = 400;

/** The same start with the Temporal CLI, quoted for a POSIX shell. A long input is written beside the logs of this home. */
export function temporalCommand(type: string, queue: string, id: string, input: unknown): string {
  const json = JSON.stringify(input);
  const given = json.length <= INLINE_CHARS ? `--input ${quote(json)}` : `--input-file ${quote(near(kept(id, json)))}`;
  return `${temporalName()} workflow start --type ${type} --task-queue ${quote(queue)} --workflow-id ${quote(id)} ${given}`;
}

/**
 * What to type for the Temporal CLI here: its name where PATH has it, else the path of the one that set-up fetched, with the
 * address of a server that is not where it looks by itself.
 */
export function temporalName(): string {
  const binary = temporalBinary();
  const name = onPath('temporal').length > 0 || !binary ? 'temporal' : quote(near(binary));
  return temporalEnvironment() + name;
}

function kept(id: string, json: string): string {
  const folder = join(room('run'), 'inputs');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${id.replace(/[^A-Za-z0-9._-]+/g, '-')}.json`);
  writeFileSync(file, `${json}\n`);
  return file;
}

/** A path as short as it can be said from where we are. */
export function near(path: string): string {
  const way = relative(process.cwd(), path);
  return way.startsWith('..') ? path : way;
}
