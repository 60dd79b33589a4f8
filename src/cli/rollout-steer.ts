import type { Command } from 'commander';
import { quote } from '../agent/shell';
import { PointsmanError } from '../contract';
import type { Cli } from './context';
import { dollarsOption, wholeOption } from './options';

/** A worker has to take the update: this long it may be restarting. */
const PATIENCE_MS = 30_000;

const VERBS = [
  { verb: 'pause', update: 'pause', does: 'stop before the next turn', done: 'pauses before its next turn' },
  { verb: 'resume', update: 'resume', does: 'go on after a pause, or try again what parked it', done: 'goes on' },
  { verb: 'abandon', update: 'abandon', does: 'end a paused or parked rollout, keeping its work', done: 'ends' },
  {
    verb: 'hand-over',
    update: 'handOver',
    does: 'let the expert make the next turn and all after it',
    done: 'is handed over to the expert',
  },
] as const;

/** `rollout pause|resume|abandon|hand-over|budget|cancel`: what a person can do to one that runs. */
export function addSteering(rollout: Command, cli: Cli): void {
  for (const { verb, update, does, done } of VERBS) {
    rollout
      .command(`${verb} <id>`)
      .description(does)
      .action(async (id: string) => {
        const answer = await sendUpdate(cli, id, update);
        const at = answer && typeof answer === 'object' && 'turn' in answer ? ` from turn ${answer.turn}` : '';
        cli.print({ id, [update]: answer ?? true }, () => `${id} ${done}${at}`);
      });
  }
  rollout
    .command('budget <id>')
    .description('set new limits, counted from the start of the rollout')
    .option('--cost <usd>', 'USD for model calls', dollarsOption)
    .option('--steps <n>', 'turns at most', wholeOption)
    .action(async (id: string, { cost, steps }: { cost?: number; steps?: number }) => {
      if (cost === undefined && steps === undefined)
        throw new PointsmanError('InvalidInput', 'budget: nothing to set', 'Give --cost, --steps or both.');
      const wanted = { ...(cost === undefined ? {} : { costUsd: cost }), ...(steps === undefined ? {} : { steps }) };
      const limits = await sendUpdate(cli, id, 'setBudget', wanted);
      cli.print({ id, limits }, () => `${id}: limits are now ${JSON.stringify(limits)}`);
    });
  rollout
    .command('cancel <id>')
    .description('cancel: the work so far is kept as a patch')
    .action(async (id: string) => {
      const client = await cli.client();
      cli.say(`by hand: temporal workflow cancel --workflow-id ${quote(id)}`);
      const handle = client.workflow.getHandle(id);
      const { status } = await handle.describe();
      // The server takes the request for one that has ended, and nothing comes of it.
      if (status.name !== 'RUNNING')
        throw new PointsmanError(
          'NotFound',
          'the workflow has ended already',
          '`pointsman rollout show ID` shows how it ended.',
        );
      await handle.cancel();
      cli.print({ id, cancelled: true }, () => `${id}: asked to cancel`);
    });
}

/** Sends an update and gives its answer; says how to do it by hand. */
export async function sendUpdate(cli: Cli, id: string, update: string, argument?: unknown): Promise<unknown> {
  const input = argument === undefined ? '' : ` --input ${quote(JSON.stringify(argument))}`;
  cli.say(`by hand: temporal workflow update execute --workflow-id ${quote(id)} --name ${update}${input}`);
  const client = await cli.client();
  const handle = client.workflow.getHandle(id);
  return client.withDeadline(Date.now() + PATIENCE_MS, () =>
    argument === undefined
      ? handle.executeUpdate<unknown, []>(update)
      : handle.executeUpdate<unknown, [unknown]>(update, { args: [argument] }),
  );
}
