import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parse } from 'yaml';
import type { HandOverPolicy } from '../contract';
import { parseInput, RolloutInput, SwitchyardError } from '../contract';
import type { Cli } from './context';

/** Flags that stand over what the input file says. */
export interface RolloutFlags {
  readonly problem?: string;
  readonly student?: string;
  readonly expert?: string;
  readonly handOver?: HandOverPolicy;
  readonly seed?: number;
  readonly attempt?: number;
  readonly steps?: number;
}

/** What is sent: as written, defaults left to the workflow, so that the printed command stays readable. */
export type Written = Record<string, unknown>;

/** A JSON or YAML file, `-` for standard input. Throws `InvalidInput` with the reason. */
export function readInput(file: string): Written {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new SwitchyardError('InvalidInput', `--input ${file}: cannot be read (${reason})`, 'Check the path.');
  }
  let value: unknown;
  try {
    // JSON is YAML, and a person may write either.
    value = parse(text);
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    throw new SwitchyardError('InvalidInput', `--input ${file}: neither JSON nor YAML: ${reason}`, 'Mend the syntax.');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Written;
  throw new SwitchyardError(
    'InvalidInput',
    `--input ${file}: expected an object with the fields of a rollout (found ${value === null ? 'nothing' : typeof value})`,
    'examples/rollout.json is one.',
  );
}

/** File and flags put together and checked. Throws `InvalidInput` naming each wrong field. */
export function rolloutInput(written: Written, flags: RolloutFlags): Written {
  const { steps, ...fields } = flags;
  const merged: Written = { ...written };
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) merged[name] = value;
  if (steps !== undefined) merged.limits = { ...(merged.limits as object | undefined), steps };
  if (typeof merged.problem === 'string') merged.problem = reachable(merged.problem);
  parseInput(RolloutInput, merged, 'rollout');
  return merged;
}

/** The worker runs in another folder, so a path is handed to it in full; an id stays an id. */
function reachable(problem: string): string {
  return existsSync(problem) ? resolve(problem) : problem;
}

/** The problem's id where this machine knows it, else the last part of its path. */
export function instanceOf(problem: unknown, cli: Cli): string {
  if (typeof problem !== 'string') return String((problem as { id?: unknown }).id ?? 'problem');
  try {
    return cli.problems.resolve(problem).id;
  } catch {
    return basename(problem).replace(/\.json$/, '');
  }
}
