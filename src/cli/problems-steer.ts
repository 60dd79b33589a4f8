import type { Command } from 'commander';
import { SwitchyardError } from '../contract';
import type { Cli } from './context';
import { wholeOption } from './options';
import { sendUpdate } from './rollout-steer';
import { quote } from './temporal-command';

const VERBS = [
  { verb: 'pause', does: 'begin no more functions', done: 'pauses when what it is at is done' },
  { verb: 'resume', does: 'go on after a pause, or try again what parked it', done: 'goes on' },
  { verb: 'abandon', does: 'end it with the problems that there are', done: 'ends' },
] as const;

/** `problems pause|resume|abandon|concurrency|cancel`: what a person can do to a build that runs. */
export function addProblemsSteering(problems: Command, cli: Cli): void {
  for (const { verb, does, done } of VERBS) {
    problems
      .command(`${verb} <id>`)
      .description(does)
      .action(async (id: string) => {
        await sendUpdate(cli, id, verb);
        cli.print({ id, [verb]: true }, () => `${id} ${done}`);
      });
  }
  problems
    .command('concurrency <id> <n>')
    .description('functions at once, from the next one on')
    .action(async (id: string, n: string) => {
      const concurrency = wholeOption(n);
      await sendUpdate(cli, id, 'setConcurrency', { concurrency });
      cli.print({ id, concurrency }, () => `${id}: ${concurrency} at once`);
    });
  problems
    .command('cancel <id>')
    .description('cancel: nothing is kept')
    .action(async (id: string) => {
      cli.say(`by hand: temporal workflow cancel --workflow-id ${quote(id)}`);
      const handle = (await cli.client()).workflow.getHandle(id);
      const { status } = await handle.describe();
      // The server takes the request for one that has ended, and nothing comes of it.
      if (status.name !== 'RUNNING')
        throw new SwitchyardError(
          'NotFound',
          'the workflow has ended already',
          '`switchyard problems show ID` shows how it ended.',
        );
      await handle.cancel();
      cli.print({ id, cancelled: true }, () => `${id}: asked to cancel`);
    });
}
