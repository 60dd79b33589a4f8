import type { WorkflowHandle } from '@temporalio/client';
import { firstValue } from './started';

interface Headed {
  readonly head?: unknown;
}

/** The newest chain head that a rollout's history names: needs no worker, unlike the query. */
export async function headInHistory(handle: WorkflowHandle): Promise<string | undefined> {
  const { events } = await handle.fetchHistory();
  for (const event of [...(events ?? [])].reverse()) {
    const done = firstValue<Headed>(event.activityTaskCompletedEventAttributes?.result);
    const begun = firstValue<{ carry?: Headed }>(event.workflowExecutionStartedEventAttributes?.input);
    for (const value of [done, begun?.carry]) {
      const head = value?.head;
      if (typeof head === 'string' && head !== '') return head;
    }
  }
  return undefined;
}
