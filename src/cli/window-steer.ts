import type { Command } from 'commander';
import { quote } from '../agent/shell';
import { PointsmanError } from '../contract';
import type { Cli } from './context';
import { wholeOption } from './options';
import { sendUpdate } from './rollout-steer';

export interface Steerable {
  /** What is in flight: `candidates`, `functions`. */
  readonly units: string;
  /** What there is when it is abandoned. */
  readonly kept: string;
  /** What is left of one that is cancelled. */
  readonly cancelled: string;
  /** Command that shows one that has ended. */
  readonly show: string;
  /** Workflow ids of what is in flight, where that can be paused by itself: then `--in-flight` reaches it too. */
  readonly inFlight?: (id: string) => Promise<string[]>;
}

/** `pause|resume|abandon|concurrency|cancel ID` of whatever does many units of work at once. */
export function addWindowSteering(noun: Command, cli: Cli, steerable: Steerable): void {
  const { units, kept, cancelled, show, inFlight } = steerable;
  const verbs = [
    { verb: 'pause', does: `begin no more ${units}`, done: 'pauses when what is in flight is done' },
    { verb: 'resume', does: 'go on after a pause, or try again what parked it', done: 'goes on' },
    { verb: 'abandon', does: `end it with the ${kept} that there are`, done: 'ends' },
  ] as const;
  for (const { verb, does, done } of verbs) {
    const command = noun.command(`${verb} <id>`).description(does);
    if (inFlight && verb !== 'abandon') command.option('--in-flight', `also each of the ${units} in flight`);
    command.action(async (id: string, { inFlight: each }: { inFlight?: boolean }) => {
      await sendUpdate(cli, id, verb);
      const reached = each ? await toEach(cli, await inFlight!(id), verb) : undefined;
      cli.print({ id, [verb]: true, ...(reached === undefined ? {} : { inFlight: reached }) }, () =>
        reached === undefined ? `${id} ${done}` : `${id} ${verb}s, and ${reached} ${units} in flight`,
      );
    });
  }
  noun
    .command('concurrency <id> <n>')
    .description(`${units} in flight at once, from the next one on`)
    .action(async (id: string, n: string) => {
      const concurrency = wholeOption(n);
      await sendUpdate(cli, id, 'setConcurrency', { concurrency });
      cli.print({ id, concurrency }, () => `${id}: ${concurrency} at once`);
    });
  noun
    .command('cancel <id>')
    .description(`cancel: ${cancelled}`)
    .action(async (id: string) => {
      cli.say(`by hand: temporal workflow cancel --workflow-id ${quote(id)}`);
      const handle = (await cli.client()).workflow.getHandle(id);
      const { status } = await handle.describe();
      // The server takes the request for one that has ended, and nothing comes of it.
      if (status.name !== 'RUNNING')
        throw new PointsmanError('NotFound', 'the workflow has ended already', `\`${show}\` shows how it ended.`);
      await handle.cancel();
      cli.print({ id, cancelled: true }, () => `${id}: asked to cancel`);
    });
}

/** Sends it to each, and counts those that took it: one may have ended meanwhile. */
async function toEach(cli: Cli, ids: readonly string[], verb: string): Promise<number> {
  const { workflow } = await cli.client();
  const sent = await Promise.allSettled(ids.map((id) => workflow.getHandle(id).executeUpdate<unknown, []>(verb)));
  return sent.filter(({ status }) => status === 'fulfilled').length;
}
