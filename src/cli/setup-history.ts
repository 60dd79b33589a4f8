import type { WorkflowHandle } from '@temporalio/client';
import type { SetupRole } from '../contract';
import { firstValue } from '../history/started';

/** Activities that append to a chain, and those that every role's chain is made with. */
const AGENT: readonly string[] = ['runSetup', 'appendSetupStep'];
const OTHERS: readonly string[] = ['makeMove', 'openSetupChain'];

/**
 * The newest chain head of a role that a workflow's history names: needs no worker, unlike the query, and is there for a
 * run that failed or was cancelled too.
 */
export async function roleHeadInHistory(handle: WorkflowHandle, role: SetupRole): Promise<string | undefined> {
  const { events = [] } = await handle.fetchHistory();
  const asked = new Map(
    (events ?? []).map((event) => [String(event.eventId), event.activityTaskScheduledEventAttributes] as const),
  );
  for (const { activityTaskCompletedEventAttributes: done } of [...(events ?? [])].reverse()) {
    const scheduled = done && asked.get(String(done.scheduledEventId));
    const type = scheduled?.activityType?.name ?? '';
    const by = OTHERS.includes(type) ? firstValue<{ role?: string }>(scheduled?.input)?.role : 'agent';
    if (![...AGENT, ...OTHERS].includes(type) || by !== role) continue;
    const head = firstValue<{ head?: unknown }>(done?.result)?.head;
    if (typeof head === 'string' && head !== '') return head;
  }
  return undefined;
}
