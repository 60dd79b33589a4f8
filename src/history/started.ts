import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { PointsmanError } from '../contract';

/** What a workflow was started with (after continue-as-new: what its last run was given). */
export async function inputOf(handle: WorkflowHandle): Promise<Record<string, unknown>> {
  const { events } = await handle.fetchHistory();
  const input = firstValue<unknown>(events?.[0]?.workflowExecutionStartedEventAttributes?.input);
  if (typeof input === 'object' && input !== null) return input as Record<string, unknown>;
  throw new PointsmanError('NotFound', `the history of ${handle.workflowId} holds no input`, 'Start it anew.');
}

/** The first value that an event was given or has; undefined where there is none. */
export function firstValue<T>(payloads: { payloads?: Payload[] | null } | null | undefined): T | null | undefined {
  const payload = payloads?.payloads?.[0];
  return payload ? defaultPayloadConverter.fromPayload<T | null>(payload) : undefined;
}
