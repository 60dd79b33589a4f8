import type { Command } from 'commander';
import type { Cli } from './context';
import { dollarsOption } from './options';
import { sendUpdate } from './rollout-steer';
import { addWindowSteering } from './window-steer';

/** `pause|resume|abandon|concurrency|cancel|budget ID` of an analysis that looks at each trajectory by itself. */
export function addAnalysisSteering(noun: Command, cli: Cli): void {
  addWindowSteering(noun, cli, {
    units: 'trajectories',
    kept: 'trajectories',
    cancelled: 'what was paid for is kept, so that it can be started again for less',
    show: `pointsman ${noun.name()} show ID`,
  });
  noun
    .command('budget <id> <usd>')
    .description('set a new cap, counted from the start; then resume')
    .action(async (id: string, usd: string) => {
      const costUsd = dollarsOption(usd);
      await sendUpdate(cli, id, 'setBudget', { costUsd });
      cli.print({ id, costUsd }, () => `${id}: at most $${costUsd}`);
    });
}
