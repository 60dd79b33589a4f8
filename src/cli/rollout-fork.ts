import type { Command } from 'commander';
import { inputOf } from '../history/started';
import type { Cli } from './context';
import { wholeOption } from './options';
import { rolloutInput } from './rollout-input';
import { type RolloutStartFlags, rolloutFlags, startRollout, withRolloutFlags } from './rollout-start';

/** `rollout fork`: the same first steps, another way on. */
export function addFork(rollout: Command, cli: Cli): void {
  withRolloutFlags(
    rollout
      .command('fork <id>')
      .description('start a rollout from the first steps of another; the expert goes on unless told otherwise')
      .requiredOption('--step <n>', 'steps that are kept, counted from 1; 0 keeps none', wholeOption),
  ).action(async (id: string, { step, ...flags }: RolloutStartFlags & { step: number }) => {
    const client = await cli.client();
    const { carry: _, ...written } = await inputOf(client.workflow.getHandle(id));
    const given = rolloutFlags(flags);
    const hasExpert = given.expert !== undefined || written.expert !== undefined;
    // Kept steps count as student turns whoever made them, so `at: step` means: the expert from here.
    const handOver = given.handOver ?? (hasExpert ? { at: step } : undefined);
    const input = rolloutInput({ ...written, fork: { run: id, step } }, { ...given, handOver });
    await startRollout(cli, input, flags);
  });
}
