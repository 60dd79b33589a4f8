import type { Command } from 'commander';
import { campaignText } from '../view/campaign/report';
import { readCampaign } from './campaign-reading';
import type { Cli } from './context';
import { look } from './terminal';

/** `campaign show`: the funnel of each method, what it cost, and where the rows are. */
export function addCampaignShow(campaign: Command, cli: Cli): void {
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
    });
}
