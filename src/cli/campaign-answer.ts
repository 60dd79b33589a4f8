import { quote } from '../agent/shell';
import type { CampaignResult } from '../contract';
import { summed } from '../dataset/funnel';
import { funnelLines } from '../view/campaign/funnel';
import { resultLine } from '../view/campaign/report';
import type { Cli } from './context';
import { look } from './terminal';

export function printCampaignAnswer(cli: Cli, result: CampaignResult): void {
  const { id, status, funnels } = result;
  cli.print(result, () =>
    [
      `${id}: ${status.replaceAll('_', ' ')}`,
      resultLine(result),
      '',
      ...funnelLines(funnels, summed(funnels.map(({ funnel }) => funnel)), look()),
      `rollouts  ${cli.campaigns.pathOf(id)}`,
      `pointsman campaign show ${quote(id)}`,
    ].join('\n'),
  );
}
