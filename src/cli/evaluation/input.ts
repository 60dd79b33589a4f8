import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { EvaluationInput, type FunctionProblemsResult, PointsmanError, parseInput, type Ref } from '../../contract';
import type { Cli } from '../context';
import { given, type Written } from '../input-file';

/** Flags that stand over what the input file says. */
export interface EvaluationFlags {
  readonly problems?: string;
  readonly solver?: string;
  readonly only?: readonly string[];
  readonly samples?: number;
  readonly k?: readonly number[];
  readonly context?: string;
  readonly planFirst?: boolean;
  readonly repairs?: number;
  readonly concurrency?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly cost?: number;
}

/**
 * File and flags put together and checked, defaults left to the workflow. `problems` may also be the id of a build on the
 * server. Throws `InvalidInput` that names each wrong field.
 */
export async function evaluationInput(cli: Cli, written: Written, flags: EvaluationFlags): Promise<Written> {
  const { cost, ...named } = flags;
  const fields = { ...named, costUsd: cost };
  const merged: Written = { ...written, ...given(fields) };
  if (typeof merged.problems === 'string' && merged.problems !== '')
    merged.problems = await found(cli, merged.problems);
  parseInput<unknown>(EvaluationInput, merged, 'evaluation');
  return merged;
}

/** The worker runs in another folder, so a path is handed to it in full. What is no file here may be a build. */
async function found(cli: Cli, problems: string): Promise<string | Ref> {
  if (existsSync(problems)) return resolve(problems);
  return (await instancesOf(await cli.client(), problems)) ?? absent(problems);
}

async function instancesOf(client: Client, id: string): Promise<Ref | undefined> {
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  if (described?.type !== 'functionProblems') return undefined;
  if (described.status.name === 'COMPLETED') return ((await handle.result()) as FunctionProblemsResult).instances;
  throw new PointsmanError('InvalidInput', `problems: the build ${id} has not ended with problems`, 'Wait for it.');
}

function absent(problems: string): never {
  throw new PointsmanError(
    'InvalidInput',
    `problems: no file ${resolve(problems)}, and no build of that id`,
    'Give a problems.jsonl, or the id of a finished build.',
  );
}
