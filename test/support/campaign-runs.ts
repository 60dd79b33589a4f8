import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { type CampaignProgress, type CampaignResult, RolloutRow } from '../../src/contract';
import type { World } from './world';

export async function rowsIn(world: World, { rollouts }: Pick<CampaignResult, 'rollouts'>): Promise<RolloutRow[]> {
  return (await world.blobs.get(rollouts.sha256))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => RolloutRow.parse(JSON.parse(line)));
}

/** Waits until the campaign's progress is as wanted. */
export async function untilProgress(
  handle: WorkflowHandle,
  holds: (seen: CampaignProgress) => boolean,
  seconds = 90,
): Promise<CampaignProgress> {
  const asked = () => handle.query<CampaignProgress>('progress').catch(() => undefined);
  for (const until = Date.now() + seconds * 1000; Date.now() < until; await sleep(100)) {
    const seen = await asked();
    if (seen && holds(seen)) return seen;
  }
  throw new Error(`never: ${holds}; ${JSON.stringify(await asked())}`);
}

/** First run and number of executions of each rollout of a campaign, by workflow id. One that was continued is one. */
export async function executionsOf(
  world: World,
  campaign: string,
): Promise<Map<string, { first: string; times: number }>> {
  const found = new Map<string, Set<string>>();
  const query = `WorkflowType = 'rollout' AND WorkflowId STARTS_WITH '${campaign}/'`;
  for await (const { workflowId, runId } of world.client.workflow.list({ query })) {
    const { raw } = await world.client.workflow.getHandle(workflowId, runId).describe();
    const firsts = found.get(workflowId) ?? new Set();
    found.set(workflowId, firsts.add(raw.workflowExecutionInfo?.firstRunId || runId));
  }
  return new Map([...found].map(([id, firsts]) => [id, { first: [...firsts][0]!, times: firsts.size }]));
}
