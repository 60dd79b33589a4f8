import type { Command } from 'commander';
import { addCampaignExport } from './campaign-export';
import { addCampaignList } from './campaign-list';
import { addCampaignShow } from './campaign-show';
import { addCampaignStart } from './campaign-start';
import { addCampaignSteering } from './campaign-steer';
import { addCampaignWatch } from './campaign-watch';
import type { Cli } from './context';

export function addCampaignCommands(program: Command, cli: Cli): void {
  const campaign = program.command('campaign').description('thousands of rollouts: instances × methods × passes');
  addCampaignStart(campaign, cli);
  addCampaignList(campaign, cli);
  addCampaignShow(campaign, cli);
  addCampaignWatch(campaign, cli);
  addCampaignSteering(campaign, cli);
  addCampaignExport(campaign, cli);
}
