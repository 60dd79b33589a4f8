import { existsSync } from 'node:fs';
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type CampaignProgress, type CampaignResult, type Ref, type RolloutRow, SwitchyardError } from '../contract';
import { funnelsOf, summed } from '../dataset/funnel';
import { rowsOf } from '../store/campaigns';
import type { ShownCampaign } from '../view/campaign/shown-campaign';
import { type Cli, fromWorkflow } from './context';
import { retried, statusOf } from './rollout-reading';
import { uiBeside } from './services-status';

export interface ReadCampaign extends ShownCampaign {
  /** All of one that has ended; of one that runs those that are written. */
  readonly rows: readonly RolloutRow[];
}

/** A campaign by workflow id, also one that only the home still knows. Throws `InvalidInput` for another workflow. */
export async function readCampaign(cli: Cli, id: string): Promise<ReadCampaign> {
  const [client, local] = [await cli.client(), await cli.local()];
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError && cli.campaigns.list().includes(id)) return undefined;
    throw error;
  });
  if (!described) return keptCampaign(cli, id);
  if (described.type !== 'campaign') {
    throw new SwitchyardError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a campaign`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  }
  const ui = local.ui ?? (await uiBeside(local.address));
  const { result, trouble } = await endingOf(handle, described);
  const progress = result ? undefined : await campaignProgressOf(client, handle);
  // A store elsewhere is no reason to hide what the server knows.
  const rows = await rowsIn(cli, result ? [result.rollouts] : (progress?.pages ?? [])).catch((error: Error) => error);
  const missing = rows instanceof Error ? rows.message : undefined;
  return {
    ...{ id, status: statusOf(described), startedAt: described.startTime, endedAt: described.closeTime },
    ...{ progress: statusOf(described) === 'running' ? progress : undefined, result },
    ...figuresOf(rows instanceof Error ? [] : rows, result),
    trouble: [trouble, retried(described), missing].filter(Boolean).join('; ') || undefined,
    links: [
      ...(ui ? [['UI', cli.uiLink(ui, client, id)] as const] : []),
      ...(existsSync(cli.campaigns.pathOf(id)) ? [['rollouts', cli.campaigns.pathOf(id)] as const] : []),
    ],
  };
}

async function keptCampaign(cli: Cli, id: string): Promise<ReadCampaign> {
  const unknown = { startedAt: undefined, endedAt: undefined, progress: undefined, result: undefined };
  const links = [['rollouts', cli.campaigns.pathOf(id)] as const];
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

/** The result of a completed campaign, the memo's of a cancelled one; why a failed one failed. */
async function endingOf(
  handle: WorkflowHandle,
  described: WorkflowExecutionDescription,
): Promise<{ result?: CampaignResult; trouble?: string }> {
  const status = statusOf(described);
  if (status === 'running') return {};
  if (status === 'cancelled') {
    const result = described.memo?.result as CampaignResult | undefined;
    return result ? { result } : {};
  }
  try {
    return { result: (await handle.result()) as CampaignResult };
  } catch (error) {
    const cause = fromWorkflow(error);
    const why = cause instanceof Error ? cause.message : String(cause);
    const again = 'start it again with the same id: what is done is kept';
    return { trouble: status === 'terminated' ? `${why}; ${again}` : why };
  }
}

/** Undefined when no worker answers. */
export async function campaignProgressOf(
  client: Client,
  handle: WorkflowHandle,
): Promise<CampaignProgress | undefined> {
  const asked = () => handle.query<CampaignProgress>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}
