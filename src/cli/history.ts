import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { SwitchyardError } from '../contract';
import type { Written } from './input-file';

/** What a workflow was started with (after continue-as-new: what its last run was given). */
export async function inputOf(handle: WorkflowHandle): Promise<Written> {
  const { events } = await handle.fetchHistory();
  const input = firstValue<unknown>(events?.[0]?.workflowExecutionStartedEventAttributes?.input);
  if (typeof input === 'object' && input !== null) return input as Written;
  throw new SwitchyardError('NotFound', `the history of ${handle.workflowId} holds no input`, 'Start a new rollout.');
}

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

/** The first value that an event was given or has; undefined where there is none. */
export function firstValue<T>(payloads: { payloads?: Payload[] | null } | null | undefined): T | null | undefined {
  const payload = payloads?.payloads?.[0];
  return payload ? defaultPayloadConverter.fromPayload<T | null>(payload) : undefined;
}
