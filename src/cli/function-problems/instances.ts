import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type FunctionInstance, nearest, PointsmanError } from '../../contract';
import { instancesIn } from '../../store/instances';
import type { Cli } from '../context';
import { readBuild } from './reading';

/** Instances and where they come from. */
interface Instances {
  readonly from: string;
  readonly instances: readonly FunctionInstance[];
}

/** Of a `problems.jsonl`, of the folder that `function-problems build --out` wrote, or of a build on the server. */
export async function readInstances(cli: Cli, from: string): Promise<Instances> {
  const file = instancesFile(from);
  if (file !== undefined) return { from: file, instances: instancesIn(readFileSync(file, 'utf8'), file) };
  const { instances, result, status } = await readBuild(cli, from);
  if (result) return { from, instances };
  throw new PointsmanError(
    'NotFound',
    `${from} has no problems${status === 'running' ? ' yet' : ` (${status})`}`,
    `\`pointsman function-problems show ${from}\` says where it is.`,
  );
}

/** By id, or by the dotted name of its function where only one has it. Throws `NotFound` that suggests the nearest. */
export function instanceNamed({ from, instances }: Instances, id: string): FunctionInstance {
  const exact = instances.find((each) => each.id === id);
  if (exact) return exact;
  const dotted = instances.filter(({ subject: { target } }) => `${target.module}.${target.name}` === id);
  if (dotted.length === 1 && dotted[0]) return dotted[0];
  const close = nearest(
    id,
    instances.flatMap((each) => [each.id, `${each.subject.target.module}.${each.subject.target.name}`]),
  );
  throw new PointsmanError(
    'NotFound',
    `${from} has no problem "${id}"${close ? `, did you mean "${close}"?` : ''}`,
    `\`pointsman function-problems list ${from}\` lists those it has.`,
  );
}

/** The file that a path means; undefined where there is none of that name, which may be a build's id. */
export function instancesFile(from: string): string | undefined {
  if (!existsSync(from)) return undefined;
  if (!statSync(from).isDirectory()) return resolve(from);
  const file = join(resolve(from), 'problems.jsonl');
  if (existsSync(file)) return file;
  throw new PointsmanError(
    'NotFound',
    `${from} holds no problems.jsonl`,
    'Give the folder of `function-problems build --out`.',
  );
}
