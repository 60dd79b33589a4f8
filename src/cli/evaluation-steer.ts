import type { Command } from 'commander';
import { SwitchyardError } from '../contract';
import type { Cli } from './context';
import { dollarsOption, wholeOption } from './options';
import { sendUpdate } from './rollout-steer';
import { quote } from './temporal-command';

const VERBS = [
  { verb: 'pause', does: 'begin no more candidates', done: 'pauses when what is in flight is done' },
  { verb: 'resume', does: 'go on after a pause, or try again what parked it', done: 'goes on' },
  { verb: 'abandon', does: 'end it with the candidates that there are', done: 'ends' },
] as const;

/** `evaluation pause|resume|abandon|concurrency|budget|cancel`: what a person can do to one that runs. */
export function addEvaluationSteering(evaluation: Command, cli: Cli): void {
  for (const { verb, does, done } of VERBS) {
    evaluation
      .command(`${verb} <id>`)
      .description(does)
      .action(async (id: string) => {
        await sendUpdate(cli, id, verb);
        cli.print({ id, [verb]: true }, () => `${id} ${done}`);
      });
  }
  evaluation
    .command('concurrency <id> <n>')
    .description('candidates in flight at once, from the next one on')
    .action(async (id: string, n: string) => {
      const concurrency = wholeOption(n);
      await sendUpdate(cli, id, 'setConcurrency', { concurrency });
      cli.print({ id, concurrency }, () => `${id}: ${concurrency} at once`);
    });
  evaluation
    .command('budget <id> <usd>')
    .description('set a new cap, counted from the start')
    .action(async (id: string, usd: string) => {
      const costUsd = dollarsOption(usd);
      await sendUpdate(cli, id, 'setBudget', { costUsd });
      cli.print({ id, costUsd }, () => `${id}: at most $${costUsd}`);
    });
  evaluation
    .command('cancel <id>')
    .description('cancel: what was done is kept and can be shown')
    .action(async (id: string) => {
      cli.say(`by hand: temporal workflow cancel --workflow-id ${quote(id)}`);
      const handle = (await cli.client()).workflow.getHandle(id);
      const { status } = await handle.describe();
      // The server takes the request for one that has ended, and nothing comes of it.
      if (status.name !== 'RUNNING')
        throw new SwitchyardError(
          'NotFound',
          'the workflow has ended already',
          '`switchyard evaluation show ID` shows it.',
        );
      await handle.cancel();
      cli.print({ id, cancelled: true }, () => `${id}: asked to cancel`);
    });
}
