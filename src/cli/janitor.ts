import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { removeImage } from '../machine/image';
import { janitorId, scheduleJanitor } from '../machine/janitor-schedule';
import { count } from '../pages/figures';
import type { HostSweep } from '../workflows/janitor';
import type { Cli } from './context';
import { runToEnd } from './follow';
import { secondsOption } from './options';
import { forgetWorkspaces, unneededWorkspaces } from './problem/workspaces';

interface Flags {
  readonly olderThan?: number;
  readonly host: string[];
}

/** `janitor run` once, `janitor schedule` for good: removes sandboxes that no running workflow owns. */
export function addJanitorCommands(janitor: Command, cli: Cli): void {
  withHosts(
    janitor
      .command('run')
      .description('sweep now and say what was removed')
      .option('--workspaces', 'only images of sandboxes that `rollout export` kept here, whose tasks are gone'),
  ).action(async (flags: Flags & { workspaces?: boolean }) => {
    if (flags.workspaces) return sweepWorkspaces(cli);
    const input = inputOf(cli, flags);
    const id = `janitor/${input.hosts.join('+')}/${randomBytes(4).toString('hex')}`;
    const sweeps = await runToEnd<HostSweep[]>(cli, 'janitor', input, { id });
    cli.print({ id, sweeps }, () => sweeps.map(sweepLine).join('\n'));
    if (sweeps.some((sweep) => 'failed' in sweep)) process.exitCode = 1;
  });
  withHosts(janitor.command('schedule').description('sweep regularly, on a Temporal Schedule'))
    .option('--every <duration>', 'time between sweeps', secondsOption, 300)
    .action(async (flags: Flags & { every: number }) => {
      const input = inputOf(cli, flags);
      const id = janitorId(input.hosts);
      const made = await scheduleJanitor(await cli.client(), { queue: cli.queue, input, everySeconds: flags.every });
      cli.say(`by hand: temporal schedule describe --schedule-id ${id}`);
      cli.print({ id, everySeconds: flags.every, made }, () => `${id}: ${made}, every ${flags.every} s`);
    });
}

async function sweepWorkspaces(cli: Cli): Promise<void> {
  const images = unneededWorkspaces();
  for (const image of images) await removeImage(image);
  forgetWorkspaces(images);
  cli.print({ images }, () =>
    [
      `removed ${count(images.length, 'image')} of sandboxes whose tasks are gone`,
      ...images.map((each) => `  ${each}`),
    ].join('\n'),
  );
}

function withHosts(command: Command): Command {
  return command
    .option('--older-than <duration>', 'keep what is younger (default: 2m)', secondsOption)
    .option(
      '--host <name>',
      'a host to sweep, this one by default; may be repeated',
      (name, all: string[]) => [...all, name],
      [],
    );
}

function inputOf(cli: Cli, { host, olderThan }: Flags) {
  return {
    hosts: host.length > 0 ? host : [cli.settings.host],
    olderThanSeconds: olderThan,
  };
}

function sweepLine(sweep: HostSweep): string {
  if ('failed' in sweep) return `${sweep.host}: failed: ${sweep.failed}`;
  const { removedRuns, kept, containers, images, networks, volumes } = sweep.swept;
  const what = `${containers} containers, ${images} images, ${networks} networks, ${volumes} volumes`;
  return [
    `${sweep.host}: removed ${what} of ${removedRuns.length} runs, kept ${kept}`,
    ...removedRuns.map((run) => `  ${run}`),
  ].join('\n');
}
