import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { nearest } from '../contract';
import type { Cli } from './context';
import { readInput, type Written } from './input-file';
import { handOverOption, wholeOption } from './options';
import { printAnswer, waited } from './rollout-answer';
import { instanceOf, type RolloutFlags, rolloutInput } from './rollout-input';

export interface StartFlags extends RolloutFlags {
  readonly input?: string;
  readonly id?: string;
  readonly wait?: boolean;
}

/** `rollout start`: one trajectory of one problem. */
export function addStart(rollout: Command, cli: Cli): void {
  withRolloutFlags(rollout.command('start').description('start one trajectory of one problem'))
    .option('-i, --input <file>', 'JSON or YAML file, "-" for standard input')
    .option('--problem <id|path>', 'problem to work on')
    .action(async (flags: StartFlags) => {
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
  { id, wait }: Pick<StartFlags, 'id' | 'wait'>,
): Promise<void> {
  warnOfProfiles(cli, input);
  const instance = instanceOf(input.problem, cli);
  const attempt = Number(input.attempt ?? 0);
  const authors = [input.student, input.expert].filter(Boolean).join(' → ');
  const handle = await cli.start('rollout', input, {
    id: id ?? `rollout/${instance}/${attempt}-${randomBytes(4).toString('hex')}`,
    note: `${instance}: ${authors}`,
  });
  if (wait) return printAnswer(cli, await waited(cli, handle));
  cli.print({ id: handle.workflowId, runId: handle.firstExecutionRunId }, () => handle.workflowId);
}

/** The worker may know other profiles than this machine, so this is only said; the workflow refuses what is wrong. */
function warnOfProfiles(cli: Cli, input: Written): void {
  const names = Object.keys(cli.settings.config.profiles);
  for (const author of ['student', 'expert']) {
    const name = input[author];
    if (typeof name !== 'string' || names.includes(name)) continue;
    const close = nearest(name, names);
    cli.say(
      `warning: ${author}: the configuration here has no profile "${name}"${close ? `, did you mean "${close}"?` : ''}`,
    );
  }
}
