import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { PointsmanError, RolloutInput, type RolloutResult, type RolloutRow } from '../contract';
import { decoded } from '../payloads';

type Event = temporal.api.history.v1.IHistoryEvent;

/** All events of a run, with their payloads decoded by the client's own codec. Throws where the server does not have it. */
export async function eventsOf(handle: WorkflowHandle): Promise<Event[]> {
  const { events } = await handle.fetchHistory();
  return decoded(events ?? [], handle.client.options.loadedDataConverter.payloadCodecs);
}

/** What a workflow was started with (after continue-as-new: what its last run was given). */
export async function inputOf(handle: WorkflowHandle): Promise<Record<string, unknown>> {
  const events = await eventsOf(handle);
  const input = firstValue<unknown>(events[0]?.workflowExecutionStartedEventAttributes?.input);
  if (typeof input === 'object' && input !== null) return input as Record<string, unknown>;
  throw new PointsmanError('NotFound', `the history of ${handle.workflowId} holds no input`, 'Start it anew.');
}

/** The first value that an event was given or has; undefined where there is none. */
export function firstValue<T>(payloads: { payloads?: Payload[] | null } | null | undefined): T | null | undefined {
  const payload = payloads?.payloads?.[0];
  return payload ? defaultPayloadConverter.fromPayload<T | null>(payload) : undefined;
}

interface Headed {
  readonly head?: unknown;
}

/** The newest chain head that a rollout's history names: needs no worker, unlike the query. */
export async function headInHistory(handle: WorkflowHandle): Promise<string | undefined> {
  for (const event of (await eventsOf(handle)).reverse()) {
    const done = firstValue<Headed & { seen?: Headed }>(event.activityTaskCompletedEventAttributes?.result);
    const begun = firstValue<{ carry?: Headed }>(event.workflowExecutionStartedEventAttributes?.input);
    for (const value of [done, done?.seen, begun?.carry]) {
      const head = value?.head;
      if (typeof head === 'string' && head !== '') return head;
    }
  }
  return undefined;
}

/** A rollout that was started alone. Throws `InvalidInput` for one that has no result. */
export async function rowOfRun(client: Client, id: string, method: string): Promise<RolloutRow> {
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new PointsmanError('InvalidInput', `runs: there is no run "${id}"`, '`pointsman rollout list` shows them.');
  });
  if (described.type !== 'rollout' || described.status.name !== 'COMPLETED') {
    throw new PointsmanError(
      'InvalidInput',
      `runs: ${id} is a ${described.type} that is ${described.status.name.toLowerCase()}, not a finished rollout`,
      'Name rollouts that have ended.',
    );
  }
  const result = (await handle.result()) as RolloutResult;
  const input = RolloutInput.parse(await inputOf(handle));
  const { startTime, closeTime } = described;
  return {
    id,
    instance: String(described.memo?.problem ?? ''),
    problem: null,
    method,
    handOver: input.handOver,
    pass: input.attempt,
    student: input.student ?? null,
    expert: input.expert ?? null,
    outcome: 'finished',
    result,
    ...(input.fork && input.fork.step > 0 ? { copiedSteps: input.fork.step } : {}),
    ...(result.patch?.bytes === 0 ? { emptyPatch: true } : {}),
    seconds: closeTime ? (closeTime.getTime() - startTime.getTime()) / 1000 : null,
    licence: null,
  };
}
