import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { PointsmanError } from '../contract';
import type { RunStatus } from '../pages/shown-run';
import { type Cli, resultFrom } from './context';
import { uiBeside } from './services-status';

/** A workflow that the server knows. */
export interface LookedUp {
  readonly client: Client;
  readonly handle: WorkflowHandle;
  readonly described: WorkflowExecutionDescription;
  /** Its page in the Temporal UI, where there is one. */
  readonly ui?: string;
}

/** What the server knows of a workflow of one type. */
export interface Found<P, R> extends LookedUp {
  readonly progress?: P;
  /** Of a completed one, and of a cancelled one that left a result in its memo. */
  readonly result?: R;
  /** Why it failed, or what is tried again and again. */
  readonly trouble?: string;
}

/** Throws `InvalidInput` for a workflow of another type than `type`, which people call `noun`. */
export async function lookUp(cli: Cli, id: string, type: string, noun = type): Promise<LookedUp> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== type)
    throw new PointsmanError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a ${noun}`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  return { client, handle, described, ...(ui ? { ui: cli.uiLink(ui, client, id) } : {}) };
}

/** Looks a workflow up, with how it goes or how it ended. Throws `InvalidInput` for one of another type. */
export async function findWorkflow<P, R>(cli: Cli, id: string, type: string): Promise<Found<P, R>> {
  const found = await lookUp(cli, id, type);
  const { client, handle, described } = found;
  const { result, trouble } = await endingOf<R>(handle, described);
  const progress = statusOf(described) === 'running' ? await askProgress<P>(client, handle) : undefined;
  const said = [trouble, retried(described)].filter(Boolean).join('; ');
  return {
    ...found,
    progress,
    result,
    ...(said ? { trouble: said } : {}),
  };
}

export interface Ending<R> {
  readonly result?: R;
  readonly trouble?: string;
}

/** The result of a completed one, the memo's of a cancelled one; why a failed one failed; nothing of one that runs. */
export async function endingOf<R>(handle: WorkflowHandle, described: WorkflowExecutionDescription): Promise<Ending<R>> {
  const status = statusOf(described);
  if (status === 'running') return {};
  if (status === 'cancelled') return { result: described.memo?.result as R | undefined };
  return resultOrTrouble(handle);
}

/** Waits where it has not ended. */
export async function resultOrTrouble<R>(handle: WorkflowHandle): Promise<Ending<R>> {
  try {
    return { result: await resultFrom<R>(handle) };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Undefined when no worker answers. */
export async function askProgress<P>(client: Client, handle: WorkflowHandle): Promise<P | undefined> {
  const asked = () => handle.query<P>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}

export function statusOf({ status }: { status: { name: string } }): RunStatus {
  const names: Record<string, RunStatus> = {
    COMPLETED: 'completed',
    FAILED: 'failed',
    CANCELLED: 'cancelled',
    TERMINATED: 'terminated',
    TIMED_OUT: 'timed out',
  };
  return names[status.name] ?? 'running';
}

/** What the server tries again and again. No query tells: the workflow itself only waits for it. */
export function retried({ raw }: WorkflowExecutionDescription): string | undefined {
  const failing = raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
  return failing && `${failing.activityType?.name}, attempt ${failing.attempt}: ${failing.lastFailure?.message}`;
}

export interface Attributes {
  readonly InstanceId?: string;
  readonly Student?: string;
  readonly Expert?: string;
  readonly Phase?: string;
  readonly Outcome?: string;
  readonly Step?: number;
  readonly SwitchIndex?: number;
  readonly CostUsd?: number;
  readonly Resolved?: boolean;
}

/** The search attributes by name. */
export function attributesOf(execution: Pick<WorkflowExecutionDescription, 'typedSearchAttributes'>): Attributes {
  return Object.fromEntries(execution.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}
