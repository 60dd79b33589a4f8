import { WorkflowNotFoundError } from '@temporalio/client';
import type { CampaignProgress, CampaignResult, Ref, RolloutRow } from '../../contract';
import { funnelsOf, summed } from '../../dataset/funnel';
import { quote } from '../../rollout/shell';
import { rowsOf } from '../../store/campaigns';
import { type Cli, look } from '../context';
import { askProgress, endingOf, lookUp, statusOf } from '../lookup';
import { funnelLines } from '../terminal/campaign/funnel';
import { resultLine } from '../terminal/campaign/report';
import type { ShownCampaign } from '../terminal/campaign/shown-campaign';
import { standstill } from '../wait';

interface ReadCampaign extends ShownCampaign {
  /** All of one that has ended; of one that runs those that are written. */
  readonly rows: readonly RolloutRow[];
}

/** A campaign by workflow id, also one that only the home still knows. Throws `InvalidInput` for another workflow. */
export async function readCampaign(cli: Cli, id: string): Promise<ReadCampaign> {
  const kept = (await cli.campaigns.list().catch((): string[] => [])).includes(id);
  const found = await lookUp(cli, id, 'campaign').catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError && kept) return undefined;
    throw error;
  });
  if (!found) return keptCampaign(cli, id);
  const { client, handle, described, ui } = found;
  const { result, trouble } = await endingOf<CampaignResult>(handle, described);
  const status = statusOf(described);
  const again =
    trouble && status === 'terminated' ? 'start it again with the same id: finished rollouts are kept' : undefined;
  const progress = result ? undefined : await askProgress<CampaignProgress>(client, handle);
  // A store elsewhere is no reason to hide what the server knows.
  const rows = await rowsIn(cli, result ? [result.rollouts] : (progress?.pages ?? [])).catch((error: Error) => error);
  const missing = rows instanceof Error ? rows.message : undefined;
  return {
    id,
    status,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    progress: status === 'running' ? progress : undefined,
    result,
    ...figuresOf(rows instanceof Error ? [] : rows, result),
    trouble: [trouble, again, await standstill(client, described), missing].filter(Boolean).join('; ') || undefined,
    links: [
      ...(ui ? [['UI', ui] as const] : []),
      ...(kept ? [['rollouts', cli.campaigns.addressOf(id)] as const] : []),
    ],
  };
}

async function keptCampaign(cli: Cli, id: string): Promise<ReadCampaign> {
  const unknown = { startedAt: undefined, endedAt: undefined, progress: undefined, result: undefined };
  const links = [['rollouts', cli.campaigns.addressOf(id)] as const];
  const rows = await cli.campaigns.rows(id);
  return { id, status: 'kept', ...unknown, ...figuresOf(rows, undefined), trouble: undefined, links };
}

function figuresOf(rows: readonly RolloutRow[], result: CampaignResult | undefined) {
  const funnels = result?.funnels ?? funnelsOf(rows);
  return { rows, funnels, total: funnels.length > 0 ? summed(funnels.map(({ funnel }) => funnel)) : undefined };
}

async function rowsIn(cli: Cli, pages: readonly Ref[]): Promise<RolloutRow[]> {
  const texts = await Promise.all(pages.map(async ({ sha256 }) => (await cli.blobs.get(sha256)).toString('utf8')));
  // A row may be written twice where a run went on as a new one.
  return [...new Map(rowsOf(texts.join(''), 'rollouts').map((row) => [row.id, row])).values()];
}

export function printCampaignAnswer(cli: Cli, result: CampaignResult): void {
  const { id, status, funnels } = result;
  cli.print(result, () =>
    [
      `${id}: ${status.replaceAll('_', ' ')}`,
      resultLine(result),
      '',
      ...funnelLines(funnels, summed(funnels.map(({ funnel }) => funnel)), look()),
      `rollouts  ${cli.campaigns.addressOf(id)}`,
      `pointsman campaign show ${quote(id)}`,
    ].join('\n'),
  );
}
