import type { Command } from 'commander';
import type { Cli } from './context';
import { dollarsOption } from './options';
import { sendUpdate } from './rollout-steer';
import { addWindowSteering } from './window-steer';

/** `evaluation pause|resume|abandon|concurrency|cancel|budget`: what a person can do to one that runs. */
export function addEvaluationSteering(evaluation: Command, cli: Cli): void {
  addWindowSteering(evaluation, cli, {
    units: 'candidates',
    kept: 'candidates',
    cancelled: 'what was done is kept and can be shown',
    show: 'pointsman evaluation show ID',
  });
  evaluation
    .command('budget <id> <usd>')
    .description('set a new cap, counted from the start')
    .action(async (id: string, usd: string) => {
      const costUsd = dollarsOption(usd);
      await sendUpdate(cli, id, 'setBudget', { costUsd });
      cli.print({ id, costUsd }, () => `${id}: at most $${costUsd}`);
    });
}
