import { basename } from 'node:path';
import { type HandOverPolicy, parseInput, RolloutInput } from '../contract';
import type { Cli } from './context';
import { given, reachable, type Written } from './input-file';

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

/** File and flags put together and checked. Throws `InvalidInput` naming each wrong field. */
export function rolloutInput(written: Written, flags: RolloutFlags): Written {
  const { steps, ...fields } = flags;
  const merged: Written = { ...written, ...given(fields) };
  if (steps !== undefined) merged.limits = { ...(merged.limits as object | undefined), steps };
  if (typeof merged.problem === 'string') merged.problem = reachable(merged.problem);
  parseInput(RolloutInput, merged, 'rollout');
  return merged;
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
