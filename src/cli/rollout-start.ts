import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { RolloutResult } from '../contract';
import type { Cli } from './context';
import { printStarted, waited, watchCommand } from './follow';
import { readInput, type Written } from './input-file';
import { handOverOption, wholeOption } from './options';
import { printAnswer } from './rollout-answer';
import { instanceOf, type RolloutFlags, rolloutInput } from './rollout-input';
import { addInputOption, type StartFlags, warnOfProfiles } from './start-options';

export type RolloutStartFlags = RolloutFlags & Omit<StartFlags, 'watch'>;

/** `rollout start`: one trajectory of one problem. */
export function addStart(rollout: Command, cli: Cli): void {
  addInputOption(withRolloutFlags(rollout.command('start').description('start one trajectory of one problem')))
    .option('--problem <id|path>', 'problem to work on')
    .action(async (flags: RolloutStartFlags) => {
      const input = rolloutInput(flags.input ? readInput(flags.input) : {}, rolloutFlags(flags));
      await startRollout(cli, input, flags);
    });
}

export function withRolloutFlags(command: Command): Command {
  return command
    .option('--id <id>', 'workflow id; one that runs already is joined')
    .option('--student <profile>', 'model profile of the student')
    .option('--expert <profile>', 'model profile of the expert')
    .option('--hand-over <k|a..b|never>', 'student turns before the expert', handOverOption)
    .option('--seed <n>', 'seed of the draw', wholeOption)
    .option('--attempt <n>', 'which pass over the instance, from 0', wholeOption)
    .option('--steps <n>', 'turns at most', wholeOption)
    .option('--wait', 'wait for the result and print it');
}

export function rolloutFlags({ problem, student, expert, handOver, seed, attempt, steps }: RolloutFlags): RolloutFlags {
  return { problem, student, expert, handOver, seed, attempt, steps };
}

/** Starts a checked input and prints its id, or with `wait` its result. */
export async function startRollout(
  cli: Cli,
  input: Written,
  { id, wait }: Pick<RolloutStartFlags, 'id' | 'wait'>,
): Promise<void> {
  for (const author of ['student', 'expert']) warnOfProfiles(cli, [input[author]], author);
  const instance = instanceOf(input.problem, cli);
  const attempt = Number(input.attempt ?? 0);
  const authors = [input.student, input.expert].filter(Boolean).join(' → ');
  const handle = await cli.start('rollout', input, {
    id: id ?? `rollout/${instance}/${attempt}-${randomBytes(4).toString('hex')}`,
    note: `${instance}: ${authors}`,
  });
  if (!wait) return printStarted(cli, handle);
  await printAnswer(cli, await waited<RolloutResult>(cli, handle, watchCommand('rollout', handle)));
}
