import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { type HandOverPolicy, parseInput, RolloutInput, type RolloutResult } from '../../contract';
import { rolloutDetails, type StartedRollout } from '../../rollout/summary';
import { inputOf } from '../../store/history';
import type { Cli } from '../context';
import { printStarted, watchCommand } from '../follow';
import { given, reachable, readInput, type Written } from '../input-file';
import { addInputOption, handOverOption, type StartFlags, warnOfProfiles, wholeOption } from '../options';
import { waited } from '../wait';
import { printAnswer } from './reading';

type RolloutStartFlags = RolloutFlags & Omit<StartFlags, 'watch'>;

/** `rollout start`: one trajectory of one problem. */
export function addStart(rollout: Command, cli: Cli): void {
  addInputOption(withRolloutFlags(rollout.command('start').description('start one trajectory of one problem')))
    .option('--problem <id|path>', 'problem to work on')
    .action(async (flags: RolloutStartFlags) => {
      const input = rolloutInput(flags.input ? readInput(flags.input) : {}, rolloutFlags(flags));
      await startRollout(cli, input, flags);
    });
}

function withRolloutFlags(command: Command): Command {
  return command
    .option('--id <id>', 'workflow id; one that runs already is joined')
    .option('--student <profile>', 'model profile of the student')
    .option('--expert <profile>', 'model profile of the expert')
    .option('--hand-over <k|a..b|never>', 'student turns before the expert', handOverOption)
    .option('--seed <n>', 'seed of the draw', wholeOption)
    .option('--attempt <n>', 'number of the pass over the instance, from 0', wholeOption)
    .option('--steps <n>', 'step limit', wholeOption)
    .option('--wait', 'wait for the result and print it');
}

function rolloutFlags({ problem, student, expert, handOver, seed, attempt, steps }: RolloutFlags): RolloutFlags {
  return { problem, student, expert, handOver, seed, attempt, steps };
}

/** Starts a checked input and prints its id, or with `wait` its result. */
async function startRollout(
  cli: Cli,
  input: Written,
  { id, wait }: Pick<RolloutStartFlags, 'id' | 'wait'>,
): Promise<void> {
  for (const author of ['student', 'expert']) warnOfProfiles(cli, [input[author]], author);
  const instance = instanceOf(input.problem, cli);
  const attempt = Number(input.attempt ?? 0);
  const authors = [input.student, input.expert].filter(Boolean).join(' → ');
  const workflowId = id ?? `rollout/${instance}/${attempt}-${randomBytes(4).toString('hex')}`;
  const handle = await cli.start('rollout', input, {
    id: workflowId,
    note: `${instance}: ${authors}`,
    details: rolloutDetails({ id: workflowId, instance, ...shownOf(input, cli) }),
  });
  if (!wait) return printStarted(cli, handle);
  await printAnswer(cli, await waited<RolloutResult>(cli, handle, { follow: watchCommand('rollout', handle) }));
}

/** `rollout fork`: the same first steps, another way on. */
export function addFork(rollout: Command, cli: Cli): void {
  withRolloutFlags(
    rollout
      .command('fork <id>')
      .description('start a rollout from the first steps of another; the expert continues by default')
      .requiredOption('--step <n>', 'the last step that is kept; 0 keeps none', wholeOption),
  ).action(async (id: string, { step, ...flags }: RolloutStartFlags & { step: number }) => {
    const client = await cli.client();
    // A trainer's gateway counts the calls of that rollout alone.
    const { carry: _, endpoints: __, ...written } = await inputOf(client.workflow.getHandle(id));
    const given = rolloutFlags(flags);
    const hasExpert = given.expert !== undefined || written.expert !== undefined;
    // Kept steps count as student turns whoever made them, so `at: step` means: the expert from here.
    const handOver = given.handOver ?? (hasExpert ? { at: step } : undefined);
    const input = rolloutInput({ ...written, fork: { run: id, step } }, { ...given, handOver });
    await startRollout(cli, input, flags);
  });
}

/** Flags that stand over what the input file says. */
interface RolloutFlags {
  readonly problem?: string;
  readonly student?: string;
  readonly expert?: string;
  readonly handOver?: HandOverPolicy;
  readonly seed?: number;
  readonly attempt?: number;
  readonly steps?: number;
}

/** File and flags put together and checked. Throws `InvalidInput` naming each wrong field. */
function rolloutInput(written: Written, flags: RolloutFlags): Written {
  const { steps, ...fields } = flags;
  const merged: Written = { ...written, ...given(fields) };
  if (steps !== undefined) merged.limits = { ...(merged.limits as object | undefined), steps };
  if (typeof merged.problem === 'string') merged.problem = reachable(merged.problem);
  parseInput(RolloutInput, merged, 'rollout');
  return merged;
}

/** The problem's id where this machine knows it, else the last part of its path. */
/** As far as it can be told here. */
function shownOf({ problem, student, expert, handOver }: Written, cli: Cli): Omit<StartedRollout, 'id' | 'instance'> {
  const given = { student: text(student), expert: text(expert), handOver };
  if (typeof problem !== 'string')
    return { ...given, statement: text((problem as { statement?: unknown })?.statement) };
  try {
    return { ...given, statement: cli.problems.resolve(problem).statement };
  } catch {
    return given;
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

function instanceOf(problem: unknown, cli: Cli): string {
  if (typeof problem !== 'string') return String((problem as { id?: unknown }).id ?? 'problem');
  try {
    return cli.problems.resolve(problem).id;
  } catch {
    return basename(problem).replace(/\.json$/, '');
  }
}
