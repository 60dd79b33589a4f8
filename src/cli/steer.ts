import type { Command } from 'commander';
import { PointsmanError } from '../contract';
import { temporalEnvironment } from '../machine/local-services';
import { quote } from '../rollout/shell';
import type { Cli } from './context';
import { dollarsOption, wholeOption } from './options';

/** A worker has to take the update: this long it may be restarting. */
const PATIENCE_MS = 30_000;

interface Verb {
  readonly verb: string;
  readonly update: string;
  readonly does: string;
  readonly done: string;
}

const VERBS: readonly Verb[] = [
  { verb: 'pause', update: 'pause', does: 'stop before the next turn', done: 'pauses before its next turn' },
  { verb: 'resume', update: 'resume', does: 'continue after a pause, or retry what parked it', done: 'continues' },
  { verb: 'abandon', update: 'abandon', does: 'end a paused or parked rollout, keeping its work', done: 'ends' },
  {
    verb: 'hand-over',
    update: 'handOver',
    does: 'let the expert take over from the next turn',
    done: 'is handed over to the expert',
  },
];

const SETUP_VERBS: readonly Verb[] = [
  { verb: 'pause', update: 'pause', does: 'stop before the next step', done: 'pauses before its next step' },
  { verb: 'resume', update: 'resume', does: 'continue after a pause, or retry what parked it', done: 'continues' },
  { verb: 'abandon', update: 'abandon', does: 'end it with what it has', done: 'ends' },
];

/** `setup pause|resume|abandon|cancel`: what a person can do to one that runs. */
export function addSetupSteering(setup: Command, cli: Cli): void {
  addVerbs(setup, cli, SETUP_VERBS);
  addCancel(setup, cli, 'cancel: its sandbox is removed', 'pointsman setup show ID');
}

/** `rollout pause|resume|abandon|hand-over|budget|cancel`: what a person can do to one that runs. */
export function addSteering(rollout: Command, cli: Cli): void {
  addVerbs(rollout, cli, VERBS);
  rollout
    .command('budget <id>')
    .description('set new limits, counted from the start of the rollout')
    .option('--cost <usd>', 'USD for model calls', dollarsOption)
    .option('--steps <n>', 'step limit', wholeOption)
    .action(async (id: string, { cost, steps }: { cost?: number; steps?: number }) => {
      if (cost === undefined && steps === undefined)
        throw new PointsmanError('InvalidInput', 'budget: nothing to set', 'Give --cost, --steps or both.');
      const limits = await sendUpdate(cli, id, 'setBudget', { costUsd: cost, steps });
      cli.print({ id, limits }, () => `${id}: limits are now ${JSON.stringify(limits)}`);
    });
  addCancel(rollout, cli, 'cancel: the work so far is kept as a patch', 'pointsman rollout show ID');
}

function addVerbs(noun: Command, cli: Cli, verbs: readonly Verb[]): void {
  for (const { verb, update, does, done } of verbs) {
    noun
      .command(`${verb} <id>`)
      .description(does)
      .action(async (id: string) => {
        const answer = await sendUpdate(cli, id, update);
        const at = answer && typeof answer === 'object' && 'turn' in answer ? ` from turn ${answer.turn}` : '';
        cli.print({ id, [update]: answer ?? true }, () => `${id} ${done}${at}`);
      });
  }
}

/** `show` is the command for one that has ended. */
function addCancel(noun: Command, cli: Cli, does: string, show: string): void {
  noun
    .command('cancel <id>')
    .description(does)
    .action(async (id: string) => {
      const handle = (await cli.client()).workflow.getHandle(id);
      cli.say(`by hand: ${temporalEnvironment()}temporal workflow cancel --workflow-id ${quote(id)}`);
      const { status } = await handle.describe();
      // The server takes the request for one that has ended, and nothing comes of it.
      if (status.name !== 'RUNNING')
        throw new PointsmanError('NotFound', 'the workflow has ended already', `\`${show}\` shows how it ended.`);
      await handle.cancel();
      cli.print({ id, cancelled: true }, () => `${id}: asked to cancel`);
    });
}

/** Sends an update and gives its answer; says how to do it by hand. */
export async function sendUpdate(cli: Cli, id: string, update: string, argument?: unknown): Promise<unknown> {
  const input = argument === undefined ? '' : ` --input ${quote(JSON.stringify(argument))}`;
  const client = await cli.client();
  cli.say(
    `by hand: ${temporalEnvironment()}temporal workflow update execute --workflow-id ${quote(id)} --name ${update}${input}`,
  );
  const handle = client.workflow.getHandle(id);
  return client.withDeadline(Date.now() + PATIENCE_MS, () =>
    argument === undefined
      ? handle.executeUpdate<unknown, []>(update)
      : handle.executeUpdate<unknown, [unknown]>(update, { args: [argument] }),
  );
}

interface Steerable {
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
    { verb: 'pause', does: `start no more ${units}`, done: 'pauses when running work is finished' },
    { verb: 'resume', does: 'continue after a pause, or retry what parked it', done: 'continues' },
    { verb: 'abandon', does: `end it with the ${kept} so far`, done: 'ends' },
  ] as const;
  for (const { verb, does, done } of verbs) {
    const command = noun.command(`${verb} <id>`).description(does);
    if (inFlight && verb !== 'abandon') command.option('--in-flight', `also each of the ${units} in flight`);
    command.action(async (id: string, { inFlight: each }: { inFlight?: boolean }) => {
      await sendUpdate(cli, id, verb);
      const reached = each ? await toEach(cli, await inFlight!(id), verb) : undefined;
      cli.print({ id, [verb]: true, inFlight: reached }, () =>
        reached === undefined ? `${id} ${done}` : `${id} ${verb}s, and so do ${reached} running ${units}`,
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
  addCancel(noun, cli, `cancel: ${cancelled}`, show);
}

/** Sends it to each, and counts those that took it: one may have ended meanwhile. */
async function toEach(cli: Cli, ids: readonly string[], verb: string): Promise<number> {
  const { workflow } = await cli.client();
  const sent = await Promise.allSettled(ids.map((id) => workflow.getHandle(id).executeUpdate<unknown, []>(verb)));
  return sent.filter(({ status }) => status === 'fulfilled').length;
}
