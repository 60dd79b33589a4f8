import { isDeepStrictEqual } from 'node:util';
import { Context } from '@temporalio/activity';
import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { PointsmanError } from '../contract';
import type { Run } from '../page/report/material';

interface Known {
  readonly result: unknown;
  readonly input: unknown;
  readonly queue: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/**
 * A result by the id of its workflow, or one that was given in place, with what the server still knows of its run. Throws
 * `InvalidInput` for an id of another type, or of a run without a result. Reads only.
 */
export async function runOf<Result extends { readonly id: string }>(
  field: string,
  type: string,
  given: string | Result,
): Promise<Run<Result>> {
  const { client } = Context.current();
  if (typeof given === 'string') {
    const { result, ...about } = await known(client, field, type, given);
    return { ...about, result: result as Result, type };
  }
  const there = await known(client, field, type, given.id).catch((error: unknown) => {
    if (error instanceof PointsmanError) return undefined;
    throw error;
  });
  // Another server may have a run of the same name: its input would not be this result's.
  const same = there !== undefined && isDeepStrictEqual(there.result, JSON.parse(JSON.stringify(given)));
  const { input, queue, startedAt, endedAt } = same
    ? there
    : { input: null, queue: null, startedAt: null, endedAt: null };
  return { result: given, type, input, queue, startedAt, endedAt };
}

async function known(client: Client, field: string, type: string, id: string): Promise<Known> {
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new PointsmanError(
      'InvalidInput',
      `${field}: the server knows no workflow "${id}"`,
      'Give the id of one that it still keeps, or its result in place.',
    );
  });
  if (described.type !== type) {
    throw new PointsmanError('InvalidInput', `${field}: ${id} is a ${described.type}, not a ${type}`);
  }
  return { ...(await beginningOf(client, described)), result: await resultOf(handle, described, field) };
}

async function resultOf(
  handle: { result(): Promise<unknown> },
  { status, memo, workflowId }: WorkflowExecutionDescription,
  field: string,
): Promise<unknown> {
  if (status.name === 'COMPLETED') return handle.result();
  // What was cancelled keeps what it came to beside it.
  if (status.name === 'CANCELLED' && memo?.result) return memo.result;
  throw new PointsmanError(
    'InvalidInput',
    `${field}: ${workflowId} is ${status.name.toLowerCase()} and has no result`,
    'Wait for its end, or leave it out.',
  );
}

/** Input and start of the first of its runs: later ones, after continue-as-new, were given more than a person wrote. */
async function beginningOf(
  client: Client,
  described: WorkflowExecutionDescription,
): Promise<Pick<Known, 'input' | 'queue' | 'startedAt' | 'endedAt'>> {
  const { workflowId, runId, taskQueue, startTime, closeTime, raw } = described;
  const first = raw.workflowExecutionInfo?.firstRunId || runId;
  const begun = (await firstEvent(client, workflowId, first)) ?? (await firstEvent(client, workflowId, runId));
  const payload = begun?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  return {
    input: payload ? defaultPayloadConverter.fromPayload(payload) : null,
    queue: taskQueue,
    startedAt: timeOf(begun?.eventTime) ?? startTime.toISOString(),
    endedAt: closeTime?.toISOString() ?? null,
  };
}

/** Undefined where the server keeps that run no longer. */
async function firstEvent(client: Client, workflowId: string, runId: string) {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    return history?.events?.[0];
  } catch (error) {
    const NOT_FOUND = 5;
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

function timeOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): string | undefined {
  if (!time) return undefined;
  return new Date(Number(time.seconds) * 1000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString();
}
