import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { SwitchyardError } from '../contract';
import type { Written } from './input-file';

/** What a workflow was started with (after continue-as-new: what its last run was given). */
export async function inputOf(handle: WorkflowHandle): Promise<Written> {
  const { events } = await handle.fetchHistory();
  const input = read(events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]);
  if (typeof input === 'object' && input !== null) return input as Written;
  throw new SwitchyardError('NotFound', `the history of ${handle.workflowId} holds no input`, 'Start a new rollout.');
}

/** The newest chain head that a rollout's history names: needs no worker, unlike the query. */
export async function headInHistory(handle: WorkflowHandle): Promise<string | undefined> {
  const { events } = await handle.fetchHistory();
  for (const event of [...(events ?? [])].reverse()) {
    const done = read(event.activityTaskCompletedEventAttributes?.result?.payloads?.[0]);
    const given = read(event.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]) as
      | { carry?: unknown }
      | undefined;
    for (const value of [done, given?.carry]) {
      const head = (value as { head?: unknown } | null | undefined)?.head;
      if (typeof head === 'string' && head !== '') return head;
    }
  }
  return undefined;
}

function read(payload: Payload | null | undefined): unknown {
  return payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
}
