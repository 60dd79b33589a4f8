import type { Command } from 'commander';
import { type CampaignProgress, PointsmanError } from '../contract';
import { rateOption } from './campaign-start';
import type { Cli } from './context';
import { askProgress } from './found-workflow';
import { dollarsOption } from './options';
import { sendUpdate } from './rollout-steer';
import { addWindowSteering } from './window-steer';

/** `campaign pause|resume|abandon|concurrency|cancel|rate|budget`: what a person can do to one that runs. */
export function addCampaignSteering(campaign: Command, cli: Cli): void {
  addWindowSteering(campaign, cli, {
    units: 'rollouts',
    kept: 'rollouts',
    cancelled: 'what is in flight is cancelled with its work kept, and the rows are written',
    show: 'pointsman campaign show ID',
    inFlight: (id) => inFlightOf(cli, id),
  });
  campaign
    .command('rate <id> <n|off>')
    .description('rollouts begun a minute, or as many as there is room for')
    .action(async (id: string, n: string) => {
      const startsPerMinute = n === 'off' ? null : rateOption(n);
      await sendUpdate(cli, id, 'setRate', { startsPerMinute });
      cli.print({ id, startsPerMinute }, () => `${id}: ${n === 'off' ? 'no rate' : `${n} a minute`}`);
    });
  campaign
    .command('budget <id>')
    .description('set caps, counted from the start; "off" takes one away')
    .option('--total <usd|off>', 'USD in all', capOption)
    .option('--daily <usd|off>', 'USD a day (UTC)', capOption)
    .action(async (id: string, { total, daily }: { total?: number | null; daily?: number | null }) => {
      if (total === undefined && daily === undefined)
        throw new PointsmanError('InvalidInput', 'budget: nothing to set', 'Give --total, --daily or both.');
      const wanted = {
        ...(total === undefined ? {} : { totalUsd: total }),
        ...(daily === undefined ? {} : { dailyUsd: daily }),
      };
      const budget = await sendUpdate(cli, id, 'setBudget', wanted);
      cli.print({ id, budget }, () => `${id}: the budget is now ${JSON.stringify(budget)}`);
    });
}

function capOption(text: string): number | null {
  return text === 'off' ? null : dollarsOption(text);
}

async function inFlightOf(cli: Cli, id: string): Promise<string[]> {
  const client = await cli.client();
  const progress = await askProgress<CampaignProgress>(client, client.workflow.getHandle(id));
  if (progress) return progress.inFlight.map((rollout) => rollout.id);
  throw new PointsmanError('Unavailable', 'no worker answers for the campaign', '`pointsman status` shows workers.');
}
