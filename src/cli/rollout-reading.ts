import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { HandOverPolicy, RolloutProgress, RolloutResult } from '../contract';
import { SwitchyardError } from '../contract';
import type { RunStatus, ShownRun } from '../view/shown-run';
import { findHead, loadSteps } from './chain-reading';
import { type Cli, fromWorkflow } from './context';
import { headInHistory } from './history';
import { uiBeside } from './services-status';

/** A rollout by workflow id, or a trajectory by the (abbreviated) hash of its head. Throws `NotFound`. */
export async function readRun(cli: Cli, idOrHash: string): Promise<ShownRun> {
  const head = await findHead(cli.blobs.root, idOrHash);
  return head ? readChain(cli, head) : readWorkflow(cli, idOrHash);
}

async function readChain(cli: Cli, head: string): Promise<ShownRun> {
  const { opening, steps } = await loadSteps(cli, head);
  const profile = (author: string) => steps.find(({ turn }) => turn.author === author)?.turn.profile;
  const usd = steps.reduce((sum, { turn }) => sum + turn.usage.costUsd, 0);
  const tokens = steps.reduce((sum, { turn }) => sum + turn.usage.promptTokens + turn.usage.completionTokens, 0);
  return {
    id: null,
    status: 'chain',
    problem: opening.problemId,
    student: profile('student'),
    expert: profile('expert'),
    spent: { usd, tokens },
    steps,
    head,
    links: [['blob', cli.blobs.pathOf(head)]],
  };
}

async function readWorkflow(cli: Cli, id: string): Promise<ShownRun> {
  const { runId, trouble, ...facts } = await runFacts(cli, id);
  // A store elsewhere is no reason to hide what the server knows.
  const chain = facts.head ? await loadSteps(cli, facts.head, runId).catch((error: Error) => error) : undefined;
  const missing = chain instanceof Error ? chain.message : undefined;
  return {
    ...facts,
    steps: chain && !(chain instanceof Error) ? chain.steps : [],
    trouble: [trouble, missing].filter(Boolean).join('; ') || undefined,
  };
}

/** What the server knows of a rollout, all but its steps. `runId` is that of its first run, which timings are kept under. */
export type RunFacts = Omit<ShownRun, 'steps'> & { readonly runId: string };

/** Throws `InvalidInput` for a workflow that is no rollout. */
export async function runFacts(cli: Cli, id: string): Promise<RunFacts> {
  const { client, ui } = await served(cli);
  const handle = client.workflow.getHandle(id);
  const described = await handle.describe();
  if (described.type !== 'rollout') {
    throw new SwitchyardError(
      'InvalidInput',
      `${id} is a ${described.type} workflow, not a rollout`,
      `\`temporal workflow show --workflow-id ${id}\` shows it.`,
    );
  }
  const status = statusOf(described);
  const { result, trouble } = await ending(handle, described, status);
  const progress = result ? undefined : await progressOf(client, handle);
  const head = result?.head || progress?.head || (await headInHistory(handle));
  const patch = result?.patch && (await cli.blobs.get(result.patch.sha256).catch(() => undefined));
  const attributes = attributesOf(described);
  return {
    id,
    runId: described.raw.workflowExecutionInfo?.firstRunId || described.runId,
    status,
    phase: progress?.phase ?? attributes.Phase,
    problem: attributes.InstanceId ?? String(described.memo?.problem ?? 'a rollout that has not begun'),
    student: attributes.Student,
    expert: attributes.Expert,
    policy: described.memo?.handOver as HandOverPolicy | undefined,
    handOver: result?.handOver ?? progress?.handOver,
    startedAt: described.startTime,
    endedAt: described.closeTime,
    spent: progress && { usd: progress.spent.costUsd, tokens: progress.spent.tokens },
    result,
    patch: patch?.toString('utf8'),
    trouble: [trouble, retried(described)].filter(Boolean).join('; ') || undefined,
    head,
    links: [
      ...(ui ? [['UI', cli.uiLink(ui, client, id)] as const] : []),
      ...(head ? [['blob', cli.blobs.pathOf(head)] as const] : []),
    ],
  };
}

async function served(cli: Cli): Promise<{ client: Client; ui: string | undefined }> {
  const [client, local] = [await cli.client(), await cli.local()];
  return { client, ui: local.ui ?? (await uiBeside(local.address)) };
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

/** The result of a completed run, the memo's of a cancelled one; why a failed one failed. */
async function ending(
  handle: WorkflowHandle,
  { memo }: WorkflowExecutionDescription,
  status: RunStatus,
): Promise<{ result?: RolloutResult; trouble?: string }> {
  if (status === 'running') return {};
  if (status === 'cancelled') return { result: memo?.result as RolloutResult | undefined };
  try {
    return { result: (await handle.result()) as RolloutResult };
  } catch (error) {
    const cause = fromWorkflow(error);
    return { trouble: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** What the server tries again and again. No query tells: the workflow itself only waits for it. */
export function retried({ raw }: WorkflowExecutionDescription): string | undefined {
  const failing = raw.pendingActivities?.find(({ lastFailure }) => lastFailure?.message);
  return failing && `${failing.activityType?.name}, attempt ${failing.attempt}: ${failing.lastFailure?.message}`;
}

/** Undefined when no worker answers. */
export async function progressOf(client: Client, handle: WorkflowHandle): Promise<RolloutProgress | undefined> {
  const asked = () => handle.query<RolloutProgress>('progress');
  return client.withDeadline(Date.now() + 5_000, asked).catch(() => undefined);
}

export interface RolloutAttributes {
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
export function attributesOf(
  execution: Pick<WorkflowExecutionDescription, 'typedSearchAttributes'>,
): RolloutAttributes {
  return Object.fromEntries(execution.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
}
