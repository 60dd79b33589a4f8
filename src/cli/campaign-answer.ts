import type { WorkflowHandle } from '@temporalio/client';
import type { CampaignResult } from '../contract';
import { summed } from '../dataset/funnel';
import { funnelLines } from '../view/campaign/funnel';
import { resultLine } from '../view/campaign/report';
import { type Cli, fromWorkflow } from './context';
import { quote } from './temporal-command';
import { look } from './terminal';

/** Waits for the end. Ctrl-C stops the waiting, never the campaign. Throws what the workflow failed with. */
export async function waitedCampaign(cli: Cli, handle: WorkflowHandle): Promise<CampaignResult> {
  const leave = () => {
    cli.say(`${handle.workflowId} goes on; \`switchyard campaign watch ${quote(handle.workflowId)}\` follows it`);
    process.exit(130);
  };
  process.once('SIGINT', leave);
  try {
    return (await handle.result()) as CampaignResult;
  } catch (error) {
    throw fromWorkflow(error);
  } finally {
    process.off('SIGINT', leave);
  }
}

export function printCampaignAnswer(cli: Cli, result: CampaignResult): void {
  const { id, status, funnels } = result;
  cli.print(result, () =>
    [
      `${id}: ${status.replaceAll('_', ' ')}`,
      resultLine(result),
      '',
      ...funnelLines(funnels, summed(funnels.map(({ funnel }) => funnel)), look()),
      `rollouts  ${cli.campaigns.pathOf(id)}`,
      `switchyard campaign show ${quote(id)}`,
    ].join('\n'),
  );
}
