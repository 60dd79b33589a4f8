import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type CampaignProgress, PointsmanError } from '../../contract';
import { type Cli, look } from '../context';
import { askProgress, exitAs } from '../lookup';
import { dollarsOption } from '../options';
import { addWindowSteering, sendUpdate } from '../steer';
import { campaignText } from '../terminal/campaign/report';
import { addCampaignList } from './list';
import { readCampaign } from './reading';
import { addCampaignRegrade } from './regrade';
import { addCampaignStart, rateOption } from './start';
import { addCampaignWatch } from './watch';

export function addCampaignCommands(campaign: Command, cli: Cli): void {
  addCampaignStart(campaign, cli);
  addCampaignList(campaign, cli);
  addCampaignShow(campaign, cli);
  addCampaignWatch(campaign, cli);
  addCampaignSteering(campaign, cli);
  addCampaignExport(campaign, cli);
  addCampaignRegrade(campaign, cli);
}

/** `campaign show`: the funnel of each method, what it cost, and where the rows are. */
function addCampaignShow(campaign: Command, cli: Cli): void {
  campaign
    .command('show <id>')
    .description('print a campaign: its funnels, its cost, what is in flight')
    .action(async (id: string) => {
      const {
        rows,
        progress = null,
        result = null,
        trouble = null,
        total = null,
        links,
        ...run
      } = await readCampaign(cli, id);
      const shown = { ...run, progress: progress ?? undefined, result: result ?? undefined };
      cli.print({ ...run, rows: rows.length, progress, result, total, trouble, links: Object.fromEntries(links) }, () =>
        campaignText({ ...shown, total: total ?? undefined, trouble: trouble ?? undefined, links }, look()),
      );
      exitAs(run.status);
    });
}

/** `campaign export`: its rows as JSONL; of one that runs, those of the rollouts that have ended. */
function addCampaignExport(campaign: Command, cli: Cli): void {
  campaign
    .command('export <id>')
    .description('write the rows of a campaign as JSONL, also while it runs')
    .option('--out <file>', 'a file instead of standard output')
    .action(async (id: string, { out }: { out?: string }) => {
      const { rows, status } = await readCampaign(cli, id);
      if (status === 'running') cli.say(`${id} runs: ${rows.length} rows so far`);
      const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      if (out === undefined) return cli.print({ id, rows }, () => text.replace(/\n$/, ''));
      const file = resolve(out);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, text);
      renameSync(`${file}.new`, file);
      cli.print({ id, file, rows: rows.length }, () => `${rows.length} rows in ${file}`);
    });
}

/** `campaign pause|resume|abandon|concurrency|cancel|rate|budget`: what a person can do to one that runs. */
function addCampaignSteering(campaign: Command, cli: Cli): void {
  addWindowSteering(campaign, cli, {
    units: 'rollouts',
    kept: 'rollouts',
    cancelled: 'running rollouts are cancelled and keep their work, and the rows are written',
    show: 'pointsman campaign show ID',
    inFlight: (id) => inFlightOf(cli, id),
  });
  campaign
    .command('rate <id> <n|off>')
    .description('rollouts started per minute; off: no limit')
    .action(async (id: string, n: string) => {
      const startsPerMinute = n === 'off' ? null : rateOption(n);
      await sendUpdate(cli, id, 'setRate', { startsPerMinute });
      cli.print({ id, startsPerMinute }, () => `${id}: ${n === 'off' ? 'no rate' : `${n} a minute`}`);
    });
  campaign
    .command('budget <id>')
    .description('set cost limits, counted from the start; "off" removes one')
    .option('--cost <usd|off>', 'cost limit in USD', capOption)
    .option('--daily <usd|off>', 'USD a day (UTC)', capOption)
    .action(async (id: string, { cost, daily }: { cost?: number | null; daily?: number | null }) => {
      if (cost === undefined && daily === undefined)
        throw new PointsmanError('InvalidInput', 'budget: nothing to set', 'Give --cost, --daily or both.');
      const budget = await sendUpdate(cli, id, 'setBudget', { totalUsd: cost, dailyUsd: daily });
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
